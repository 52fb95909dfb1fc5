import type { Days } from "./objective.ts";

/**
 * A belief about a change rate: gamma distributed with this shape and so many days behind it; mean shape ÷ days, per day.
 * Read it as "so many changes seen in so many days".
 */
export interface RateBelief {
  shape: number;
  days: Days;
}

/** What a page's own visits add to its class's belief. Two numbers a page, kept as 32-bit floats; zero for a page never visited. */
export type RateEvidence = RateBelief;

export type EstimatorName = "gamma" | "shrunk" | "em-count";

/**
 * Learns a change rate from visits that each say one thing: changed since the last visit, or not (censored: not how often).
 * The belief is always prior + evidence, so a prior that moves later moves every page of its class, and estimators can be exchanged
 * without touching what pages have learned.
 */
export interface RateEstimator {
  readonly name: EstimatorName;
  /**
   * Takes one visit into `evidence`, in place. Never allocates.
   * @param span days since the last visit, above 0.
   * @param kept share of the old evidence that still counts, `e^(−span/H)` for a half-forgetting of H days.
   */
  learn(evidence: RateEvidence, prior: Readonly<RateBelief>, span: Days, changed: boolean, kept: number): void;
}

/** How much of the evidence is left after `span` days, when it fades with the time constant `memory`. Source: scheduling.md §3. */
export function keptShare(span: Days, memory: Days): number {
  return Math.exp(-span / memory);
}

/** `P(changed within span)` under the belief: `1 − (1 + span/b)^(−a)`. */
export function changeChance(belief: Readonly<RateBelief>, span: Days): number {
  return -Math.expm1(-belief.shape * Math.log1p(span / belief.days));
}

/**
 * The exact posterior of "no change", and for "a change" the gamma with its exact mean and variance (assumed density filtering):
 * with `q = ln(1 + s/b)` and `E_k = 1 − e^(−(a+k)q)`, mean `(a/b)·E₁/E₀`, second moment `a(a+1)/b²·E₂/E₀`. Source: scheduling.md §3.
 */
export const gammaEstimator: RateEstimator = {
  name: "gamma",
  learn(evidence, prior, span, changed, kept) {
    forget(evidence, kept);
    if (!changed) {
      evidence.days += span;
      return;
    }
    const a = Math.max(LEAST_SHAPE, prior.shape + evidence.shape);
    const b = Math.max(LEAST_DAYS, prior.days + evidence.days);
    const q = Math.log1p(span / b);
    const e0 = Math.expm1(-a * q);
    const mean = ((a / b) * Math.expm1(-(a + 1) * q)) / e0;
    const second = (((a * (a + 1)) / (b * b)) * Math.expm1(-(a + 2) * q)) / e0;
    const variance = second - mean * mean;
    evidence.shape = (mean * mean) / variance - prior.shape;
    evidence.days = mean / variance - prior.days;
  },
};

/** Changes seen over days watched. Low for pages that change oftener than they are visited, and hard to upset. */
export const shrunkEstimator: RateEstimator = {
  name: "shrunk",
  learn(evidence, _prior, span, changed, kept) {
    forget(evidence, kept);
    evidence.days += span;
    if (changed) evidence.shape += 1;
  },
};

/** As the shrunk one, but a change counts for as many as are expected to hide behind it: `λs / (1 − e^(−λs))`. Source: scheduling.md §3. */
export const emCountEstimator: RateEstimator = {
  name: "em-count",
  learn(evidence, prior, span, changed, kept) {
    forget(evidence, kept);
    if (changed) {
      const hidden = (Math.max(LEAST_SHAPE, prior.shape + evidence.shape) / Math.max(LEAST_DAYS, prior.days + evidence.days)) * span;
      evidence.shape += hidden < 1e-9 ? 1 : hidden / -Math.expm1(-hidden);
    }
    evidence.days += span;
  },
};

/**
 * A visit whose `Last-Modified` is trusted says when the last change was: with its age T below the span the belief becomes
 * (a+1, b+T), else (a, b+span). Exact. Source: Cho & Garcia-Molina, TOIT 3(3) 2003.
 */
export function learnDated(evidence: RateEvidence, span: Days, changeAge: Days, kept: number): void {
  forget(evidence, kept);
  if (changeAge < span) evidence.shape += 1;
  evidence.days += Math.min(changeAge, span);
}

/** The belief about a page: its class's and what its own visits add. Written into `into`, so that nothing is allocated. */
export function beliefOf(prior: Readonly<RateBelief>, evidence: Readonly<RateEvidence>, into: RateBelief): RateBelief {
  into.shape = Math.max(LEAST_SHAPE, prior.shape + evidence.shape);
  into.days = Math.max(LEAST_DAYS, prior.days + evidence.days);
  return into;
}

function forget(evidence: RateEvidence, kept: number): void {
  evidence.shape *= kept;
  evidence.days *= kept;
}

/** Rounding, or a prior that moved, must not make a belief impossible. */
const LEAST_SHAPE = 1e-3;
const LEAST_DAYS = 1e-6;
