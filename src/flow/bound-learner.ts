import type { Bytes, Millis } from "../kernel/units.ts";
import type { ShareBound } from "./credit-share.ts";

/** Time constant of the service rate, and how fast a bound may follow it. Source: flow-control.md §7. */
const TAU: Millis = 30_000;
const STEP_EVERY: Millis = 5_000;
const STEP_UP = 1.25;
const STEP_DOWN = 0.8;

export interface BoundOptions {
  /** Wait tolerated in the queue: W. */
  readonly wait: Millis;
  readonly first: ShareBound;
  readonly least: ShareBound;
  readonly most: ShareBound;
}

/** Running totals of a stage. */
export interface StageTotals {
  readonly departedItems: number;
  readonly departedBytes: Bytes;
  /** Time in which it had something to do. */
  readonly busyTime: Millis;
}

/**
 * The bound of a queue, learnt: measured service rate × tolerated wait, in items and in bytes. The rate is taken from departures
 * while the stage is busy, and from nothing else: a starved stage says nothing about what it could do. Bounds follow in steps.
 * Pure. Source: flow-control.md §7 (`B = mu · W`).
 */
export class BoundLearner {
  readonly #options: BoundOptions;
  #bound: ShareBound;
  #itemRate = 0;
  #byteRate = 0;
  #known = false;
  #last: StageTotals = { departedItems: 0, departedBytes: 0, busyTime: 0 };
  #sampledAt: Millis;
  #steppedAt: Millis;

  constructor(options: BoundOptions, now: Millis) {
    this.#options = options;
    this.#bound = options.first;
    this.#sampledAt = now;
    this.#steppedAt = now;
  }

  get bound(): ShareBound {
    return this.#bound;
  }
  /** Departures a second while busy; 0 while none were seen. */
  get itemsPerSecond(): number {
    return this.#itemRate * 1_000;
  }

  /** Takes the totals as they are now; about once a second. @returns whether the bound has moved. */
  sample(now: Millis, totals: StageTotals): boolean {
    const span = now - this.#sampledAt;
    const busy = totals.busyTime - this.#last.busyTime;
    if (span > 0 && busy > 0) this.#learn(span, busy, totals);
    this.#last = totals;
    this.#sampledAt = now;
    if (!this.#known || now - this.#steppedAt < STEP_EVERY) return false;
    this.#steppedAt = now;
    return this.#step();
  }

  #learn(span: Millis, busy: Millis, totals: StageTotals): void {
    const items = (totals.departedItems - this.#last.departedItems) / busy;
    const bytes = (totals.departedBytes - this.#last.departedBytes) / busy;
    const weight = this.#known ? 1 - Math.exp(-span / TAU) : 1;
    this.#itemRate += weight * (items - this.#itemRate);
    this.#byteRate += weight * (bytes - this.#byteRate);
    // A first second without departures is no rate yet.
    this.#known ||= items > 0;
  }

  #step(): boolean {
    const { wait } = this.#options;
    const before = this.#bound;
    const items = Math.round(this.#toward("items", this.#itemRate * wait));
    const bytes = Math.round(this.#toward("bytes", this.#byteRate * wait));
    this.#bound = { items, bytes };
    return items !== before.items || bytes !== before.bytes;
  }

  #toward(unit: "items" | "bytes", wanted: number): number {
    const { least, most } = this.#options;
    const now = this.#bound[unit];
    const target = Math.min(most[unit], Math.max(least[unit], wanted));
    return Math.min(Math.max(now * STEP_UP, now + 1), Math.max(now * STEP_DOWN, target));
  }
}
