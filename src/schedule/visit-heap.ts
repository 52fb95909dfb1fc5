import type { Millis, UrlId } from "../kernel/units.ts";

const FIRST_ROOM = 16;

/**
 * URLs that wait, least key first (a due instant, a deadline), each with one number more. A binary heap in columns: 20 bytes an
 * entry, so that a million visits that are due at once are 20 MB. One entry a URL: bounded by the URLs known.
 */
export class VisitHeap {
  #keys = new Float64Array(FIRST_ROOM);
  #extras = new Float64Array(FIRST_ROOM);
  #ids = new Int32Array(FIRST_ROOM);
  #size = 0;

  get size(): number {
    return this.#size;
  }
  /** Key of the first; `Infinity` when empty. */
  get firstKey(): Millis {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#keys[0];
  }
  get firstExtra(): number {
    return this.#extras[0];
  }
  /** The URL whose turn it is; -1 when empty. */
  get first(): UrlId {
    return this.#size === 0 ? -1 : this.#ids[0];
  }

  push(key: Millis, id: UrlId, extra: number): void {
    if (this.#size === this.#ids.length) this.#grow();
    this.#up(this.#size++, key, id, extra);
  }

  /** Takes the first out; only when there is one. Read it before. */
  drop(): void {
    this.#removeAt(0);
  }

  /**
   * Looks at `most` entries from `at` downwards, in no order, and takes out those that `out` names. Called again with what it
   * returns it comes round to all; a few may be missed or seen twice while others come and go.
   * @returns where to go on; -1 when it has come to the end.
   */
  sweep(at: number, most: number, out: (id: UrlId, extra: number) => boolean): number {
    let index = Math.min(at, this.#size - 1);
    for (const end = index - most; index >= 0 && index > end; index--)
      if (out(this.#ids[index], this.#extras[index])) this.#removeAt(index);
    return index;
  }

  #removeAt(index: number): void {
    const last = --this.#size;
    if (index === last) return;
    const key = this.#keys[last];
    if (index > 0 && key < this.#keys[(index - 1) >> 1]) this.#up(index, key, this.#ids[last], this.#extras[last]);
    else this.#down(index, key, this.#ids[last], this.#extras[last]);
  }

  #up(start: number, key: Millis, id: UrlId, extra: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#keys[parent] <= key) break;
      this.#copy(parent, at);
      at = parent;
    }
    this.#set(at, key, id, extra);
  }

  #down(start: number, key: Millis, id: UrlId, extra: number): void {
    let at = start;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#keys[child + 1] < this.#keys[child]) child += 1;
      if (this.#keys[child] >= key) break;
      this.#copy(child, at);
      at = child;
    }
    this.#set(at, key, id, extra);
  }

  #copy(from: number, to: number): void {
    this.#set(to, this.#keys[from], this.#ids[from], this.#extras[from]);
  }

  #set(at: number, key: Millis, id: UrlId, extra: number): void {
    this.#keys[at] = key;
    this.#ids[at] = id;
    this.#extras[at] = extra;
  }

  #grow(): void {
    const room = this.#ids.length * 2;
    const keys = new Float64Array(room);
    const extras = new Float64Array(room);
    const ids = new Int32Array(room);
    keys.set(this.#keys);
    extras.set(this.#extras);
    ids.set(this.#ids);
    this.#keys = keys;
    this.#extras = extras;
    this.#ids = ids;
  }
}
