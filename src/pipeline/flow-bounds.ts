import { BoundLearner } from "../flow/bound-learner.ts";
import type { CreditPool, PoolBound } from "../flow/credit-pool.ts";
import type { ShareBound } from "../flow/credit-share.ts";
import { StageGauge } from "../flow/stage-gauge.ts";
import type { Bytes, Millis } from "../kernel/units.ts";
import type { CancelTimer, Clock } from "../ports/clock.ts";
import { OPEN_LEAST, OPEN_MOST, STORE_WAIT, type StoreStage } from "../stages/store/store-stage.ts";

/** Wait tolerated between a page's last byte and its settlement. Source: flow-control.md §7. */
export const PARSE_WAIT: Millis = 10_000;
/** Least sojourn at which a stage counts as overloaded. Source: flow-control.md §7 (T = W/10). */
const TARGET: Millis = PARSE_WAIT / 10;
/** Bounds are learnt and the brake is set so often. */
const EVERY: Millis = 500;
/** The brake is released over five seconds: all hosts asked at one instant would look slow to their limiters. Source: bad-afternoon, 8 to 4 after a stall. */
const RELEASE_STEP = 0.1;
/** The brake begins at half the bound, and holds all at one and a half. Source: flow-control.md §7. */
const BRAKE_FULL = 1.5;
/** Part of the parse bytes that heavy pages may have. Source: flow-control.md §6, scenario 1. */
const HEAVY_SHARE = 0.25;

/** The bound that parse begins with, split between pages of the usual sort and heavy ones. */
export function firstBound(items: number, bytes: Bytes): PoolBound {
  const heavy = { items: Math.max(1, Math.floor(items * HEAVY_SHARE)), bytes: Math.floor(bytes * HEAVY_SHARE) };
  return { heavy, light: { items: items - heavy.items, bytes: bytes - heavy.bytes } };
}

export interface FlowBoundsDeps {
  readonly clock: Clock;
  readonly pool: CreditPool;
  readonly store: StoreStage;
  /** The brake lets more through than before. */
  readonly onRelaxed: () => void;
}

/** A stage's depth, bound and waiting, as they are at one moment. */
export interface StageReading {
  readonly stage: "parse" | "parse, heavy pages" | "storage";
  readonly items: number;
  readonly bytes: Bytes;
  readonly bound: ShareBound;
  readonly oldestAge: Millis;
  readonly leastSojourn: Millis;
  /** Departures a second while busy; 0 while none were seen. */
  readonly rate: number;
  /** max(items, bytes, sojourn), each by its bound; from 0.5 on fetching slows. */
  readonly pressure: number;
}

/**
 * Bounds that follow what the stages can do, and the soft brake before them. A bound is service rate × tolerated wait
 * ({@link BoundLearner}); the brake lowers the overall concurrency as the fullest stage fills, so that fetching slows before it stops.
 * Heavy pages brake nobody but their own hosts.
 */
export class FlowBounds {
  /** Pages between last byte and settlement. */
  readonly light = new StageGauge();
  readonly heavy = new StageGauge();
  readonly #deps: FlowBoundsDeps;
  readonly #concurrency: number;
  readonly #light: BoundLearner;
  readonly #heavy: BoundLearner;
  readonly #store: BoundLearner;
  #timer: CancelTimer | null = null;
  #multiplier = 1;
  #cause: "parse" | "storage" = "parse";

  constructor(deps: FlowBoundsDeps, { maxBody, concurrency }: { readonly maxBody: Bytes; readonly concurrency: number }) {
    const { clock, pool, store } = deps;
    this.#concurrency = concurrency;
    this.#deps = deps;
    const now = clock.now();
    // Two pages for each of one worker: one is parsed, the next is there.
    const learner = (first: ShareBound): BoundLearner =>
      new BoundLearner({ wait: PARSE_WAIT, first, least: { items: 2, bytes: Math.min(first.bytes, maxBody) }, most: first }, now);
    this.#light = learner(pool.light.bound);
    this.#heavy = learner(pool.heavy.bound);
    this.#store = new BoundLearner({ wait: STORE_WAIT, first: store.bound, least: OPEN_LEAST, most: OPEN_MOST }, now);
  }

  /** What the overall concurrency is multiplied by, 0 to 1. */
  get multiplier(): number {
    return this.#multiplier;
  }

  /** The stage that lets nothing more start beside what is in flight; null when none does. */
  brake(inFlight: number): "parse" | "storage" | null {
    return this.#multiplier < 1 && inFlight >= this.#concurrency * this.#multiplier ? this.#cause : null;
  }

  start(): void {
    this.#timer = this.#deps.clock.after(EVERY, () => {
      this.#learn(this.#deps.clock.now());
      this.start();
    });
  }

  stop(): void {
    this.#timer?.();
    this.#timer = null;
  }

  readings(now: Millis): readonly StageReading[] {
    return [this.#ofParse("parse", now), this.#ofParse("parse, heavy pages", now), this.#ofStore(now)];
  }

  #learn(now: Millis): void {
    const { pool, store } = this.#deps;
    const moved = [this.#light, this.#heavy].map((learner, index) => this.#sample(learner, index === 0 ? this.light : this.heavy, now));
    if (moved.includes(true)) pool.resize({ light: this.#light.bound, heavy: this.#heavy.bound });
    if (this.#sample(this.#store, store.gauge, now)) store.bound = this.#store.bound;
    const parse = this.#ofParse("parse", now).pressure;
    const storage = this.#ofStore(now).pressure;
    this.#cause = storage > parse ? "storage" : "parse";
    const before = this.#multiplier;
    this.#multiplier = Math.min(1, before + RELEASE_STEP, Math.max(0, BRAKE_FULL - Math.max(parse, storage)));
    if (this.#multiplier > before) this.#deps.onRelaxed();
  }

  #sample(learner: BoundLearner, gauge: StageGauge | StoreStage["gauge"], now: Millis): boolean {
    gauge.count(now);
    const { departedItems, departedBytes, busyTime } = gauge;
    return learner.sample(now, { departedItems, departedBytes, busyTime });
  }

  #ofParse(stage: "parse" | "parse, heavy pages", now: Millis): StageReading {
    const [gauge, learner] = stage === "parse" ? [this.light, this.#light] : [this.heavy, this.#heavy];
    const { items, bytes } = gauge;
    return reading(stage, { items, bytes }, learner, gauge.oldestAge(now), gauge.leastSojourn(now));
  }

  #ofStore(now: Millis): StageReading {
    const { store } = this.#deps;
    const { rows, bytes, oldestAge } = store;
    return reading("storage", { items: rows, bytes }, this.#store, oldestAge, store.gauge.leastSojourn(now, oldestAge));
  }
}

function reading(
  stage: StageReading["stage"],
  { items, bytes }: ShareBound,
  { bound, itemsPerSecond }: BoundLearner,
  oldestAge: Millis,
  leastSojourn: Millis,
): StageReading {
  const pressure = Math.max(items / bound.items, bytes / bound.bytes, leastSojourn / TARGET);
  return { stage, items, bytes, bound, oldestAge, leastSojourn, rate: itemsPerSecond, pressure };
}
