import type { Days } from "./objective.ts";
import {
  beliefOf,
  changeChance,
  emCountEstimator,
  gammaEstimator,
  keptShare,
  type RateBelief,
  type RateEstimator,
  shrunkEstimator,
} from "./rate-estimator.ts";

/** An estimator with a memory (time constant of forgetting). */
export interface Candidate {
  readonly estimator: RateEstimator;
  readonly memory: Days;
}

/** The first is the one used until another has proved better. Source: scheduling.md §3 (180 days). */
export const CANDIDATES: readonly Candidate[] = [180, 60, 720].flatMap((memory) =>
  [gammaEstimator, emCountEstimator, shrunkEstimator].map((estimator) => ({ estimator, memory })),
);

/**
 * Which estimator foretells best: each candidate keeps evidence of its own for a sample of pages and is charged −ln of the chance it
 * gave to what was then seen (prequential log-loss). The sample is bounded; 8 bytes a page and candidate.
 */
export class EstimatorChoice {
  readonly #shapes: Float32Array;
  readonly #days: Float32Array;
  readonly #losses = new Map<number, Float64Array>();
  readonly #evidence: RateBelief = { shape: 0, days: 0 };
  readonly #belief: RateBelief = { shape: 0, days: 0 };

  /** @param places pages of the sample. */
  constructor(places: number) {
    this.#shapes = new Float32Array(places * CANDIDATES.length);
    this.#days = new Float32Array(places * CANDIDATES.length);
  }

  /** Lets every candidate foretell one visit to the page at `place`, and learn from it. `of`: the class that is charged. */
  score(place: number, of: number, prior: Readonly<RateBelief>, span: Days, changed: boolean): void {
    let losses = this.#losses.get(of);
    if (losses === undefined) {
      losses = new Float64Array(CANDIDATES.length);
      this.#losses.set(of, losses);
    }
    for (let i = 0; i < CANDIDATES.length; i++) {
      const at = place * CANDIDATES.length + i;
      const { estimator, memory } = CANDIDATES[i];
      const evidence = this.#evidence;
      evidence.shape = this.#shapes[at];
      evidence.days = this.#days[at];
      const chance = Math.min(1 - 1e-9, Math.max(1e-9, changeChance(beliefOf(prior, evidence, this.#belief), span)));
      losses[i] = losses[i] * FADE - Math.log(changed ? chance : 1 - chance);
      estimator.learn(evidence, prior, span, changed, keptShare(span, memory));
      this.#shapes[at] = evidence.shape;
      this.#days[at] = evidence.days;
    }
  }

  /** The candidate with the least loss in this class; `now` keeps its place unless another is ahead by {@link LEAD} nats. */
  best(of: number, now: number): number {
    const losses = this.#losses.get(of);
    if (losses === undefined) return now;
    let best = 0;
    for (let i = 1; i < losses.length; i++) if (losses[i] < losses[best]) best = i;
    return losses[best] + LEAD < losses[now] ? best : now;
  }
}

/** The last 2,000 visits or so decide: a class may change its ways. Source: guess. */
const FADE = 1 - 1 / 2000;
/** A lead of e^3 to one is no accident. Source: the gate of scheduling.md §2.6 (2 nats) and a margin. */
const LEAD = 3;
