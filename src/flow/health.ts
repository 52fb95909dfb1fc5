import type { Signal } from "../kernel/signal.ts";
import type { Millis } from "../kernel/units.ts";
import type { HostSignal } from "./host-limiter.ts";

/** Closed list, from well to worst. */
export const HEALTH_STATES = ["healthy", "straining", "hostile", "down"] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** What was seen weighs half after this. Source: flow-control.md §2. */
const HALF_LIFE: Millis = 600_000;
/** Clean visits that every host is credited with, so that one bad answer of a new host is no verdict. Source: same. */
const CREDIT = 2;
const HEALTHY_FROM = 0.8;
/** Hostile: more blocks than this share, and two cuts within the time. Source: same. */
const BLOCKS_MOST = 0.05;
const CUTS_WITHIN: Millis = 600_000;
/** Down: so many failures one after the other, and no success for so long. Source: same. */
const FAILURES_RUN = 5;
const NO_SUCCESS_FOR: Millis = 300_000;
/** A state is left for a better one after so long without a reason for it. Source: same. */
const CLEAN_FOR: Millis = 600_000;
/** The least that latency alone leaves of the score's latency part. Source: same. */
const LATENCY_LEAST = 0.3;
/** How fast the median follows, and how the baseline does: down at once, up slowly. Source: guess. */
const MEDIAN_STEP = 0.05;
const BASE_DOWN = 0.1;
const BASE_UP = 0.002;
/** Cost is not raised beyond twenty times. Source: flow-control.md §2. */
const HEALTH_LEAST = 0.05;

const STATE_VERSION = 1;
const STATE_LENGTH = 15;

/**
 * How a host bears being asked: a score from 0 to 1, and a state.
 *
 * score = (1 − b)⁴ (1 − t)² (1 − o)(1 − e) · clamp(base ÷ p50, 0.3, 1)^½, where b, t, o, e are the shares of blocks and challenges, of
 * throttles and silences, of other 5xx and of failed extractions among its visits, each weighing half after 10 minutes, with two
 * clean visits credited, and all before a challenge half as much again; base and p50 are the unhurried and the usual time to first byte.
 *
 * States: *healthy* (score ≥ 0.8), *straining* (below), *hostile* (b > 0.05 and two cuts within 10 min), *down* (5 failures in a row
 * and no success for 5 min). A worse one is entered at once, a better one after 10 minutes without a reason for the present one.
 * Thirteen numbers a host. Source: flow-control.md §2 (health).
 */
export class Health {
  #at: Millis = 0;
  #visits = 0;
  #blocks = 0;
  #throttles = 0;
  #errors = 0;
  #extractions = 0;
  #base: Millis = 0;
  #median: Millis = 0;
  #run = 0;
  #okAt: Millis | null = null;
  /** The last two cuts. */
  #cutAt: Millis = Number.NEGATIVE_INFINITY;
  #cutBefore: Millis = Number.NEGATIVE_INFINITY;
  #state = 0;
  #heldAt: Millis = 0;

  /** Takes the end of one request. @param heard what the host's limiter heard of it. @param startedAt refusals of one moment are one cut. */
  ended(signal: Signal, heard: HostSignal, startedAt: Millis, now: Millis): void {
    if (heard.kind === "neutral" && signal.kind !== "server-error" && signal.kind !== "forbidden") return;
    this.#fade(now);
    this.#okAt ??= now;
    this.#visits += 1;
    if (heard.kind === "ok") {
      this.#run = 0;
      this.#okAt = now;
      if (heard.ttfb !== null) this.#timed(heard.ttfb);
    } else this.#troubled(signal, heard, startedAt, now);
    this.#settle(now);
  }

  /** A page of the host could not be made sense of. */
  extractionFailed(now: Millis): void {
    this.#fade(now);
    this.#extractions += 1;
    this.#settle(now);
  }

  score(now: Millis): number {
    return this.#scoreOf(this.#fadedBy(now));
  }

  /** @param faded what is left of the counts. */
  #scoreOf(faded: number): number {
    const share = (count: number): number => Math.min(1, (count * faded) / (this.#visits * faded + CREDIT));
    const latency = this.#median > 0 ? Math.min(1, Math.max(LATENCY_LEAST, this.#base / this.#median)) : 1;
    const [b, t, o, e] = [share(this.#blocks), share(this.#throttles), share(this.#errors), share(this.#extractions)];
    return (1 - b) ** 4 * (1 - t) ** 2 * (1 - o) * (1 - e) * Math.sqrt(latency);
  }

  state(now: Millis): HealthState {
    const present = this.#rank(now);
    if (present < this.#state && now - this.#heldAt < CLEAN_FOR) return HEALTH_STATES[this.#state];
    return HEALTH_STATES[present];
  }

  /** Packed, with instants as ages. */
  pack(now: Millis): Float64Array {
    const age = (at: Millis | null): number => (at === null ? -1 : Math.min(now - at, Number.MAX_SAFE_INTEGER));
    return new Float64Array([
      STATE_VERSION,
      age(this.#at),
      this.#visits,
      this.#blocks,
      this.#throttles,
      this.#errors,
      this.#extractions,
      this.#base,
      this.#median,
      this.#run,
      age(this.#okAt),
      age(this.#cutAt),
      age(this.#cutBefore),
      this.#state,
      age(this.#heldAt),
    ]);
  }

  /** @param away how long it was packed. */
  restore(packed: Float64Array, now: Millis, away: Millis): void {
    if (packed.length !== STATE_LENGTH || packed[0] !== STATE_VERSION) return;
    const at = (age: number): Millis => now - away - age;
    this.#at = at(packed[1]);
    [this.#visits, this.#blocks, this.#throttles, this.#errors, this.#extractions, this.#base, this.#median, this.#run] = packed.slice(2);
    this.#okAt = packed[10] < 0 ? null : at(packed[10]);
    this.#cutAt = at(packed[11]);
    this.#cutBefore = at(packed[12]);
    this.#state = packed[13] in HEALTH_STATES ? packed[13] : 0;
    this.#heldAt = at(packed[14]);
  }

  #troubled(signal: Signal, heard: HostSignal, startedAt: Millis, now: Millis): void {
    switch (heard.kind === "congestion" ? heard.cause : signal.kind) {
      case "block":
        // A page that says what it is needs no second opinion: each counts as a cut.
        this.#recount();
        return this.#cut(now);
      case "forbidden":
        if (heard.kind !== "congestion") return;
        this.#blocks += 1;
        break;
      case "throttle":
        this.#throttles += 1;
        break;
      case "errors":
      case "server-error":
        this.#errors += 1;
        this.#run += 1;
        break;
      default:
        this.#throttles += 1;
        this.#run += 1;
    }
    if (heard.kind === "congestion" && startedAt > this.#cutAt) this.#cut(now);
  }

  /** A site that shows its challenge speaks of the visits to come: what it gave before weighs half as much with each. */
  #recount(): void {
    const before = this.#visits - 1 - this.#blocks;
    this.#blocks += 1;
    this.#visits = this.#blocks + before / 2;
    this.#throttles /= 2;
    this.#errors /= 2;
    this.#extractions /= 2;
  }

  #cut(now: Millis): void {
    this.#cutBefore = this.#cutAt;
    this.#cutAt = now;
  }

  #timed(ttfb: Millis): void {
    if (this.#median === 0) {
      this.#median = ttfb;
      this.#base = ttfb;
      return;
    }
    this.#median += Math.sign(ttfb - this.#median) * Math.min(Math.abs(ttfb - this.#median), Math.max(1, MEDIAN_STEP * this.#median));
    this.#base += (ttfb < this.#base ? BASE_DOWN : BASE_UP) * (ttfb - this.#base);
  }

  /** What time has left of the counts. */
  #fadedBy(now: Millis): number {
    return now <= this.#at ? 1 : 2 ** ((this.#at - now) / HALF_LIFE);
  }

  #fade(now: Millis): void {
    const faded = this.#fadedBy(now);
    this.#at = now;
    this.#visits *= faded;
    this.#blocks *= faded;
    this.#throttles *= faded;
    this.#errors *= faded;
    this.#extractions *= faded;
  }

  /** What the evidence says now, whatever was before. */
  #rank(now: Millis): number {
    if (this.#run >= FAILURES_RUN && this.#okAt !== null && now - this.#okAt >= NO_SUCCESS_FOR) return 3;
    const faded = this.#fadedBy(now);
    const blocked = (this.#blocks * faded) / (this.#visits * faded + CREDIT);
    if (blocked > BLOCKS_MOST && now - this.#cutBefore <= CUTS_WITHIN) return 2;
    return this.#scoreOf(faded) >= HEALTHY_FROM ? 0 : 1;
  }

  #settle(now: Millis): void {
    const present = this.#rank(now);
    if (present < this.#state && now - this.#heldAt < CLEAN_FOR) return;
    this.#state = present;
    this.#heldAt = now;
  }
}

/** What a visit costs at a host of this health. Source: flow-control.md §2; spec B8, C12. */
export function effectiveCost(cost: number, health: number): number {
  return cost / Math.max(health, HEALTH_LEAST);
}
