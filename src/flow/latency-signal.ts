import type { Millis } from "../kernel/units.ts";

/** Smoothed first byte of a host that was never asked. Source: flow-control.md §2. */
const SRTT_FIRST: Millis = 300;
const SRTT_WEIGHT = 0.1;
/** Weight of a sample taken alone: a base that is much lower is believed at once, another one slowly. */
const BASE_DOWN = 0.5;
/** Weight of a whole window of such samples. Source: ADR 0013. */
const BASE_WINDOW = 0.5;
const BASE_UP = 0.1;
/** Base is renewed this often, by requests that are alone: a base measured among others would follow the queue they make. */
const BASE_EVERY: Millis = 600_000;
const BASE_SAMPLES = 3;
/** Between this and the next factor of the base nothing changes. Source: flow-control.md §1 (row 6). */
const CALM = 1.25;
const BUSY = 1.6;
/** Least difference that counts, for hosts whose first byte is a few milliseconds away. */
const NOTICEABLE: Millis = 20;
/** Samples of a window that are kept: the newest. */
const SAMPLES_MOST = 64;
/** The quantile of a window that is compared: below the middle, so that a third of slow pages is not taken for a queue. Source: ADR 0011. */
const QUANTILE = 0.4;
/** Fewer samples than this do not make a queue. */
const BUSY_LEAST = 6;
/** A level that turned out to queue is tried again after this, twice as long each time. */
const AGAIN_FIRST: Millis = 10_000;
const AGAIN_MOST: Millis = 120_000;
/** A base that has risen so many times is another one. Source: ADR 0013. */
const MOVED = 1.4;

/** First-byte times of a host: how long it takes when it has nothing else of ours to do, and how long it takes now. */
export class LatencySignal {
  /** Smoothed time to first byte. */
  srtt: Millis = SRTT_FIRST;
  /** Time to first byte with nothing else in flight; null until known. */
  base: Millis | null = null;
  /** Base is due to be renewed from then on. */
  baseAt: Millis | null = null;
  #solo = 0;
  #known = false;
  #samples: Millis[] = [];
  #count = 0;
  /** Highest limit that does not queue, as far as is known; from it on growth waits. */
  #calmTo = Number.POSITIVE_INFINITY;
  /** Base by which that was judged. */
  #calmBase: Millis = Number.POSITIVE_INFINITY;
  #againAt: Millis = 0;
  #againEvery: Millis = AGAIN_FIRST;

  sample(ttfb: Millis, alone: boolean): void {
    this.srtt = this.#known ? this.srtt + SRTT_WEIGHT * (ttfb - this.srtt) : ttfb;
    this.#known = true;
    if (!alone) return;
    if (this.base === null) this.base = ttfb;
    else this.base += (CALM * ttfb < this.base ? BASE_DOWN : BASE_UP) * (ttfb - this.base);
  }

  /** Counts a sample taken alone while base was due. */
  renewed(now: Millis, random: () => number): void {
    this.#solo += 1;
    if (this.#solo < BASE_SAMPLES) return;
    this.#solo = 0;
    this.baseAt = now + BASE_EVERY * (0.85 + 0.3 * random());
  }

  started(now: Millis): void {
    this.baseAt ??= now + BASE_EVERY;
  }

  /** Never where no time is known at all: nothing would ever renew it. */
  isBaseDue(now: Millis): boolean {
    return this.base !== null && this.baseAt !== null && this.baseAt <= now;
  }

  /** Adds to the window. */
  push(ttfb: Millis): void {
    this.#samples[this.#count % SAMPLES_MOST] = ttfb;
    this.#count += 1;
  }

  /**
   * What the window says; `unsure`: too few samples for a bad word. A window without samples says nothing against more.
   * @param alone its requests were alone: then what it says is the base, and less of them would be no quicker.
   */
  judge(alone: boolean): "calm" | "between" | "busy" | "unsure" {
    const time = this.#typical();
    if (time === null || this.base === null) return "calm";
    if (alone) this.base += BASE_WINDOW * (time - this.base);
    // Nobody is answered sooner among others than alone: the host has become quicker.
    if (BUSY * time < this.base && this.#count >= BUSY_LEAST) this.base = time;
    if (time > Math.max(BUSY * this.base, this.base + NOTICEABLE)) return this.#count < BUSY_LEAST ? "unsure" : "busy";
    return time <= Math.max(CALM * this.base, this.base + NOTICEABLE) ? "calm" : "between";
  }

  /** The limit was lowered to this, because the level above it queues. */
  lowered(limit: number, now: Millis): void {
    this.#calmTo = limit;
    this.#calmBase = this.base ?? Number.POSITIVE_INFINITY;
    this.#againAt = now + this.#againEvery;
    this.#againEvery = Math.min(AGAIN_MOST, 2 * this.#againEvery);
  }

  /**
   * After a calm window at that limit: does latency allow a step up? A host that turns out to be slower when it has nothing else to
   * do was no queue: what seemed to queue by its old base is not held against the levels.
   */
  allowsMore(limit: number, now: Millis): boolean {
    if (this.base !== null && this.base > MOVED * this.#calmBase) this.#forgetLevels();
    if (limit > this.#calmTo) this.#againEvery = Math.max(AGAIN_FIRST, this.#againEvery / 2);
    return limit < this.#calmTo || now >= this.#againAt;
  }

  #forgetLevels(): void {
    this.#calmTo = Number.POSITIVE_INFINITY;
    this.#calmBase = Number.POSITIVE_INFINITY;
    this.#againAt = 0;
    this.#againEvery = AGAIN_FIRST;
  }

  clear(): void {
    this.#samples.length = 0;
    this.#count = 0;
  }

  /** Instants as what is left of them, so that they hold in another process. */
  pack(now: Millis): number[] {
    const { base, baseAt } = this;
    const again = [this.#calmTo, this.#calmBase, this.#againAt - now, this.#againEvery];
    return [this.#known ? this.srtt : Number.NaN, base ?? Number.NaN, baseAt === null ? Number.NaN : baseAt - now, ...again];
  }

  unpack(packed: readonly number[], now: Millis): void {
    const [srtt, base, baseLeft, calmTo, calmBase, againLeft, againEvery] = packed;
    this.#known = !Number.isNaN(srtt);
    if (this.#known) this.srtt = srtt;
    this.base = Number.isNaN(base) ? null : base;
    this.baseAt = Number.isNaN(baseLeft) ? null : now + baseLeft;
    this.#calmTo = calmTo;
    this.#calmBase = calmBase;
    this.#againAt = now + againLeft;
    this.#againEvery = againEvery;
  }

  #typical(): Millis | null {
    if (this.#samples.length === 0) return null;
    this.#samples.sort((a, b) => a - b);
    return this.#samples[Math.floor(this.#samples.length * QUANTILE)];
  }
}
