import type { Millis } from "../kernel/units.ts";

/** Limit at which slow start ends. Source: flow-control.md §8. */
const SLOW_START_TO = 4;
/** The least limit is one request per so long. Source: flow-control.md §8. */
const SLOWEST: Millis = 600_000;
/** Trying above the knee: least and longest interval. */
const PROBE_LEAST: Millis = 30_000;
const PROBE_MOST: Millis = 3_600_000;
/** Trying costs a closure when it fails: the interval is at least so many times the last one. */
const PROBE_PER_CLOSURE = 20;
/** Requests of a probe below one in flight; its failure may show this much later. */
const PACE_PROBE = 8;
const PACE_PROBE_TAIL: Millis = 300_000;
/** A pace grows by this factor an answer. */
const PACE_STEP = 1.1;
/** Of the pace that failed, what is believed to be safe. */
const PACE_SAFE = 0.85;
/** The same where a single request at once failed. */
const ALONE_SAFE = 0.9;
/** The knee is relaxed after so long without an event, then again and again. */
const RELAX_AFTER: Millis = 600_000;
const RELAX_EVERY: Millis = 300_000;
const RELAX = 1.25;
/** An outage forgives the knee once in so long. */
const OUTAGE_EVERY: Millis = 1_800_000;
/** Fast recovery goes back to this share of the limit before the event. */
const RESTORE = 0.8;
/** A probe that is answered later than this after its last request is held by a host that may time out. */
const TIMEOUT_TAIL: Millis = 32_000;
const PROBE_TAIL: Millis = 3_000;
/** The next step up after one that held. */
const PROBE_AGAIN: Millis = 5_000;
/** An idle limit decays after so long, with this half-life. Source: flow-control.md §1 (row 10). */
const IDLE_AFTER: Millis = 600_000;
const IDLE_HALF: Millis = 1_800_000;

/**
 * The limit itself, one number for window and pace: from 1 on requests at once, below 1 one request per `srtt / limit`. It grows
 * a step a window up to the knee, the level below the one that failed; above the knee one step is tried rarely.
 * Source: flow-control.md §2.
 */
export class Level {
  limit = 1;
  /** Highest limit believed safe. */
  knee = Number.POSITIVE_INFINITY;
  #kneeBefore = Number.POSITIVE_INFINITY;
  #limitBefore = 1;
  #cutEver = false;
  #sawTimeout = false;
  #relaxAt: Millis = Number.POSITIVE_INFINITY;
  #restoreAt: Millis = Number.POSITIVE_INFINITY;
  #outageAt: Millis = Number.NEGATIVE_INFINITY;
  #probing = false;
  #probeEvery: Millis = PROBE_LEAST;
  #probeFloor: Millis = PROBE_LEAST;
  #probeNext: Millis = 0;
  #probeSince: Millis = Number.NEGATIVE_INFINITY;
  #probeLeft = 0;
  #probeReached = false;

  /** A limit that was not used for long is not trusted at full; a pace is kept. */
  idled(idle: Millis): void {
    if (this.limit > 1 && idle > IDLE_AFTER) this.limit = 1 + (this.limit - 1) * 2 ** (-idle / IDLE_HALF);
  }

  timedOut(): void {
    this.#sawTimeout = true;
  }

  /** An event: the one cut it brings. */
  cut(beta: number, level: number, srtt: Millis, now: Millis): void {
    if (this.#probing || (this.limit < 1 && now - this.#probeSince < PACE_PROBE_TAIL)) {
      this.#probeEvery = Math.min(PROBE_MOST, 2 * this.#probeEvery);
      this.#probing = false;
    }
    const least = srtt / SLOWEST;
    this.#limitBefore = this.limit;
    this.#kneeBefore = this.knee;
    const failed = this.limit < 1 ? PACE_SAFE * this.limit : level > 1 ? Math.min(level - 1, this.limit) : ALONE_SAFE;
    this.knee = Math.max(least, Math.min(failed, Math.max(this.knee, this.limit)));
    this.limit = Math.max(least, beta * this.limit);
    this.#cutEver = true;
    this.#relaxAt = now + RELAX_AFTER;
    this.#probeNext = now + this.#probeEvery;
    this.#restoreAt = Number.POSITIVE_INFINITY;
  }

  /** The event's third failed probe. */
  cutAgain(srtt: Millis): void {
    this.limit = Math.max(srtt / SLOWEST, this.limit / 2);
  }

  /** The event is over. */
  reopened(failures: number, took: Millis, srtt: Millis, now: Millis): void {
    this.#probeFloor = Math.min(PROBE_MOST, Math.max(PROBE_LEAST, PROBE_PER_CLOSURE * took));
    this.#probeEvery = Math.max(this.#probeEvery, this.#probeFloor);
    this.#probeNext = Math.max(this.#probeNext, now + this.#probeEvery);
    const soon = now + Math.max(2_000, 3 * srtt);
    if (this.#limitBefore < 2) return;
    if (failures <= 2) this.#restoreAt = soon;
    else if (now - this.#outageAt > OUTAGE_EVERY) {
      // Refused even alone: an outage says nothing about width. Once; the next one counts as a ban.
      this.#outageAt = now;
      this.knee = Math.max(this.knee, Math.min(this.#kneeBefore, this.#limitBefore));
      this.#restoreAt = soon;
    }
  }

  /** A good answer, before it is judged. */
  answered(at: Millis, level: number, now: Millis): void {
    if (this.#restoreAt <= now) {
      this.limit = Math.max(this.limit, Math.min(this.knee, RESTORE * this.#limitBefore));
      this.#restoreAt = Number.POSITIVE_INFINITY;
    }
    if (this.#cutEver && this.#relaxAt <= now) {
      this.knee *= RELAX;
      this.#probeEvery = Math.max(this.#probeFloor, this.#probeEvery / 2);
      this.#relaxAt = now + RELAX_EVERY;
    }
    if (this.#probing && at >= this.#probeSince) {
      this.#probeLeft -= 1;
      this.#probeReached ||= level >= Math.floor(this.limit);
    }
  }

  /** A good answer to a pace. @returns whether it is one still. */
  quicken(now: Millis): boolean {
    if (this.limit >= 1) return false;
    const room = Math.min(1, this.knee);
    if (this.limit < room) this.limit = Math.min(room, PACE_STEP * this.limit);
    else if (this.#probeNext <= now) {
      this.#probing = true;
      this.#probeSince = now;
      this.#probeLeft = PACE_PROBE;
      this.limit = Math.min(1, PACE_STEP * this.limit);
      this.knee = Math.max(this.knee, this.limit);
      this.#probeNext = now + this.#probeEvery;
    } else if (this.#probing && this.#probeLeft <= 0) {
      this.#probing = false;
      this.#probeEvery = Math.max(this.#probeFloor, this.#probeEvery / 2);
      this.#probeNext = Math.min(this.#probeNext, now + this.#probeEvery);
    }
    return this.limit < 1;
  }

  shrink(): void {
    this.limit = Math.max(1, this.limit - 1);
  }

  /** A window in which the limit was used and the host was as quick as ever. */
  grow(inFlight: number, srtt: Millis, now: Millis): void {
    if (!this.#cutEver && this.limit < SLOW_START_TO) this.limit = Math.min(SLOW_START_TO, 2 * this.limit);
    else if (this.limit < this.knee) this.limit = Math.min(this.knee, this.limit + 1);
    else if (this.#probeNext <= now) {
      this.limit = Math.floor(this.limit) + Math.max(1, Math.floor(this.limit / 10));
      this.knee = Math.max(this.knee, this.limit);
      this.#probing = true;
      this.#probeSince = now;
      this.#probeLeft = Math.ceil(this.limit) + inFlight;
      this.#probeReached = false;
      this.#probeNext = now + this.#probeEvery;
    }
    const tail = this.#sawTimeout ? TIMEOUT_TAIL : Math.max(PROBE_TAIL, 4 * srtt);
    if (this.#probing && this.#probeReached && this.#probeLeft <= 0 && now - this.#probeSince > tail) {
      // It held: the world has changed, go on.
      this.#probing = false;
      this.#probeEvery = Math.max(this.#probeFloor, this.#probeEvery / 2);
      this.#probeNext = now + PROBE_AGAIN;
    }
  }

  /** Instants as what is left of them, so that they hold in another process. */
  pack(now: Millis): number[] {
    return [
      this.limit,
      this.knee,
      this.#kneeBefore,
      this.#limitBefore,
      this.#cutEver ? 1 : 0,
      this.#sawTimeout ? 1 : 0,
      this.#relaxAt - now,
      this.#restoreAt - now,
      this.#outageAt - now,
      this.#probing ? 1 : 0,
      this.#probeEvery,
      this.#probeFloor,
      this.#probeNext - now,
      this.#probeSince - now,
    ];
  }

  unpack(packed: Float64Array, now: Millis): void {
    [this.limit, this.knee, this.#kneeBefore, this.#limitBefore] = packed;
    this.#cutEver = packed[4] === 1;
    this.#sawTimeout = packed[5] === 1;
    this.#relaxAt = now + packed[6];
    this.#restoreAt = now + packed[7];
    this.#outageAt = now + packed[8];
    this.#probing = packed[9] === 1;
    this.#probeEvery = packed[10];
    this.#probeFloor = packed[11];
    this.#probeNext = now + packed[12];
    this.#probeSince = now + packed[13];
  }
}
