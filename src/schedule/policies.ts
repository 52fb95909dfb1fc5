import { bayesCrossing, bayesGain } from "./bayes-gain.ts";
import type { Days, Objective } from "./objective.ts";
import { plainCrossing, plainGain } from "./plain-priority.ts";
import type { RateLearner } from "./rate-learner.ts";
import type { PageNumber, VisitPolicy } from "./visit-policy.ts";

/** Weight of a page and price of a visit to it. */
export interface PageWorth {
  readonly values: ArrayLike<number>;
  readonly costs: ArrayLike<number>;
}

/** The default: the mean gain over what is believed of the page, `(w/c)·U` (spec C6). */
export function indexPolicy(learner: RateLearner, objective: Objective, { values, costs }: PageWorth): VisitPolicy {
  return {
    priced: true,
    index(page, since) {
      const { shape, days } = learner.belief(page);
      return (values[page] / costs[page]) * bayesGain(objective, shape, days, since);
    },
    crossing(page, price) {
      const { shape, days } = learner.belief(page);
      return bayesCrossing(objective, shape, days, (price * costs[page]) / values[page]);
    },
    learn: (page, span, changed) => learner.learn(page, span, changed),
  };
}

/** The plain formula of spec C5 with the mean rate. */
export function plainPolicy(learner: RateLearner, interval: Days, { values, costs }: PageWorth): VisitPolicy {
  return {
    priced: true,
    index: (page, since) => (values[page] / costs[page]) * plainGain(learner.rate(page), since, interval),
    crossing: (page, price) => plainCrossing(learner.rate(page), (price * costs[page]) / values[page], interval),
    learn: (page, span, changed) => learner.learn(page, span, changed),
  };
}

/** Every page equally often, the longest unvisited first. */
export function uniformPolicy(): VisitPolicy {
  return { priced: true, index: (_page, since) => since, crossing: (_page, price) => price, learn: () => undefined };
}

/** Visits in proportion to mean change rates. */
export function proportionalPolicy(learner: RateLearner): VisitPolicy {
  return {
    priced: true,
    index: (page, since) => learner.rate(page) * since,
    crossing: (page, price) => price / learner.rate(page),
    learn: (page, span, changed) => learner.learn(page, span, changed),
  };
}

/**
 * The constant-factor rule: a page's interval grows by 1.4 when a visit found no change and shrinks by 0.8 when it found one; the most
 * overdue is visited first, and none before it is due. Source: scheduling.md §1 (Nutch's AdaptiveFetchSchedule).
 * @param first interval of a page that was never visited.
 */
export function adaptivePolicy(pages: number, first: Days): VisitPolicy {
  const intervals = new Float32Array(pages).fill(first);
  return {
    priced: false,
    index: (page: PageNumber, since: Days) => since / intervals[page],
    crossing: (page: PageNumber) => intervals[page],
    learn(page, _span, changed) {
      intervals[page] = Math.min(LONGEST, Math.max(SHORTEST, intervals[page] * (changed ? 0.8 : 1.4)));
    },
  };
}

/** A minute, and a year. */
const SHORTEST: Days = 1 / 1440;
const LONGEST: Days = 365;
