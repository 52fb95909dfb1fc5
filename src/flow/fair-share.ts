import type { Millis } from "../kernel/units.ts";

/** A host is slow when its fetches take this many times as long as those of all hosts together. Source: guess. */
const SLOW_FACTOR = 8;
/** Weight of the newest fetch. */
const WEIGHT = 0.1;

/** How long a host's fetches take, and whether it is slow beside the others; kept by {@link FairShare}. */
export interface Pacemark {
  fetches: number;
  meanTime: Millis;
}

/**
 * Who may take a slot that others wait for. A slot held by a host of 2 s a page serves a fortieth of what it serves on one of
 * 50 ms, and eight of them are an eighth of everything: while a shared limit (overall concurrency, an address) is spent, a slow
 * host holds one slot at most. Nobody is starved, and without contention nobody is held back. Pure.
 */
export class FairShare {
  #meanTime: Millis = 0;

  /** Takes the time of one fetch, from start to end. */
  ended(mark: Pacemark, took: Millis): void {
    mark.fetches += 1;
    // A plain mean of the first ten, so that one quick first page does not hide what follows.
    mark.meanTime += Math.max(WEIGHT, 1 / mark.fetches) * (took - mark.meanTime);
    this.#meanTime = this.#meanTime === 0 ? took : this.#meanTime + (WEIGHT / 4) * (took - this.#meanTime);
  }

  /** Should this host, which holds a slot, leave another one to others? Only to be asked while a shared limit is spent. */
  yields(mark: Pacemark): boolean {
    return mark.meanTime > SLOW_FACTOR * this.#meanTime;
  }
}
