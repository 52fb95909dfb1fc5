import type { Days } from "./objective.ts";
import type { RateBelief } from "./rate-estimator.ts";
import { RateSums } from "./rate-prior.ts";

/** Number of a class; 0 holds every page. */
export type ClassNumber = number;

interface RateClass {
  readonly parent: ClassNumber;
  readonly prior: RateBelief;
  readonly sums: RateSums;
}

/**
 * What is believed of a page before it was ever visited: a tree of classes (all pages, a host, a page type of that host), each with a
 * gamma fitted to its pages' beliefs. A class with few pages leans on its parent, as if it had `LEAN` pages more that are like the
 * parent's; a new one inherits. Bounded: what finds no room shares its parent. Source: spec C3, scheduling.md §3.
 */
export class RateClasses {
  readonly #classes: RateClass[];
  readonly #names = new Map<string, ClassNumber>();
  readonly #start: RateBelief;

  /** @param start what is believed before anything was seen. */
  constructor(start: Readonly<RateBelief>) {
    this.#start = { ...start };
    this.#classes = [{ parent: 0, prior: { ...start }, sums: new RateSums() }];
  }

  get size(): number {
    return this.#classes.length;
  }

  /** The class of this name within `parent`; the parent itself when there is no more room. */
  within(parent: ClassNumber, name: string): ClassNumber {
    const key = `${parent}\n${name}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    if (this.#classes.length >= MOST_CLASSES) return parent;
    this.#classes.push({ parent, prior: { ...this.#classes[parent].prior }, sums: new RateSums() });
    this.#names.set(key, this.#classes.length - 1);
    return this.#classes.length - 1;
  }

  parentOf(id: ClassNumber): ClassNumber {
    return this.#classes[id].parent;
  }

  prior(id: ClassNumber): Readonly<RateBelief> {
    return this.#classes[id].prior;
  }

  /** Begins a fit; then `add` every page of the sample, then `endFit`. */
  beginFit(): void {
    for (const { sums } of this.#classes) sums.clear();
  }

  add(id: ClassNumber, belief: Readonly<RateBelief>): void {
    this.#classes[id].sums.add(belief);
  }

  endFit(): void {
    const classes = this.#classes;
    for (let id = classes.length - 1; id > 0; id--) classes[classes[id].parent].sums.addSums(classes[id].sums);
    for (let id = 0; id < classes.length; id++) {
      const { parent, prior, sums } = classes[id];
      if (id === 0) sums.add(this.#start, START_WEIGHT);
      else sums.add(classes[parent].prior, LEAN);
      sums.fit(prior);
    }
  }
}

/** 100 bytes each; beyond, hosts share what is known of all. */
const MOST_CLASSES = 20_000;
/** Pages of the parent's kind that a class counts on top of its own. Source: guess. */
const LEAN = 8;
/** So many pages does the first guess weigh. Source: guess. */
const START_WEIGHT = 2;

/** Before anything was seen: rates from one in hours to one in years are possible, once in 20 days is the mean. Source: guess. */
export const FIRST_BELIEF: Readonly<{ shape: number; days: Days }> = { shape: 0.5, days: 10 };
