import type { Days, Objective } from "./objective.ts";

/**
 * What a visit buys when the page's change rate is not known but believed to be gamma distributed, with `shape` a and `days` b
 * (mean a/b per day): the mean of `knownGain` over that belief. With u = t/b and `I(m) = ∫₀ᵘ v(1+v)^(−m) dv`:
 *
 * - freshness: `U = b·a·I(a+1)` = `b((1+u)^(1−a) − 1)/(1−a) − t(1+u)^(−a)`, days
 * - events: `U = a(a+1)·I(a+2)` = `1 − (1+u)^(−a)(1 + au/(1+u))`, changes
 * - age: `U = b²(u²/2 − I(a))`, days²
 *
 * For a ≤ 1 the freshness gain has no upper bound: no page is starved for ever by a bad estimate.
 * Source: Olston & Pandey 2008 eq. 4 for the Lomax curve; scheduling.md §3.
 */
export function bayesGain(objective: Objective, shape: number, scale: Days, days: Days): number {
  if (!(days > 0)) return 0;
  const u = days / scale;
  const gain = unitGain(objective, shape, u);
  return objective === "freshness" ? scale * gain : objective === "events" ? gain : scale * scale * gain;
}

/** dU/dt. */
export function bayesSlope(objective: Objective, shape: number, scale: Days, days: Days): number {
  const u = days / scale;
  const slope = unitSlope(objective, shape, u);
  return objective === "freshness" ? slope : objective === "events" ? slope / scale : scale * slope;
}

/** The gain that no wait exceeds: `b/(a−1)` for freshness and a > 1, 1 for events, none for age. */
export function bayesMost(objective: Objective, shape: number, scale: Days): number {
  if (objective === "events") return 1;
  return objective === "freshness" && shape > 1 ? scale / (shape - 1) : Number.POSITIVE_INFINITY;
}

/**
 * When a visit is worth `level` (shadow price × cost ÷ value): the t at which U(t) = level. Round trip to 1e-9; allocates nothing.
 * @returns `Infinity` where it never is.
 */
export function bayesCrossing(objective: Objective, shape: number, scale: Days, level: number): Days {
  if (!(level > 0)) return 0;
  const most = bayesMost(objective, shape, scale);
  if (level >= most) return Number.POSITIVE_INFINITY;
  const unit = objective === "freshness" ? scale : objective === "events" ? 1 : scale * scale;
  const y = level / unit;
  const start = lowerBound(objective, shape, y);
  const u = 2 * level > most ? fromAbove(objective, shape, most / unit - y, start) : fromBelow(objective, shape, y, start);
  return u * scale;
}

/** The gain in units of b (freshness), 1 (events), b² (age), at u = t/b. */
function unitGain(objective: Objective, a: number, u: number): number {
  switch (objective) {
    case "freshness":
      return a * lomaxIntegral(a + 1, u);
    case "events":
      return a * (a + 1) * lomaxIntegral(a + 2, u);
    case "age":
      return isSmall(a, u) ? -series(a, u, 1) : (u * u) / 2 - lomaxIntegral(a, u);
    default:
      return objective satisfies never;
  }
}

function unitSlope(objective: Objective, a: number, u: number): number {
  const log = Math.log1p(u);
  if (objective === "age") return -u * Math.expm1(-a * log);
  return objective === "freshness" ? a * u * Math.exp(-(a + 1) * log) : a * (a + 1) * u * Math.exp(-(a + 2) * log);
}

/** `∫₀ᵘ v(1+v)^(−m) dv = E(2−m) − E(1−m)` with `E(p) = ((1+u)^p − 1)/p`, which is ln(1+u) at p = 0. */
function lomaxIntegral(m: number, u: number): number {
  if (isSmall(m, u)) return series(m, u, 0);
  const log = Math.log1p(u);
  return powerIntegral(2 - m, log) - powerIntegral(1 - m, log);
}

function powerIntegral(p: number, log: number): number {
  const z = p * log;
  return Math.abs(z) < 1e-8 ? log * (1 + z / 2) : Math.expm1(z) / p;
}

/** Below this the closed form loses digits, and the series has them after a few terms. */
function isSmall(m: number, u: number): boolean {
  return (m + 2) * u < 0.1;
}

/** `Σ (−1)^k (m)_k/k! · u^(k+2)/(k+2)` from k = `from` on. */
function series(m: number, u: number, from: number): number {
  let power = u * u;
  let sum = 0;
  for (let k = 0; k < 24; k++) {
    const term = power / (k + 2);
    if (k >= from) sum += term;
    if (Math.abs(term) < 1e-16 * Math.abs(sum)) break;
    power *= (-u * (m + k)) / (k + 1);
  }
  return sum;
}

/** Somewhere below the crossing, as near as a closed form comes: Newton from there stays below it. */
function lowerBound(objective: Objective, a: number, y: number): number {
  switch (objective) {
    case "freshness": {
      const z = (1 - a) * y;
      const far = Math.abs(z) < 1e-8 ? Math.expm1(y) : Math.expm1(Math.log1p(z) / (1 - a));
      return Math.max(Math.sqrt((2 * y) / a), Math.min(far, FURTHEST));
    }
    case "events":
      return Math.max(Math.sqrt((2 * y) / (a * (a + 1))), Math.min(Math.expm1(-Math.log1p(-y) / a), FURTHEST));
    case "age":
      return Math.max(Math.sqrt(2 * y), Math.cbrt((3 * y) / a));
    default:
      return objective satisfies never;
  }
}

/** Newton for ln U against ln u, kept between what is known to be too little and too much. */
function fromBelow(objective: Objective, a: number, y: number, start: number): number {
  let u = start;
  let least = 0;
  let most = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const gain = unitGain(objective, a, u);
    if (gain < y) least = u;
    else most = u;
    const step = (Math.log(y / gain) * gain) / (u * unitSlope(objective, a, u));
    let next = u * Math.exp(step);
    if (!(next >= least && next <= most)) next = most < Number.POSITIVE_INFINITY ? (least + most) / 2 : u * 2;
    if (Math.abs(next - u) <= CLOSE * u) return next;
    u = next;
  }
  return u;
}

/** Newton for the logarithm of what is missing to the most, against ln(1+u): nearly a straight line where the gain saturates. */
function fromAbove(objective: Objective, a: number, missing: number, start: number): number {
  let log = Math.log1p(start);
  let least = 0;
  let most = LOG_FURTHEST;
  const target = Math.log(missing);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const u = Math.expm1(log);
    const share = u / (1 + u);
    // freshness: (1+u)^(1−a) · (1/(a−1) + u/(1+u)); events: (1+u)^(−a) · (1 + a·u/(1+u))
    const fresh = objective === "freshness";
    const inner = fresh ? 1 / (a - 1) + share : 1 + a * share;
    const off = (fresh ? 1 - a : -a) * log + Math.log(inner) - target;
    if (off > 0) least = log;
    else most = log;
    const slope = (fresh ? 1 - a : -a) + ((fresh ? 1 : a) * (1 - share)) / inner;
    let next = log - off / slope;
    if (!(next >= least && next <= most)) next = (least + most) / 2;
    if (Math.abs(next - log) <= CLOSE * log) return Math.expm1(next);
    log = next;
  }
  return Math.expm1(log);
}

const MOST_ROUNDS = 60;
/** Newton doubles the digits: the step after this one is below 1e-12. */
const CLOSE = 1e-6;
/** e^700 is the end of a double; times b it is longer than anything is waited for. */
const LOG_FURTHEST = 700;
const FURTHEST = Math.exp(LOG_FURTHEST);
