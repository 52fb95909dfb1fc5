import type { Millis } from "../kernel/units.ts";

/** Between two tries: at first, and at most where a closure is short. Source: flow-control.md §2; ADR 0011. */
const EVERY_FIRST: Millis = 30_000;
const EVERY_MOST: Millis = 300_000;
/** Trying costs a closure when it fails: a try at most every so many times the last one, up to an hour. */
const PER_CLOSURE = 20;
const FLOOR_MOST: Millis = 3_600_000;
/** Where what held and what failed are far apart, the search pays for its closures: so many times the last one. */
const PER_CLOSURE_WIDE = 3;
/** A level that fails so soon after it was taken as holding did not hold. */
const FALSE_HOLD: Millis = 120_000;
/** After each of those a try is watched so many times longer, up to `PATIENCE_MOST`. */
const PATIENCE_STEP = 3;
const PATIENCE_MOST = 27;
/** Answers by which a pace is judged, and the most that patience makes of it. */
const PACE_ANSWERS = 6;
const PACE_PATIENCE_MOST = 9;
/** A pace answers so seldom that its failure may show this much later. */
const PACE_TAIL: Millis = 300_000;
/** How long a level is watched: longer where refusals are silence. */
const TAIL: Millis = 3_000;
const TIMEOUT_TAIL: Millis = 32_000;
/** The next step up after one that held. */
const NEXT_STEP: Millis = 5_000;

/**
 * Trying a limit above the one believed safe: when, from where, and whether it held. The interval doubles with each failure and
 * halves with each success. A try that only seemed to hold (a site's bucket took a while to drain) makes the next ones patient.
 */
export class Probe {
  active = false;
  /** The limit it started from. */
  base = 0;
  /** Tries that held one after another. */
  holds = 0;
  #every: Millis = EVERY_FIRST;
  #floor: Millis = EVERY_FIRST;
  #next: Millis = 0;
  #since: Millis = Number.NEGATIVE_INFINITY;
  #heldAt: Millis = Number.NEGATIVE_INFINITY;
  #left = 0;
  #reached = false;
  #patience = 1;
  #closure: Millis = 0;
  #sawTimeout = false;

  timedOut(): void {
    this.#sawTimeout = true;
  }

  isDue(now: Millis): boolean {
    return !this.active && this.#next <= now;
  }

  /** @param answers that must be good; null for a pace. */
  begin(base: number, answers: number | null, now: Millis): void {
    this.active = true;
    this.base = base;
    this.#since = now;
    this.#left = answers ?? PACE_ANSWERS * Math.min(this.#patience, PACE_PATIENCE_MOST);
    this.#reached = false;
    this.#next = now + this.#every;
  }

  answered(startedAt: Millis, atLimit: boolean): void {
    if (!this.active || startedAt < this.#since) return;
    this.#left -= 1;
    this.#reached ||= atLimit;
  }

  /** A pace that was tried holds. */
  get paceHolds(): boolean {
    return this.active && this.#left <= 0;
  }

  /** A window that was tried holds: it was filled, and refusals have had the time to come. */
  windowHolds(srtt: Millis, now: Millis): boolean {
    if (!this.active || !this.#reached || this.#left > 0) return false;
    return now - this.#since > this.#patience * (this.#sawTimeout ? TIMEOUT_TAIL : Math.max(TAIL, 4 * srtt));
  }

  /** It held: the next one is `soon`, or after the closure it may cost. */
  held(isPace: boolean, soon: boolean, now: Millis): void {
    this.active = false;
    this.#heldAt = now;
    this.holds += 1;
    this.#ease();
    if (!isPace) this.#next = now + NEXT_STEP;
    else this.#next = now + (soon ? Math.min(this.#every, PER_CLOSURE_WIDE * this.#closure) : this.#every);
  }

  /** An event has begun. @returns whether it refutes the last try: then its base is what is safe. */
  failed(isPace: boolean, now: Millis): boolean {
    const seemedToHold = !this.active && now - this.#heldAt < FALSE_HOLD;
    const refuted = this.active || seemedToHold;
    if (seemedToHold) this.#patience = Math.min(PATIENCE_MOST, PATIENCE_STEP * this.#patience);
    if (refuted || (isPace && now - this.#since < PACE_TAIL)) this.#every = Math.min(Math.max(EVERY_MOST, this.#floor), 2 * this.#every);
    this.active = false;
    this.holds = 0;
    this.#heldAt = Number.NEGATIVE_INFINITY;
    this.#next = now + this.#every;
    return refuted;
  }

  /** The event is over. `wide`: what held and what failed are far apart. */
  closed(closure: Millis, wide: boolean, now: Millis): void {
    this.#closure = closure;
    this.#floor = Math.min(FLOOR_MOST, Math.max(EVERY_FIRST, PER_CLOSURE * closure));
    this.#every = Math.max(this.#every, this.#floor);
    this.#next = wide ? now + PER_CLOSURE_WIDE * closure : Math.max(this.#next, now + this.#every);
  }

  /** Nothing has failed for long. */
  relax(): void {
    this.#ease();
    this.#patience = Math.max(1, this.#patience / 2);
  }

  #ease(): void {
    this.#every = Math.max(this.#floor, this.#every / 2);
  }

  /** Instants as what is left of them, so that they hold in another process. */
  pack(now: Millis): number[] {
    const { active, base, holds } = this;
    const flags = (active ? 1 : 0) + (this.#reached ? 2 : 0) + (this.#sawTimeout ? 4 : 0);
    const instants = [this.#next - now, this.#since - now, this.#heldAt - now];
    return [flags, base, holds, this.#every, this.#floor, ...instants, this.#left, this.#patience, this.#closure];
  }

  unpack(packed: readonly number[], now: Millis): void {
    const [flags, base, holds, every, floor, next, since, heldAt, left, patience, closure] = packed;
    this.active = (flags & 1) !== 0;
    this.#reached = (flags & 2) !== 0;
    this.#sawTimeout = (flags & 4) !== 0;
    this.base = base;
    this.holds = holds;
    this.#every = every;
    this.#floor = floor;
    this.#next = now + next;
    this.#since = now + since;
    this.#heldAt = now + heldAt;
    this.#left = left;
    this.#patience = patience;
    this.#closure = closure;
  }
}
