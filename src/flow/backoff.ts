import type { Millis } from "../kernel/units.ts";

/** First and longest delay of a retry in a crawl. Source: flow-control.md §4. */
const FIRST: Millis = 1_000;
const MOST: Millis = 300_000;

/**
 * Delay before a retry: decorrelated jitter, `min(cap, U(1 s, 3 · previous))` with previous = 1 s at first.
 * Only the attempt number is stored, so `previous` is taken as its largest possible value for that number.
 * Load is bounded by budgets, not by this delay.
 */
export function retryDelay(attempt: number, random: () => number): Millis {
  const widest = Math.min(MOST, FIRST * 3 ** Math.min(attempt, 12));
  return Math.min(MOST, FIRST + random() * (widest - FIRST));
}
