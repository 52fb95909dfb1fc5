import type { Millis, Seq } from "../kernel/units.ts";

/** Marks are this far apart. */
const APART: Millis = 250;
/** More are not kept; the oldest stays, so that an age is never told too young. */
const MOST = 256;

/** How old the oldest item of a queue numbered in order is, from a mark every quarter of a second instead of an instant an item. */
export class AgeMarks {
  readonly #marks: { upTo: Seq; readonly at: Millis }[] = [];

  /** Items up to this number have entered. */
  entered(upTo: Seq, now: Millis): void {
    const last = this.#marks.at(-1);
    if (last !== undefined && (now - last.at < APART || this.#marks.length >= MOST)) last.upTo = Math.max(last.upTo, upTo);
    else if (last === undefined || upTo > last.upTo) this.#marks.push({ upTo, at: now });
  }

  /** @param left number of the last item that has left. @returns 0 when none waits. */
  oldest(left: Seq, now: Millis): Millis {
    while (this.#marks.length > 0 && this.#marks[0].upTo <= left) this.#marks.shift();
    return this.#marks.length === 0 ? 0 : now - this.#marks[0].at;
  }
}
