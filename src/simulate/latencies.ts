import type { Millis } from "../kernel/units.ts";

/** Bins grow by this: a quantile is told to within half of it. */
const GROWTH = 1.005;
const SCALE = 1 / Math.log(GROWTH);
/** From 1 ms (and below) to about 20 min. */
const BINS = Math.ceil(Math.log(1_200_000) * SCALE);

/** Times of any number of requests in bounded memory: a histogram in bins of half a per cent. */
export class Latencies {
  readonly #bins = new Uint32Array(BINS + 1);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(time: Millis): void {
    this.#bins[Math.min(BINS, Math.max(0, Math.round(Math.log(Math.max(1, time)) * SCALE)))] += 1;
    this.#count += 1;
  }

  /** @returns null when there is none. */
  quantile(share: number): Millis | null {
    if (this.#count === 0) return null;
    let left = Math.max(1, Math.ceil(this.#count * share));
    let bin = 0;
    for (; bin < BINS; bin++) {
      left -= this.#bins[bin];
      if (left <= 0) break;
    }
    return GROWTH ** bin;
  }
}
