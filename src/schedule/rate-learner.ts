import { CANDIDATES, EstimatorChoice } from "./estimator-choice.ts";
import type { Days } from "./objective.ts";
import { type ClassNumber, FIRST_BELIEF, RateClasses } from "./rate-classes.ts";
import { beliefOf, keptShare, type RateBelief } from "./rate-estimator.ts";
import type { PageNumber } from "./visit-policy.ts";

/**
 * What is believed of the change rate of every page: two 32-bit floats and a class a page, learned from its visits, its class's prior
 * and the estimator that foretells that class best. All work per visit is O(1); `refit` is bounded by the sample.
 */
export class RateLearner {
  readonly classes = new RateClasses(FIRST_BELIEF);
  readonly #shapes: Float32Array;
  readonly #days: Float32Array;
  readonly #classOf: Int32Array;
  /** Pages whose visits decide about priors and estimators, and their place in the sample. */
  readonly #sample: PageNumber[] = [];
  readonly #places = new Map<PageNumber, number>();
  readonly #choice: EstimatorChoice;
  readonly #chosen: number[] = [];
  readonly #evidence: RateBelief = { shape: 0, days: 0 };
  readonly #belief: RateBelief = { shape: 0, days: 0 };

  /** @param pages most pages there will be. */
  constructor(pages: number) {
    this.#shapes = new Float32Array(pages);
    this.#days = new Float32Array(pages);
    this.#classOf = new Int32Array(pages);
    this.#choice = new EstimatorChoice(Math.min(pages, MOST_SAMPLED));
  }

  /** Says which class a page belongs to, before its first visit. The first pages that come make the sample. */
  join(page: PageNumber, of: ClassNumber): void {
    this.#classOf[page] = of;
    if (this.#sample.length >= MOST_SAMPLED || this.#places.has(page)) return;
    this.#places.set(page, this.#sample.length);
    this.#sample.push(page);
  }

  /** What is believed of a page now, in an object that the next call overwrites. */
  belief(page: PageNumber): Readonly<RateBelief> {
    return beliefOf(this.classes.prior(this.#classOf[page]), this.#load(page), this.#belief);
  }

  /** Mean change rate, per day. */
  rate(page: PageNumber): number {
    const { shape, days } = this.belief(page);
    return shape / days;
  }

  learn(page: PageNumber, span: Days, changed: boolean): void {
    const prior = this.classes.prior(this.#classOf[page]);
    const place = this.#places.get(page);
    if (place !== undefined) this.#choice.score(place, 0, prior, span, changed);
    const { estimator, memory } = CANDIDATES[this.#chosen[0] ?? 0];
    const evidence = this.#load(page);
    estimator.learn(evidence, prior, span, changed, keptShare(span, memory));
    this.#shapes[page] = evidence.shape;
    this.#days[page] = evidence.days;
  }

  /** Fits the classes' priors to what the sample has taught, and chooses the estimator. Once a day is often enough. */
  refit(): void {
    this.classes.beginFit();
    for (const page of this.#sample) this.classes.add(this.#classOf[page], this.belief(page));
    this.classes.endFit();
    this.#chosen[0] = this.#choice.best(0, this.#chosen[0] ?? 0);
  }

  get chosen(): number {
    return this.#chosen[0] ?? 0;
  }

  #load(page: PageNumber): RateBelief {
    this.#evidence.shape = this.#shapes[page];
    this.#evidence.days = this.#days[page];
    return this.#evidence;
  }
}

const MOST_SAMPLED = 4096;
