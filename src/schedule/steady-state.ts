import type { Objective, PerDay } from "./objective.ts";

/** A page with a known change rate. Value and cost are weights, 1 where nothing is said. */
export interface RatedPage {
  readonly rate: PerDay;
  readonly value: number;
  readonly cost: number;
}

/**
 * What evenly spaced visits give in the long run, for value 1, with r = rate ÷ frequency:
 * freshness `(1−e^(−r))/r`, a share of time; events `f(1−e^(−r))`, states seen per day; age `(1/f)(1/2 − 1/r + (1−e^(−r))/r²)`, days, the
 * less the better. Never visited: 0, 0 and `Infinity` (for a page that never changes 1, 0 and 0).
 * Source: Cho & Garcia-Molina, TODS 28(4) 2003.
 */
export function steadyState(objective: Objective, rate: PerDay, frequency: PerDay): number {
  if (!(rate > 0)) return objective === "freshness" ? 1 : 0;
  if (!(frequency > 0)) return objective === "age" ? Number.POSITIVE_INFINITY : 0;
  const r = rate / frequency;
  switch (objective) {
    case "freshness":
      return -Math.expm1(-r) / r;
    case "events":
      return -frequency * Math.expm1(-r);
    case "age":
      // 1/2 − 1/r + (1−e^(−r))/r², by its series where it would lose digits.
      return (r < 1e-3 ? r / 6 - (r * r) / 24 : 0.5 - 1 / r - Math.expm1(-r) / (r * r)) / frequency;
    default:
      return objective satisfies never;
  }
}

/** Mean of {@link steadyState} over the pages, by value; for events the sum of value × states seen per day. */
export function steadyStateOf(objective: Objective, pages: readonly RatedPage[], frequencies: ArrayLike<PerDay>): number {
  let sum = 0;
  let weight = 0;
  pages.forEach(({ rate, value }, page) => {
    sum += value * steadyState(objective, rate, frequencies[page]);
    weight += value;
  });
  return objective === "events" ? sum : sum / weight;
}
