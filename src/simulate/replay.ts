import type { Days } from "../schedule/objective.ts";
import type { RateLearner } from "../schedule/rate-learner.ts";
import type { VisitPolicy } from "../schedule/visit-policy.ts";
import { VisitQueue } from "../schedule/visit-queue.ts";
import type { ChangeSource } from "./change-source.ts";

export interface ReplayOptions {
  readonly policy: VisitPolicy;
  /** Fits its priors once a day; null for a policy that learns nothing. */
  readonly learner: RateLearner | null;
  readonly source: ChangeSource;
  /** `[page]` from when on it exists, ascending is not needed. */
  readonly born: Float64Array;
  readonly values: ArrayLike<number>;
  readonly costs: ArrayLike<number>;
  /** Cost units per day. */
  readonly budget: number;
  readonly span: Days;
  /** Freshness is measured from here on. */
  readonly measureFrom: Days;
  readonly maxAge: Days | null;
}

/** What a replay has come to. Counts are of the whole replay, freshness of the part that is measured. */
export interface ReplayResult {
  readonly visits: number;
  readonly cost: number;
  /** 0–1, by value and time; null when no page existed. */
  readonly freshness: number | null;
  readonly changesCaught: number;
  readonly changes: number;
}

/** Spends a budget evenly on pages that change, and measures what that gives. The same input gives the same result. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #queue: VisitQueue;
  /** Pages by the instant from which they exist. */
  readonly #births: Uint32Array;
  #nextBirth = 0;
  #now: Days = 0;
  #opened = false;
  #fitted: Days = 0;
  #visits = 0;
  #cost = 0;
  #caught = 0;
  #changes = 0;
  #fresh = 0;
  #watched = 0;

  constructor(options: ReplayOptions) {
    const { policy, born, budget, costs, maxAge } = options;
    this.#options = options;
    this.#queue = new VisitQueue(policy, born.length, { budget, costs, maxAge });
    this.#births = Uint32Array.from(born.keys()).sort((a, b) => born[a] - born[b] || a - b);
  }

  get now(): Days {
    return this.#now;
  }
  get price(): number {
    return this.#queue.price;
  }

  /** Goes on for at most so many visits. @returns whether it has come to the end. */
  run(most: number): boolean {
    const { span, budget, costs, policy } = this.#options;
    for (let done = 0; done < most && this.#now < span; done++) {
      this.#bear();
      this.#fit();
      const page = this.#queue.take(this.#now);
      if (page < 0) {
        this.#skip();
        continue;
      }
      const last = this.#queue.lastVisit(page);
      if (this.#now > last) {
        const { changed } = this.#account(page, last, this.#now);
        this.#visits++;
        this.#cost += costs[page];
        if (changed) this.#caught++;
        policy.learn(page, this.#now - last, changed);
      }
      this.#queue.visited(page, this.#now);
      this.#now += costs[page] / budget;
    }
    if (this.#now < span) return false;
    this.#end();
    return true;
  }

  result(): ReplayResult {
    return {
      visits: this.#visits,
      cost: this.#cost,
      freshness: this.#watched > 0 ? this.#fresh / this.#watched : null,
      changesCaught: this.#caught,
      changes: this.#changes,
    };
  }

  #account(page: number, from: Days, to: Days): { readonly changed: boolean } {
    const { source, values, measureFrom } = this.#options;
    const seen = source.visit(page, from, to, measureFrom);
    this.#changes += seen.changes;
    this.#fresh += values[page] * seen.fresh;
    this.#watched += values[page] * Math.max(0, to - Math.max(from, measureFrom));
    return seen;
  }

  #bear(): void {
    const { born } = this.#options;
    for (; this.#nextBirth < born.length && born[this.#births[this.#nextBirth]] <= this.#now; this.#nextBirth++) {
      const page = this.#births[this.#nextBirth];
      this.#queue.add(page, born[page]);
    }
    if (!this.#opened && this.#queue.size > 0) {
      this.#opened = true;
      this.#queue.reprice();
    }
  }

  #fit(): void {
    if (this.#now < this.#fitted + 1) return;
    this.#fitted = this.#now;
    this.#options.learner?.refit();
    if (this.#opened) this.#queue.reprice();
  }

  /** To the next instant at which anything is due. */
  #skip(): void {
    const { born, span } = this.#options;
    const birth = this.#nextBirth < born.length ? born[this.#births[this.#nextBirth]] : span;
    this.#now = Math.min(span, birth, Math.max(this.#queue.nextAt, this.#now + 1e-6));
  }

  /** What happened between each page's last visit and the end. */
  #end(): void {
    const { born, span } = this.#options;
    for (let at = 0; at < this.#nextBirth; at++) {
      const page = this.#births[at];
      this.#account(page, this.#queue.lastVisit(page), span);
    }
    for (; this.#nextBirth < born.length && born[this.#births[this.#nextBirth]] < span; this.#nextBirth++)
      this.#account(this.#births[this.#nextBirth], born[this.#births[this.#nextBirth]], span);
  }
}
