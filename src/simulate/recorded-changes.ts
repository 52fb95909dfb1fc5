import type { Days } from "../schedule/objective.ts";
import type { PageNumber } from "../schedule/visit-policy.ts";
import type { ChangeSource, Seen } from "./change-source.ts";
import type { History } from "./history.ts";

/** Pages that change when a history says. */
export class RecordedChanges implements ChangeSource {
  readonly #history: History;
  /** `[page]`: its first change that no visit has seen. */
  readonly #next: Uint32Array;
  readonly #seen: Seen = { changed: false, changes: 0, fresh: 0 };

  constructor(history: History) {
    this.#history = history;
    this.#next = history.offsets.slice(0, -1);
  }

  visit(page: PageNumber, from: Days, to: Days, since: Days): Seen {
    const { changes, offsets } = this.#history;
    const end = offsets[page + 1];
    let next = this.#next[page];
    while (next < end && changes[next] <= from) next++;
    const first = next < end ? changes[next] : Number.POSITIVE_INFINITY;
    const begin = next;
    while (next < end && changes[next] <= to) next++;
    this.#next[page] = next;
    this.#seen.changed = next > begin;
    this.#seen.changes = next - begin;
    this.#seen.fresh = Math.max(0, Math.min(first, to) - Math.max(from, since));
    return this.#seen;
  }
}
