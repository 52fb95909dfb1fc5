import type { Days, Objective, PerDay } from "./objective.ts";

/**
 * What a visit buys at a page that changes at the known rate λ and was last seen t days ago, for value 1 and cost 1:
 *
 * - freshness: `U = (1 − (1+λt)e^(−λt)) / λ`, days
 * - events: `U = 1 − (1+λt)e^(−λt)`, changes
 * - age: `U = t²/2 + (t/λ)e^(−λt) − (1−e^(−λt))/λ²`, days²
 *
 * 0 at t = 0 and at λ = 0 (there is nothing to buy), never falling in t. A page is visited when `(value ÷ cost) × U` reaches the
 * shadow price. Source: Olston & Pandey 2008 eq. 4; scheduling.md §0 and §3.
 */
export function knownGain(objective: Objective, rate: PerDay, days: Days): number {
  if (!(rate > 0) || !(days > 0)) return 0;
  const x = rate * days;
  switch (objective) {
    case "freshness":
      return secondArrival(x) / rate;
    case "events":
      return secondArrival(x);
    case "age":
      return x < 0.1 ? days * days * x * smallSecondArrival(x) : (days * days) / 2 - secondArrival(x) / (rate * rate);
    default:
      return objective satisfies never;
  }
}

/** dU/dt: how fast the gain of waiting grows. `λt e^(−λt)`, `λ²t e^(−λt)`, `t(1−e^(−λt))`. */
export function knownSlope(objective: Objective, rate: PerDay, days: Days): number {
  const x = rate * days;
  if (objective === "age") return -days * Math.expm1(-x);
  return (objective === "freshness" ? x : x * rate) * Math.exp(-x);
}

/** The gain that no wait exceeds. */
export function knownMost(objective: Objective, rate: PerDay): number {
  if (!(rate > 0)) return 0;
  if (objective === "age") return Number.POSITIVE_INFINITY;
  return objective === "freshness" ? 1 / rate : 1;
}

/**
 * When a visit is worth `level` (shadow price × cost ÷ value): the t at which U(t) = level.
 * @returns `Infinity` where it never is.
 */
export function knownCrossing(objective: Objective, rate: PerDay, level: number): Days {
  if (!(level > 0)) return 0;
  if (level >= knownMost(objective, rate)) return Number.POSITIVE_INFINITY;
  if (objective === "age") return ageCrossing(rate, level);
  return secondArrivalAt(objective === "freshness" ? level * rate : level) / rate;
}

/** `1 − (1+x)e^(−x)`: the chance that a Poisson process with mean x came twice. Exact to 1e-13 for small x too. */
export function secondArrival(x: number): number {
  return x < 0.1 ? x * x * (0.5 - x * smallSecondArrival(x)) : -Math.expm1(-x) - x * Math.exp(-x);
}

/** `(1/2 − secondArrival(x)/x²) / x` = 1/3 − x/8 + x²/30 − …, the terms `(k−1)/k!` with changing sign. */
function smallSecondArrival(x: number): number {
  return 1 / 3 - x * (1 / 8 - x * (1 / 30 - x * (1 / 144 - x * (1 / 840 - x * (1 / 5760 - x * (1 / 45_360 - x / 403_200))))));
}

/** Inverse of {@link secondArrival} for 0 < y < 1. Newton on the logarithm of what is missing, or of what is there. */
function secondArrivalAt(y: number): number {
  let x = Math.max(Math.sqrt(2 * y), -Math.log1p(-y));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const step = y < 0.5 ? logStep(y, secondArrival(x), x * x * Math.exp(-x)) * x : (Math.log1p(x) - x - Math.log1p(-y)) * (1 + 1 / x);
    x += step;
    if (Math.abs(step) <= CLOSE * x) break;
  }
  return x;
}

function ageCrossing(rate: PerDay, level: number): Days {
  let t = Math.max(Math.sqrt(2 * level), Math.cbrt((3 * level) / rate));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const step = logStep(level, knownGain("age", rate, t), t * knownSlope("age", rate, t));
    t *= 1 + step;
    if (Math.abs(step) <= CLOSE) break;
  }
  return t;
}

/** Newton's step for ln U against ln t, as a share of t. From below the crossing it never passes it: ln U bends down in ln t. */
function logStep(level: number, gain: number, slope: number): number {
  return Math.expm1((Math.log(level / gain) * gain) / slope);
}

const MOST_ROUNDS = 40;
/** Newton doubles the digits: the step after this one is below 1e-12. */
const CLOSE = 1e-6;
