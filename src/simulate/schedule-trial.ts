import { knownCrossing, knownGain, secondArrival } from "../schedule/known-gain.ts";
import type { Days, Objective } from "../schedule/objective.ts";
import { adaptivePolicy, indexPolicy, plainPolicy, proportionalPolicy, uniformPolicy } from "../schedule/policies.ts";
import { RateLearner } from "../schedule/rate-learner.ts";
import { bestFrequencies } from "../schedule/rate-optimum.ts";
import { type RatedPage, steadyState } from "../schedule/steady-state.ts";
import type { PageNumber, VisitPolicy } from "../schedule/visit-policy.ts";
import { ChangingPages } from "./changing-pages.ts";
import { type Population, type PopulationName, population } from "./populations.ts";
import { seededRandom } from "./random.ts";
import { Replay } from "./replay.ts";
import { WorthByBand } from "./worth-by-band.ts";

export type TrialPolicy = "known" | "index" | "c5" | "uniform" | "proportional" | "adaptive";

export interface Trial {
  readonly population: PopulationName;
  readonly pages: number;
  /** Visits per page and day that the budget pays at mean cost. */
  readonly pace: number;
  readonly objective: Objective;
  readonly seed: number;
  /** Days at which bands of measuring begin, and the last one ends; ascending. */
  readonly edges: readonly Days[];
  /** Whether the start is the optimum's steady state; else every copy is right at the start. */
  readonly settled: boolean;
  /** Days after which a page takes a new rate, on average; null: never. */
  readonly jumps: Days | null;
}

/** What a policy gave in each band: freshness 0–1, states seen per day, or mean age in days; by value. */
export function runTrial(trial: Trial, name: TrialPolicy): readonly number[] {
  const random = seededRandom(trial.seed);
  const pages = population(trial.population, trial.pages, random);
  const budget = trial.pace * pages.costs.reduce((sum, cost) => sum + cost, 0);
  const { edges, jumps } = trial;
  const source = new ChangingPages(pages.rates, random, edges[0], jumps === null ? null : { every: jumps, rate: pages.draw });
  const worth = new WorthByBand(source, pages.values, trial.objective, edges);
  const learner = new RateLearner(trial.pages);
  for (let page = 0; page < trial.pages; page++) learner.join(page, 0);
  const span = edges[edges.length - 1];
  const replay = new Replay({
    policy: policyOf(name, trial, pages, learner, source, budget),
    learner: name === "known" || name === "uniform" || name === "adaptive" ? null : learner,
    source: jumps === null ? worth : source,
    born: trial.settled ? settledBirths(trial, pages, budget, source) : new Float64Array(trial.pages),
    values: pages.values,
    costs: pages.costs,
    budget,
    span,
    measureFrom: edges[0],
    maxAge: null,
  });
  while (!replay.run(1_000_000));
  return jumps === null ? worth.result() : [replay.result().freshness ?? 0];
}

/** What the best even spacing gives with known rates: {@link runTrial}'s number for ever. */
export function bestOf(trial: Trial): number {
  const { rates, values, costs } = population(trial.population, trial.pages, seededRandom(trial.seed));
  const budget = trial.pace * costs.reduce((sum, cost) => sum + cost, 0);
  const pages: RatedPage[] = Array.from(rates, (rate, page) => ({ rate, value: values[page], cost: costs[page] }));
  const { frequencies } = bestFrequencies(trial.objective, pages, budget);
  let sum = 0;
  let weight = 0;
  pages.forEach(({ rate, value }, page) => {
    sum += value * steadyState(trial.objective, rate, frequencies[page]);
    weight += value;
  });
  return sum / weight;
}

/**
 * Freshness (0–1) in the last band when every rate is known at every moment, jumps included: four times a day the pages with the
 * greatest index are visited, as far as the budget goes.
 */
export function oracleFreshness(trial: Trial): number {
  const random = seededRandom(trial.seed);
  const pages = population(trial.population, trial.pages, random);
  const { rates, values, costs, draw } = pages;
  const budget = trial.pace * costs.reduce((sum, cost) => sum + cost, 0);
  const from = trial.edges[trial.edges.length - 2];
  const source = new ChangingPages(rates, random, from, trial.jumps === null ? null : { every: trial.jumps, rate: draw });
  const index = new Float64Array(trial.pages);
  const order = Uint32Array.from(index.keys());
  let purse = 0;
  let fresh = 0;
  const span = trial.edges[trial.edges.length - 1];
  for (let now = TICK; now <= span; now += TICK) {
    purse += budget * TICK;
    for (let page = 0; page < trial.pages; page++) {
      const rate = source.rateAt(page, now);
      index[page] = ((values[page] / costs[page]) * secondArrival(source.hazard(page))) / rate;
    }
    order.sort((a, b) => index[b] - index[a]);
    for (let at = 0; at < order.length && purse >= costs[order[at]]; at++) {
      purse -= costs[order[at]];
      fresh += values[order[at]] * source.visit(order[at], 0, now, 0).fresh;
    }
  }
  for (let page = 0; page < trial.pages; page++) fresh += values[page] * source.visit(page, 0, span, 0).fresh;
  return fresh / values.reduce((sum, value) => sum + value, 0) / (span - from);
}

/** Last visits as the optimum would have left them, spread evenly over each page's interval. What it never visits is stale. */
function settledBirths(trial: Trial, { rates, values, costs }: Population, budget: number, source: ChangingPages): Float64Array {
  const pages = Array.from(rates, (rate, page) => ({ rate, value: values[page], cost: costs[page] }));
  const { frequencies } = bestFrequencies(trial.objective, pages, budget);
  return Float64Array.from(frequencies, (frequency, page) => {
    const since = frequency > 0 ? ((page * 0.6180339887498949) % 1) / frequency : 100 / rates[page];
    source.age(page, since);
    return -since;
  });
}

function policyOf(
  name: TrialPolicy,
  { objective, pages }: Trial,
  { values, costs }: Population,
  learner: RateLearner,
  source: ChangingPages,
  budget: number,
): VisitPolicy {
  switch (name) {
    case "known":
      return knownPolicy(objective, source, values, costs);
    case "index":
      return indexPolicy(learner, objective, { values, costs });
    case "c5":
      return plainPolicy(learner, 1, { values, costs });
    case "uniform":
      return uniformPolicy();
    case "proportional":
      return proportionalPolicy(learner);
    case "adaptive":
      return adaptivePolicy(pages, costs.reduce((sum, cost) => sum + cost, 0) / budget);
    default:
      return name satisfies never;
  }
}

/** The index with the rates that the source has now: what no learner can beat by much. */
function knownPolicy(objective: Objective, source: ChangingPages, values: Float64Array, costs: Float64Array): VisitPolicy {
  return {
    priced: true,
    index: (page: PageNumber, since) => (values[page] / costs[page]) * knownGain(objective, source.rates[page], since),
    crossing: (page, price) => knownCrossing(objective, source.rates[page], (price * costs[page]) / values[page]),
    learn: () => undefined,
  };
}

/** A quarter of a day. Source: scheduling.md §2.2. */
const TICK: Days = 0.25;
