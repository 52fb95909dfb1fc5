import type { Millis } from "../kernel/units.ts";

/** Interval over which the least is taken. Source: flow-control.md §7 (CoDel). */
const INTERVAL: Millis = 10_000;

/**
 * Least sojourn of the last five to ten seconds: a queue that was short for a moment is no standing queue, however long the wait of a few.
 * Pure. Source: CoDel (RFC 8289).
 */
export class LeastSojourn {
  #half = Number.POSITIVE_INFINITY;
  #halfBefore = Number.POSITIVE_INFINITY;
  #halfBegan: Millis = 0;

  note(now: Millis, sojourn: Millis): void {
    this.#turn(now);
    this.#half = Math.min(this.#half, sojourn);
  }

  /** @param standing age of what has not left: all there is to say when nothing has. */
  over(now: Millis, standing: Millis): Millis {
    this.#turn(now);
    return Math.min(this.#half, this.#halfBefore, standing);
  }

  #turn(now: Millis): void {
    const span = now - this.#halfBegan;
    if (span < INTERVAL / 2) return;
    this.#halfBefore = span < INTERVAL ? this.#half : Number.POSITIVE_INFINITY;
    this.#half = Number.POSITIVE_INFINITY;
    this.#halfBegan = now;
  }
}
