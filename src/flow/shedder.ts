import type { Millis } from "../kernel/units.ts";

/** Window of one judgement. Source: flow-control.md §7 (CoDel's interval, scaled). */
const INTERVAL: Millis = 10_000;
/** Waits beyond which a queue is overloaded: a tenth of what is tolerated for parse and storage. Source: flow-control.md §7. */
const TARGET: Readonly<Record<ShedQueue, Millis>> = { ready: 30_000, parse: 1_000, storage: 1_000 };
/** Overloaded: so much of what was let through remains. Clean: so much of what is offered comes back. Source: DAGOR, flow-control.md §8. */
const LESS = 0.95;
const MORE = 0.01;
/** Never less than this share is let through. Source: guess. */
const LEAST_ADMITTED = 0.01;
/** A reserve (discovery, re-estimation, verification) keeps at least this share. Source: guess; "thinned, never cut to nothing". */
const LEAST_RESERVE = 0.1;
/** Classes of the histogram of indices: so many to each doubling, over 2^−64 to 2^64. Visits in one class go by lot. */
const PER_DOUBLING = 16;
const DOUBLINGS = 128;
const BUCKETS = PER_DOUBLING * DOUBLINGS;
/** What earlier intervals still weigh in the histogram when a new one has offered something. */
const FADE = 0.5;

/** Value tiers, 1 to 4: the priority classes. */
export const PRIORITY_CLASSES = 4;

/** Queues whose wait is judged: due visits, pages before the parser, settlements before the store. */
export const SHED_QUEUES = ["ready", "parse", "storage"] as const;
export type ShedQueue = (typeof SHED_QUEUES)[number];

/** Why visits are deferred: the queue that was overloaded, or too many retries. Closed list, counted in the summary. */
export const SHED_REASONS = [...SHED_QUEUES, "retries"] as const;
export type ShedReason = (typeof SHED_REASONS)[number];

/** One visit as it is judged. */
export interface Offer {
  /** Value × gain ÷ cost, now; more than 0. */
  readonly index: number;
  /** Uniform in [0, 1) and the same for one visit for a while: decides among equals. */
  readonly lot: number;
  /** It is made for the model's sake, not for its index. */
  readonly reserve: boolean;
  /** It was deferred since it was last made. */
  readonly deferred: boolean;
}

/**
 * Decides which visits are deferred while more is due than can be served. Pure.
 *
 * *Overloaded* (CoDel's form): over a whole interval the least wait of some queue, or of some priority class of the due visits,
 * stayed above its target. A standing queue shows in the least wait; a burst that drains does not.
 * *Level* (DAGOR's form): the share of offered visits that is let through, × 0.95 after each overloaded interval and + 0.01 after each
 * clean one. It is applied as a rise of the threshold θ: the visits with the least index now go first, equal ones by lot.
 * A visit that was deferred already is deferred again only while the overload lasts, so that each is made soon after its end.
 * Source: flow-control.md §7.
 */
export class Shedder {
  #admitted = 1;
  #windowEnd: Millis = Number.NEGATIVE_INFINITY;
  #overloadedBy: ShedReason | null = null;
  /** What raised the level last. */
  #reason: ShedReason = "ready";
  #raises = 0;
  readonly #leastReady = new Float64Array(PRIORITY_CLASSES).fill(Number.POSITIVE_INFINITY);
  readonly #least = { parse: Number.POSITIVE_INFINITY, storage: Number.POSITIVE_INFINITY };
  readonly #offered = new Float64Array(BUCKETS);
  #total = 0;
  #fresh = 0;
  /** Classes below are shed; of the class itself this share. */
  #cut = -1;
  #cutShare = 0;

  /** Share of offered visits that is held back, 0–1. */
  get level(): number {
    return 1 - this.#admitted;
  }
  /** Which queue was overloaded in the last whole interval; null when none. */
  get overloadedBy(): ShedReason | null {
    return this.#overloadedBy;
  }
  /** Grows with every rise of the level: what waits has to be judged again. */
  get raises(): number {
    return this.#raises;
  }
  /** Least index that is let through; 0 while nothing is shed. */
  get threshold(): number {
    return this.#cut < 0 ? 0 : 2 ** (this.#cut / PER_DOUBLING - DOUBLINGS / 2);
  }

  /** A due visit of this class (1–4) was served, or passed over, after so long a wait. */
  waitedReady(valueClass: number, wait: Millis): void {
    const at = valueClass - 1;
    if (wait < this.#leastReady[at]) this.#leastReady[at] = wait;
  }

  /** A page left the queue before the parser, or a batch reached the store, after so long a wait. */
  waited(queue: "parse" | "storage", wait: Millis): void {
    if (wait < this.#least[queue]) this.#least[queue] = wait;
  }

  /** A visit has become due: it counts in what is offered. */
  offered(index: number): void {
    this.#offered[bucketOf(index)] += 1;
    this.#total += 1;
    this.#fresh += 1;
  }

  /** @returns why the visit is to be deferred, or null when it may be made. */
  judge(offer: Offer): ShedReason | null {
    if (this.#cut < 0) return null;
    if (offer.deferred && this.#overloadedBy === null) return null;
    if (offer.reserve) return offer.lot < 1 - Math.max(this.#admitted, LEAST_RESERVE) ? this.#reason : null;
    const bucket = bucketOf(offer.index);
    const shed = bucket < this.#cut || (bucket === this.#cut && offer.lot < this.#cutShare);
    return shed ? this.#reason : null;
  }

  /** Retries take too large a share of all requests: one step up, whatever the queues say. */
  retriesAlarm(): void {
    this.#raise("retries");
  }

  /** Closes the intervals that have passed. To be called at least once an interval while anything waits; costs nothing in between. */
  tick(now: Millis): void {
    if (this.#windowEnd === Number.NEGATIVE_INFINITY) this.#windowEnd = now + INTERVAL;
    if (now < this.#windowEnd) return;
    const passed = 1 + Math.floor((now - this.#windowEnd) / INTERVAL);
    this.#windowEnd += passed * INTERVAL;
    this.#overloadedBy = this.#standing();
    this.#leastReady.fill(Number.POSITIVE_INFINITY);
    this.#least.parse = Number.POSITIVE_INFINITY;
    this.#least.storage = Number.POSITIVE_INFINITY;
    if (this.#overloadedBy !== null) this.#raise(this.#overloadedBy);
    else if (this.#admitted < 1) this.#setAdmitted(Math.min(1, this.#admitted + MORE * passed));
    this.#fade();
  }

  /** A queue whose least wait over the interval was finite, so that something was served, and above its target. */
  #standing(): ShedQueue | null {
    const beyond = (wait: Millis, queue: ShedQueue): boolean => Number.isFinite(wait) && wait > TARGET[queue];
    if (beyond(this.#least.storage, "storage")) return "storage";
    if (beyond(this.#least.parse, "parse")) return "parse";
    return this.#leastReady.some((wait) => beyond(wait, "ready")) ? "ready" : null;
  }

  #raise(reason: ShedReason): void {
    this.#reason = reason;
    this.#raises += 1;
    this.#setAdmitted(Math.max(LEAST_ADMITTED, this.#admitted * LESS));
  }

  #setAdmitted(share: number): void {
    this.#admitted = share;
    this.#cut = -1;
    this.#cutShare = 0;
    if (share >= 1 || this.#total <= 0) return;
    let over = (1 - share) * this.#total;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const here = this.#offered[bucket];
      if (here === 0) continue;
      this.#cut = bucket;
      this.#cutShare = Math.min(1, over / here);
      over -= here;
      if (over <= 0) return;
    }
  }

  /** While nothing is offered the old picture stays: it decays to nothing false. */
  #fade(): void {
    if (this.#fresh === 0) return;
    this.#fresh = 0;
    this.#total = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      this.#offered[bucket] *= FADE;
      if (this.#offered[bucket] < 1e-3) this.#offered[bucket] = 0;
      this.#total += this.#offered[bucket];
    }
  }
}

/**
 * Index where no change rates are known: nearer to a seed goes first, and at one depth a page of a template that still brings new
 * content before one whose template repeats itself.
 */
export function indexWithoutRates(depth: number, isNovel: boolean): number {
  return 2 ** -(2 * Math.min(depth, 30) + (isNovel ? 0 : 1));
}

function bucketOf(index: number): number {
  if (!(index > 0)) return 0;
  const bucket = Math.floor((Math.log2(index) + DOUBLINGS / 2) * PER_DOUBLING);
  return Math.min(BUCKETS - 1, Math.max(0, bucket));
}
