import type { Days, PerDay } from "./objective.ts";

/**
 * The plain formula of spec C5 for value 1 and cost 1: `(1−e^(−λ·since)) × (1−e^(−λ·interval))/λ`, days: the chance that our copy is
 * stale, times how long a fresh one is expected to stay fresh within the next interval. 0 at λ = 0; at the same `since` and interval it
 * is greatest at λT = 1.256, where it is .407 T: the best buys change at about the pace that can be afforded.
 */
export function plainGain(rate: PerDay, since: Days, interval: Days): number {
  if (!(rate > 0) || !(since > 0)) return 0;
  return (Math.expm1(-rate * since) * Math.expm1(-rate * interval)) / rate;
}

/**
 * The wait after which {@link plainGain} reaches `level` (shadow price × cost ÷ value).
 * @returns `Infinity` where it never does: what changes much faster than it can be afforded is left alone.
 */
export function plainCrossing(rate: PerDay, level: number, interval: Days): Days {
  if (!(level > 0)) return 0;
  if (!(rate > 0)) return Number.POSITIVE_INFINITY;
  const share = (level * rate) / -Math.expm1(-rate * interval);
  return share >= 1 ? Number.POSITIVE_INFINITY : -Math.log1p(-share) / rate;
}
