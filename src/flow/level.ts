import type { Millis } from "../kernel/units.ts";
import { Probe } from "./probe.ts";
import { RefusalAllowance } from "./refusal-allowance.ts";

/** Limit at which slow start ends. Source: flow-control.md §8. */
const SLOW_START_TO = 4;
/** The least limit is one request per so long. Source: flow-control.md §8. */
const SLOWEST: Millis = 600_000;
/** A window spreads its starts so that a quarter more than it holds would pass. Source: flow-control.md §1 (row 4). */
const SPREAD = 1.25;
/** From this limit on, parts of a slot are not worth pacing for. */
const WHOLE_FROM = 4;
/** What a refusal takes off a limit that had held: `LOSS_ANSWERS` ÷ the answers since the last event, between these. Source: ADR 0011. */
const LOSS_ANSWERS = 4;
const LOSS_LEAST = 0.06;
const LOSS_MOST = 0.4;
/** Most of what a host stands that refused a request which was alone. */
const ALONE_SAFE = 0.9;
/** Further share taken off while the allowance is used up. */
const POOR = 0.9;
/** Events that come within this show a tolerance that is falling: each takes half a slot more than the one before, up to `FALL_MOST`. */
const FALL_WITHIN: Millis = 120_000;
const FALL_STEP = 0.5;
const FALL_MOST = 2;
const FALL_FROM = 3;
/** What failed is forgiven after so long without an event, then again and again. */
const RELAX_AFTER: Millis = 600_000;
const RELAX_EVERY: Millis = 300_000;
const RELAX = 1.25;
/** An outage forgives the knee once in so long. */
const OUTAGE_EVERY: Millis = 1_800_000;
/** Failed probes of the gate from which an event is a long one. */
const LONG_FROM = 3;
/** A limit has been sustained after so many good answers without an event. */
const SUSTAINED = 100;
/** A request that was alone, at this part of what was sustained, is not refused for its load. */
const BLIND_BELOW = 0.5;
/** Nor is one at this part, when the host then refuses even single requests for a while. */
const OUTAGE_BELOW = 0.75;
/** After such refusals the way back is tried at once, then after this, twice as long for so many times, then seldom. Source: ADR 0014. */
const COMEBACK_EVERY: Millis = 10_000;
const COMEBACKS = 3;
const COMEBACK_SELDOM: Millis = 1_800_000;
/** It begins with this many at once, for it may be refused. */
const COMEBACK_FROM = 2;
/** Fast recovery goes back to this share of the limit before the event. */
const RESTORE = 0.8;
/** After a long event the pace is one per its length, and grows by this an answer until near the knee; there by `CLIMB`. */
const RAMP = 4;
const CLIMB = 1.2;
/** What held and what failed are as good as equal, or far apart. */
const NEAR = 1.05;
const WIDE = 1.25;
/** Steps into the unknown, doubling while they hold: of a pace, and of a part of a slot. */
const PACE_STEP = 1.1;
const PART_STEP = 0.15;
/** An idle limit decays after so long, with this half-life. Source: flow-control.md §1 (row 10). */
const IDLE_AFTER: Millis = 600_000;
const IDLE_HALF: Millis = 1_800_000;

/**
 * The limit itself, one number for window and pace. Whole, or from four on: requests at once. Below one, or a part of a slot: one
 * request per `unit / limit`, exactly. It grows a step a window up to the *knee*, the highest limit believed safe, and above it by
 * probes, which halve the distance to what failed. Source: flow-control.md §2; ADR 0011.
 */
export class Level {
  limit = 1;
  /** Highest limit believed safe. */
  knee = Number.POSITIVE_INFINITY;
  readonly probe = new Probe();
  readonly allowance = new RefusalAllowance();
  /** The limit that failed last; infinite when what is above the knee is unknown. */
  #failed = Number.POSITIVE_INFINITY;
  #kneeBefore = Number.POSITIVE_INFINITY;
  #limitBefore = 1;
  /** Round trip that a pace is counted in: held still, so that the pace does not follow its wobble. Null while the limit is a window. */
  #unit: Millis | null = null;
  /** Good answers since the last event ended, and the most in flight among them. */
  #good = 0;
  #proven = 0;
  #ramp = false;
  #falls = 0;
  #fellAt: Millis = Number.NEGATIVE_INFINITY;
  #cutEver = false;
  /** Nothing has spoken against more yet. */
  #slowStart = true;
  #relaxAt: Millis = Number.POSITIVE_INFINITY;
  #restoreAt: Millis = Number.POSITIVE_INFINITY;
  #outageAt: Millis = Number.NEGATIVE_INFINITY;
  /** What was sustained last; refusals that do not depend on load do not refute it. */
  #sustained = 0;
  #blind = false;
  #comebackAt: Millis = 0;
  #comebacks = 0;

  /** Requests at once. A part of a slot is one that the pace leaves empty for the rest of the time. */
  get slots(): number {
    return Math.max(1, Math.ceil(this.limit - 1e-9));
  }

  /** Between two starts. */
  gap(srtt: Millis): Millis {
    const { limit } = this;
    if (limit >= WHOLE_FROM || (limit >= 1 && Number.isInteger(limit))) return srtt / (SPREAD * limit);
    return (this.#unit ?? srtt) / limit;
  }

  /** A limit that was not used for long is not trusted at full; a pace is kept. */
  idled(idle: Millis): void {
    if (this.limit > 1 && idle > IDLE_AFTER) this.limit = 1 + (this.limit - 1) * 2 ** (-idle / IDLE_HALF);
  }

  /**
   * An event: the one cut it brings.
   * @param level requests in flight when the refused one started.
   * @param late the refusal came long after the request: what went well meanwhile proves nothing about its level.
   */
  cut(beta: number, level: number, late: boolean, srtt: Millis, now: Millis): void {
    const { limit } = this;
    if (this.#good >= SUSTAINED) {
      this.#sustained = limit;
      this.#blind = false;
      this.#comebacks = 0;
    } else if (level <= 1 && limit <= BLIND_BELOW * this.#sustained && this.#sustained >= 2) this.#blind = true;
    const refuted = this.probe.failed(limit < 1, now) || this.#ramp;
    this.#unit ??= srtt;
    const least = this.#unit / SLOWEST;
    let safe = this.#fallen(this.#safe(level, late, refuted), refuted || level <= 1, now);
    if (!this.allowance.allowsTry(now)) safe *= POOR;
    this.#limitBefore = limit;
    this.#kneeBefore = this.knee;
    this.knee = Math.max(least, Math.min(safe, Math.max(this.knee, limit)));
    this.#failed = limit;
    this.#ramp = false;
    this.#cutEver = true;
    this.#slowStart = false;
    this.limit = Math.max(least, limit < 1 ? Math.min(beta * limit, this.knee) : beta * limit);
    this.#relaxAt = now + RELAX_AFTER;
    this.#restoreAt = Number.POSITIVE_INFINITY;
  }

  /** Errors that do not speak of load: less for now, and nothing to remember of how much the host stands. */
  ease(beta: number): void {
    this.#limitBefore = this.limit;
    this.#kneeBefore = this.knee;
    this.#slowStart = false;
    if (this.limit > 1) this.limit = Math.max(1, beta * this.limit);
    this.#restoreAt = Number.POSITIVE_INFINITY;
  }

  /** The event is over. @param closure how long it lasted. */
  reopened(failures: number, closure: Millis, srtt: Millis, now: Millis): void {
    this.probe.closed(closure, this.knee < 1 && this.#failed / this.knee > WIDE, now);
    this.#good = 0;
    this.#proven = 0;
    const soon = now + Math.max(2_000, 3 * srtt);
    if (failures >= LONG_FROM && this.#limitBefore <= OUTAGE_BELOW * this.#sustained && this.#sustained >= 2) this.#blind = true;
    if (failures < LONG_FROM) {
      // The closure was at least a gap: a pace goes on where it was.
      if (this.#limitBefore < 1) this.limit = Math.max(this.limit, Math.min(this.knee, this.#limitBefore));
      else this.#restoreAt = soon;
      return;
    }
    if (this.#limitBefore >= 2 && now - this.#outageAt > OUTAGE_EVERY) {
      // Refused even alone: an outage says nothing about width. Once; the next one counts as a ban.
      this.#outageAt = now;
      this.knee = Math.max(this.knee, Math.min(this.#kneeBefore, this.#limitBefore));
      this.#failed = Number.POSITIVE_INFINITY;
      this.#restoreAt = soon;
      return;
    }
    // What the site allows is no less than one request per closure: from there up, the search is short.
    const unit = this.#unit ?? srtt;
    this.limit = Math.min(this.limit, unit / Math.min(SLOWEST, Math.max(1, closure)));
    this.probe.base = this.limit;
    this.#ramp = true;
  }

  /** A good answer, before it is judged. */
  answered(startedAt: Millis, level: number, now: Millis): void {
    this.#good += 1;
    if (level > this.#proven) this.#proven = level;
    if (this.#restoreAt <= now) {
      this.limit = Math.max(this.limit, Math.min(this.knee, RESTORE * this.#limitBefore));
      this.#restoreAt = Number.POSITIVE_INFINITY;
    }
    if (this.#blind && this.#comebackAt <= now) this.#comeBack(now);
    if (this.#cutEver && this.#relaxAt <= now) {
      if (this.allowance.allowsTry(now)) {
        this.#failed *= RELAX;
        this.probe.relax();
      }
      this.#relaxAt = now + RELAX_EVERY;
    }
    this.probe.answered(startedAt, level >= Math.floor(this.limit));
  }

  /**
   * The host refused what was far below what it had stood: it broke, it did not ask for less. What was learnt of its tolerance
   * meanwhile is void.
   */
  #comeBack(now: Millis): void {
    this.#comebackAt = now + (this.#comebacks < COMEBACKS ? COMEBACK_EVERY * 2 ** this.#comebacks : COMEBACK_SELDOM);
    this.#comebacks += 1;
    this.knee = Math.max(this.knee, this.#sustained);
    this.#failed = Number.POSITIVE_INFINITY;
    this.#good = 0;
    this.#proven = 0;
    this.#ramp = false;
    this.limit = Math.max(this.limit, Math.min(COMEBACK_FROM, this.#sustained));
  }

  /** A good answer to a pace. @returns whether it is one still. */
  quicken(now: Millis): boolean {
    if (this.limit >= 1) return false;
    const room = Math.min(1, this.knee);
    if (this.limit < room) {
      if (this.#ramp && RAMP * this.limit < room) {
        this.probe.base = this.limit;
        this.limit *= RAMP;
      } else {
        this.#ramp = false;
        this.limit = Math.min(room, CLIMB * this.limit);
      }
    } else if (this.probe.paceHolds) {
      const soon = Number.isFinite(this.#failed) ? this.#failed / this.limit > WIDE : this.probe.holds > 0;
      this.probe.held(true, soon, now);
      this.#forgive();
    } else {
      this.#ramp = false;
      this.#try(0, now);
    }
    return this.limit < 1;
  }

  /** The host queues. @returns whether there was anything to take away. */
  shrink(): boolean {
    this.#slowStart = false;
    if (this.limit <= 1) return false;
    this.limit = Math.max(1, this.limit - 1);
    return true;
  }

  /** A window in which the limit was used and the host was as quick as ever. @param free nothing speaks against a step up. */
  grow(free: boolean, inFlight: number, srtt: Millis, now: Millis): void {
    if (free) {
      if (this.#slowStart && this.limit < SLOW_START_TO) this.limit = Math.min(SLOW_START_TO, 2 * this.limit);
      else if (this.limit < this.knee) this.limit = Math.min(this.knee, this.limit + 1);
      else this.#try(inFlight, now);
    }
    if (this.probe.windowHolds(srtt, now)) {
      // The world has changed: go on.
      this.probe.held(false, true, now);
      this.#forgive();
    }
    if (this.limit >= 1 && Number.isInteger(this.limit)) this.#unit = null;
  }

  /** Instants as what is left of them, so that they hold in another process. */
  pack(now: Millis): number[] {
    const flags = (this.#cutEver ? 1 : 0) + (this.#ramp ? 2 : 0) + (this.#slowStart ? 4 : 0) + (this.#blind ? 8 : 0);
    const levels = [this.limit, this.knee, this.#failed, this.#kneeBefore, this.#limitBefore, this.#unit ?? Number.NaN];
    const counts = [this.#good, this.#proven, this.#falls, this.#sustained, this.#comebacks];
    const instants = [this.#fellAt - now, this.#relaxAt - now, this.#restoreAt - now, this.#outageAt - now, this.#comebackAt - now];
    return [flags, ...levels, ...counts, ...instants, ...this.allowance.pack(now), ...this.probe.pack(now)];
  }

  unpack(packed: readonly number[], now: Millis): void {
    const [flags, limit, knee, failed, kneeBefore, limitBefore, unit, good, proven, falls, ...more] = packed;
    const [sustained, comebacks, ...rest] = more;
    this.#cutEver = (flags & 1) !== 0;
    this.#ramp = (flags & 2) !== 0;
    this.#slowStart = (flags & 4) !== 0;
    this.limit = limit;
    this.knee = knee;
    this.#failed = failed;
    this.#kneeBefore = kneeBefore;
    this.#limitBefore = limitBefore;
    this.#unit = Number.isNaN(unit) ? null : unit;
    this.#good = good;
    this.#proven = proven;
    this.#falls = falls;
    this.#blind = (flags & 8) !== 0;
    this.#sustained = sustained;
    this.#comebacks = comebacks;
    [this.#fellAt, this.#relaxAt, this.#restoreAt, this.#outageAt, this.#comebackAt] = rest.map((left) => now + left);
    this.allowance.unpack(rest.slice(5, 6), now);
    this.probe.unpack(rest.slice(6), now);
  }

  /** What is believed safe after a refusal. */
  #safe(level: number, late: boolean, refuted: boolean): number {
    const { limit } = this;
    const { base } = this.probe;
    // The longer it went well, the less it was too much: a site's bucket of a few tokens took that long to drain.
    const less = limit * (1 - Math.min(LOSS_MOST, Math.max(LOSS_LEAST, LOSS_ANSWERS / Math.max(1, this.#good))));
    if (limit < 1) return refuted ? base : less;
    // One that was alone says little about a width that is far above it.
    if (level <= 1 && limit >= WHOLE_FROM && this.#proven > 1) return less;
    if (level <= 1) return refuted && limit > 1 ? base : Math.min(ALONE_SAFE, less);
    // So many at once never went well: the level below the one that failed.
    if (late || level > this.#proven) return refuted ? Math.max(level - 1, Math.min(base, level)) : Math.min(level - 1, limit);
    if (refuted) return base;
    if (level < Math.floor(limit)) return less;
    return limit < WHOLE_FROM ? (level - 1 + limit) / 2 : level - 1;
  }

  /** Runs ahead of a tolerance that falls. */
  #fallen(safe: number, otherCause: boolean, now: Millis): number {
    if (otherCause || this.limit < FALL_FROM) return safe;
    this.#falls = now - this.#fellAt < FALL_WITHIN ? this.#falls + 1 : 0;
    this.#fellAt = now;
    return Math.max(Math.min(safe, 1), safe - Math.min(FALL_MOST, FALL_STEP * this.#falls));
  }

  #try(inFlight: number, now: Millis): void {
    if (!this.probe.isDue(now) || !this.allowance.allowsTry(now)) return;
    const from = this.limit;
    this.limit = from < 1 ? Math.min(1, this.#above()) : this.#above();
    this.knee = Math.max(this.knee, this.limit);
    this.probe.begin(from, this.limit < 1 ? null : Math.ceil(this.limit) + inFlight, now);
  }

  /** The limit to try next: halfway to what failed; a step where that is as good as reached, or unknown. */
  #above(): number {
    const limit = this.limit;
    const failed = this.#failed;
    const { holds } = this.probe;
    const unknown = !Number.isFinite(failed);
    if (limit >= WHOLE_FROM || (unknown && limit >= 1 && Number.isInteger(limit)))
      return Math.floor(limit) + Math.max(1, Math.floor(limit / 10));
    if (unknown || failed / limit < NEAR) {
      if (limit < 1) return limit * Math.min(2, PACE_STEP ** (2 ** holds));
      return Math.min(Math.floor(limit) + 1, limit + PART_STEP * 2 ** holds);
    }
    const half = limit < 1 ? Math.sqrt(limit * failed) : (limit + failed) / 2;
    return Math.min(failed, limit + (half - limit) * 2 ** Math.max(0, holds - 1));
  }

  /** What failed once holds now. */
  #forgive(): void {
    if (this.limit * NEAR >= this.#failed) this.#failed = Number.POSITIVE_INFINITY;
  }
}
