import type { Days } from "./objective.ts";
import { priceThatSpends } from "./rate-optimum.ts";
import { VisitHeap } from "./visit-heap.ts";
import type { PageNumber, VisitPolicy } from "./visit-policy.ts";

export interface VisitQueueOptions {
  /** Cost units per day. */
  readonly budget: number;
  /** Cost of a visit, by page. */
  readonly costs: ArrayLike<number>;
  /** No page waits longer; null: as long as its index says. */
  readonly maxAge: Days | null;
}

/**
 * Pages in the order of the instants at which a visit is worth the price. The caller asks for one whenever it can pay one. Where
 * nothing is due the next is pulled ahead, so that the budget is spent, and the price falls; where more is due than can be paid, the
 * best go first, and the price rises. A page's due instant is worked out when it is visited, when it comes up, and with each new
 * price of `reprice`. Exact and simple, for replays; 20 bytes a page. Source: scheduling.md §3 (pull-ahead, backlog).
 */
export class VisitQueue {
  readonly #policy: VisitPolicy;
  readonly #options: VisitQueueOptions;
  /** By due instant, in days. */
  readonly #waiting = new VisitHeap();
  /** Due, greatest index first (the key is its negative). */
  readonly #ready = new VisitHeap();
  readonly #lastVisit: Float64Array;
  #readyCost = 0;
  #ahead: Days = 0;
  #price = 0;
  /** Price that spends the budget ÷ price that beliefs say would. */
  #correction = 1;
  /** Taken from `#ready` since its order was last worked out. */
  #taken = 0;
  readonly #members: PageNumber[] = [];

  constructor(policy: VisitPolicy, pages: number, options: VisitQueueOptions) {
    this.#policy = policy;
    this.#options = options;
    this.#lastVisit = new Float64Array(pages);
  }

  /** The shadow price: index of a visit that is just worth making; per cost unit. */
  get price(): number {
    return this.#price;
  }
  get size(): number {
    return this.#members.length;
  }
  lastVisit(page: PageNumber): Days {
    return this.#lastVisit[page];
  }
  /** When the first page that waits comes up. */
  get nextAt(): Days {
    return this.#ready.size > 0 ? Number.NEGATIVE_INFINITY : this.#waiting.firstKey;
  }

  /** A page of which we have a right copy since `at`. */
  add(page: PageNumber, at: Days): void {
    this.#lastVisit[page] = at;
    this.#members.push(page);
    if (this.#price > 0) this.#wait(page);
    else this.#waiting.push(at, page, 0);
  }

  /**
   * Sets the price so that the pages' present beliefs would spend the budget, times what experience says. To be called before the first
   * visit and then about once a day: beliefs move, and pages come.
   */
  reprice(): void {
    const model = this.#modelPrice();
    this.#price = model * this.#correction;
    // Where the price has fallen, or a belief about a whole class has moved, pages are due earlier than they were.
    const pages: PageNumber[] = [];
    for (; this.#waiting.size > 0; this.#waiting.drop()) pages.push(this.#waiting.first);
    for (const page of pages) this.#wait(page);
  }

  #modelPrice(): number {
    const { budget, costs, maxAge } = this.#options;
    const step = Math.max(1, Math.floor(this.#members.length / SAMPLED));
    const near = this.#price > 0 ? this.#price / this.#correction : null;
    return priceThatSpends(
      budget,
      (price) => {
        let spent = 0;
        for (let i = 0; i < this.#members.length; i += step) {
          const wait = this.#policy.crossing(this.#members[i], price);
          spent += (step * costs[this.#members[i]]) / Math.min(wait, maxAge ?? Number.POSITIVE_INFINITY);
        }
        return spent;
      },
      near,
    );
  }

  /** The page to visit now, taken out of the queue; -1 when there is none, or none that is due of a policy that does not pull ahead. */
  take(now: Days): PageNumber {
    this.#collect(now);
    this.#ahead = 0;
    while (this.#ready.size > 0) {
      if (++this.#taken * 8 >= this.#ready.size) this.#reorder(now);
      const page = this.#ready.first;
      this.#ready.drop();
      this.#readyCost -= this.#options.costs[page];
      // The price may have risen since it came up.
      if (this.#dueAt(page) <= now) return page;
      this.#wait(page);
    }
    return this.#policy.priced ? this.#pullAhead(now) : -1;
  }

  /** Puts a page back that was taken, and moves the price by how early or late this visit was. */
  visited(page: PageNumber, now: Days): void {
    this.#lastVisit[page] = now;
    if (this.#policy.priced) {
      const spent = this.#options.costs[page] / this.#options.budget;
      const late = this.#readyCost / this.#options.budget - this.#ahead;
      const round = this.#members.length * spent;
      const change = Math.exp((spent / round) * PACE * Math.max(-1, Math.min(1, late / (round * TOLERATED))));
      this.#correction *= change;
      this.#price *= change;
    }
    this.#wait(page);
  }

  #dueAt(page: PageNumber): Days {
    const wait = this.#policy.crossing(page, this.#price);
    return this.#lastVisit[page] + (this.#options.maxAge === null ? wait : Math.min(wait, this.#options.maxAge));
  }

  #wait(page: PageNumber): void {
    this.#waiting.push(this.#dueAt(page), page, 0);
  }

  #collect(now: Days): void {
    while (this.#waiting.firstKey <= now) {
      const page = this.#waiting.first;
      this.#waiting.drop();
      const due = this.#dueAt(page);
      if (due > now) this.#waiting.push(due, page, 0);
      else {
        this.#ready.push(-this.#policy.index(page, now - this.#lastVisit[page]), page, 0);
        this.#readyCost += this.#options.costs[page];
      }
    }
  }

  /** What waits for its turn grows at different speeds: from time to time the order is worked out again. */
  #reorder(now: Days): void {
    this.#taken = 0;
    const pages: PageNumber[] = [];
    for (; this.#ready.size > 0; this.#ready.drop()) pages.push(this.#ready.first);
    for (const page of pages) this.#ready.push(-this.#policy.index(page, now - this.#lastVisit[page]), page, 0);
  }

  /** The page that would be due next. Its instant was worked out at an older price: it is checked, against a few others. */
  #pullAhead(now: Days): PageNumber {
    for (let round = 0; round < MOST_CHECKED && this.#waiting.size > 0; round++) {
      const page = this.#waiting.first;
      this.#waiting.drop();
      const due = this.#dueAt(page);
      if (due <= this.#waiting.firstKey || round === MOST_CHECKED - 1) {
        this.#ahead = Math.max(0, due - now);
        return page;
      }
      this.#waiting.push(due, page, 0);
    }
    return -1;
  }
}

/** Largest change of ln price in the time that the budget takes to come round to every page. */
const PACE = 2;
/** A visit too early or late by this share of that time moves the price at the full pace. */
const TOLERATED = 0.1;
const MOST_CHECKED = 32;
/** Pages that the price is worked out from. */
const SAMPLED = 1000;
