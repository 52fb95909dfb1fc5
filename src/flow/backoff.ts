import type { Millis } from "../kernel/units.ts";

/** First and longest delay of a retry in a crawl. Source: flow-control.md §4. */
const FIRST: Millis = 1_000;
const MOST: Millis = 300_000;

/**
 * Delay before a retry: decorrelated jitter, `min(cap, U(1 s, 3 · previous))`. Load is bounded by budgets, not by this delay.
 * @param previous the delay drawn before the attempt that failed; 0 when that was the first.
 */
export function retryDelay(previous: Millis, random: () => number): Millis {
  const widest = 3 * Math.max(FIRST, previous);
  return Math.min(MOST, FIRST + random() * (widest - FIRST));
}
