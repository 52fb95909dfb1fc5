import type { HostId, Millis, UrlId } from "../kernel/units.ts";

/** A URL that waits for an instant. */
export interface DueUrl {
  readonly at: Millis;
  readonly id: UrlId;
  readonly host: HostId;
}

/**
 * URLs that come back at a later instant (retries), soonest first. One entry a URL: bounded by the URLs known.
 * The time wheel of recurring visits takes its place behind the same methods.
 */
export class DueHeap {
  readonly #items: DueUrl[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** When the first is due; `Infinity` when there is none. */
  get nextAt(): Millis {
    return this.#items.length === 0 ? Number.POSITIVE_INFINITY : this.#items[0].at;
  }

  push(due: DueUrl): void {
    const items = this.#items;
    let at = items.length;
    items.push(due);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (items[parent].at <= due.at) break;
      items[at] = items[parent];
      at = parent;
    }
    items[at] = due;
  }

  /** @returns the first URL due at `now`, or undefined. */
  popDue(now: Millis): DueUrl | undefined {
    const items = this.#items;
    const top = items[0];
    if (top === undefined || top.at > now) return undefined;
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && items[child + 1].at < items[child].at) child += 1;
      if (items[child].at >= last.at) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return top;
  }
}
