import { digamma, trigamma } from "./gamma-function.ts";
import type { RateBelief } from "./rate-estimator.ts";

/** Three sums over the pages of a class: enough for the gamma that fits their rates best. */
export class RateSums {
  pages = 0;
  rates = 0;
  logRates = 0;

  clear(): void {
    this.pages = 0;
    this.rates = 0;
    this.logRates = 0;
  }

  /** Adds a page, or `weight` pages, of which this is believed: E[D] = a/b, E[ln D] = ψ(a) − ln b. */
  add(belief: Readonly<RateBelief>, weight = 1): void {
    this.pages += weight;
    this.rates += (weight * belief.shape) / belief.days;
    this.logRates += weight * (digamma(belief.shape) - Math.log(belief.days));
  }

  addSums(other: RateSums): void {
    this.pages += other.pages;
    this.rates += other.rates;
    this.logRates += other.logRates;
  }

  /** Sets `prior` to the gamma with these means of D and ln D (the M-step of EM). Unchanged without pages. */
  fit(prior: RateBelief): void {
    if (!(this.pages > 0)) return;
    const mean = this.rates / this.pages;
    const shape = shapeOf(Math.log(mean) - this.logRates / this.pages);
    prior.shape = shape;
    prior.days = shape / mean;
  }
}

/**
 * Solves `ln a − ψ(a) = spread` by Newton on ln a. Bounded: a class is never believed to be more alike, or more mixed, than that.
 * Source: Minka 2002, "Estimating a Gamma distribution" (start value).
 */
export function shapeOf(spread: number): number {
  if (!(spread > 0)) return MOST_SHAPE;
  let a = (3 - spread + Math.sqrt((spread - 3) ** 2 + 24 * spread)) / (12 * spread);
  for (let round = 0; round < 20; round++) {
    const step = (Math.log(a) - digamma(a) - spread) / (1 - a * trigamma(a));
    a *= Math.exp(-step);
    if (Math.abs(step) < 1e-10) break;
  }
  return Math.min(MOST_SHAPE, Math.max(LEAST_SHAPE, a));
}

const LEAST_SHAPE = 0.05;
const MOST_SHAPE = 20;
