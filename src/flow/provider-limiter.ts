import type { Millis } from "../kernel/units.ts";

/** Calls at once to begin with when the plan is not known, and up to where each clean round doubles them. Source: flow-control.md §2. */
const START = 2;
const DOUBLE_TO = 8;
/** Factor of a refusal when the plan is not known. Source: flow-control.md §2. */
const BETA = 0.5;
/** How often one call more than the level found is tried, at first and at most; a plan that is stated is tried again sooner. Source: new. */
const PROBE_UNKNOWN: Millis = 30_000;
const PROBE_KNOWN: Millis = 5_000;
const PROBE_MOST: Millis = 600_000;
/** Back-off when a call is refused though we hold no other: somebody else uses the plan. Source: new. */
const ALONE_FIRST: Millis = 500;
const ALONE_MOST: Millis = 30_000;
/** Silent or broken answers in a row from which the provider counts as down, and its back-off. Source: flow-control.md §8 (gate). */
const DOWN_FROM = 3;
const DOWN_FIRST: Millis = 1_000;
const DOWN_MOST: Millis = 300_000;
/** Most calls at once whatever is found out; the overall concurrency is below it. */
const CEILING = 4_096;
const STATE_VERSION = 1;

/** A call in flight; ended exactly once. */
export interface CallPermit {
  readonly at: Millis;
  /** Calls in flight with this one, when it started. */
  readonly level: number;
}

/** What the end of a call says about the provider. */
export type CallSignal =
  | { readonly kind: "ok" }
  /** More calls at once than the plan allows. */
  | { readonly kind: "busy"; readonly retryAfter: Millis | null }
  /** Silent, broken, or an error of its own. */
  | { readonly kind: "down" }
  | { readonly kind: "neutral" };

/**
 * Calls at once to one provider. Pure, and polled as a host's limiter is.
 *
 * A plan whose number is known is used in full. An unknown one begins at 2, doubles each clean round up to 8, then grows by
 * one; a refusal halves it, once an event. A refusal also tells the plan's number: a call that was refused at level n was one
 * too many, so n − 1 is the level to come back to, and beyond it one more is tried seldom. As long as that level was held
 * before, the next good answer leads back to it; a plan that shrank is found by halving again.
 * Three broken answers in a row close it, for twice as long each time, until one call alone gets through.
 */
export class ProviderLimiter {
  readonly #cap: number | null;
  #limit: number;
  #knee: number;
  #inFlight = 0;
  /** Highest level of a whole clean round. */
  #held = 0;
  #round = 0;
  #roundMost = 0;
  #lastCut: Millis = Number.NEGATIVE_INFINITY;
  #eventOpen = false;
  #probeEvery: Millis;
  #probeAt: Millis = 0;
  #probing = false;
  #gateUntil: Millis = 0;
  #aloneRun = 0;
  #downRun = 0;
  #downAt: Millis = Number.NEGATIVE_INFINITY;
  #halfOpen = false;
  #cuts = 0;

  /** @param cap the plan's calls at once; null when nobody knows it. */
  constructor(cap: number | null) {
    this.#cap = cap;
    this.#limit = cap ?? START;
    this.#knee = cap ?? Number.POSITIVE_INFINITY;
    this.#probeEvery = cap === null ? PROBE_UNKNOWN : PROBE_KNOWN;
  }

  /** Calls at once at this moment. */
  get limit(): number {
    return this.#halfOpen ? 1 : Math.floor(this.#limit);
  }
  get inFlight(): number {
    return this.#inFlight;
  }
  get gateUntil(): Millis {
    return this.#gateUntil;
  }
  /** Down: closed until one call alone gets through. */
  get halfOpen(): boolean {
    return this.#halfOpen;
  }
  /** Events of refusal so far. */
  get cuts(): number {
    return this.#cuts;
  }

  /** When may the next call start? `Infinity`: not before one ends. */
  admitAt(now: Millis): Millis {
    return this.#inFlight >= this.limit ? Number.POSITIVE_INFINITY : Math.max(now, this.#gateUntil);
  }

  start(now: Millis): CallPermit {
    this.#inFlight += 1;
    this.#roundMost = Math.max(this.#roundMost, this.#inFlight);
    return { at: now, level: this.#inFlight };
  }

  end(permit: CallPermit, signal: CallSignal, now: Millis, random: () => number): void {
    this.#inFlight -= 1;
    switch (signal.kind) {
      case "ok":
        return this.#answered(permit, now);
      case "busy":
        return this.#refused(permit, signal.retryAfter, now, random);
      case "down":
        return this.#broke(permit, now, random);
      case "neutral":
        return;
      default:
        signal satisfies never;
    }
  }

  #answered(permit: CallPermit, now: Millis): void {
    this.#downRun = 0;
    if (this.#halfOpen && permit.at >= this.#gateUntil) this.#halfOpen = false;
    const later = permit.at > this.#lastCut;
    if (later) this.#aloneRun = 0;
    // A level that was held a moment ago needs no second proof.
    if (this.#eventOpen && (later || this.#knee >= this.#held) && this.#held > 0) {
      this.#eventOpen = false;
      this.#limit = Math.max(this.#limit, this.#knee);
      this.#newRound();
      return;
    }
    if (!later) return;
    this.#eventOpen = false;
    this.#round += 1;
    if (this.#round < this.limit) return;
    if (this.#roundMost >= this.limit) this.#grow(now);
    this.#newRound();
  }

  /** After a round of good answers in which the limit was used. */
  #grow(now: Millis): void {
    this.#held = Math.max(this.#held, this.limit);
    if (this.#probing && this.#limit >= this.#knee) {
      // The level tried has held: the plan is wider than was found, so the next one is tried soon.
      this.#probing = false;
      this.#probeEvery = Math.max(this.#cap === null ? PROBE_UNKNOWN : PROBE_KNOWN, this.#probeEvery / 2);
      this.#probeAt = now;
    }
    if (this.#limit < this.#knee) {
      const more = this.#knee !== Number.POSITIVE_INFINITY ? this.#knee : this.#limit < DOUBLE_TO ? this.#limit * 2 : this.#limit + 1;
      this.#limit = Math.min(CEILING, this.#knee, this.#limit < DOUBLE_TO && this.#knee > DOUBLE_TO ? Math.min(more, DOUBLE_TO) : more);
      return;
    }
    if (now < this.#probeAt || this.#limit >= (this.#cap ?? CEILING)) return;
    this.#probing = true;
    this.#limit += 1;
    this.#knee = this.#limit;
    this.#probeAt = now + this.#probeEvery;
  }

  #refused(permit: CallPermit, retryAfter: Millis | null, now: Millis, random: () => number): void {
    const level = Math.max(1, permit.level - 1);
    if (permit.at <= this.#lastCut) {
      // Same event: it only says more exactly how many were too many.
      this.#knee = Math.min(this.#knee, level);
      this.#limit = Math.min(this.#limit, this.#knee);
    } else {
      this.#cuts += 1;
      this.#lastCut = now;
      this.#eventOpen = true;
      if (level < this.#held) this.#held = 0;
      this.#knee = level;
      this.#limit = Math.max(1, this.#cap === null ? Math.min(level, this.#limit * BETA) : level);
      if (this.#probing) this.#probeEvery = Math.min(PROBE_MOST, this.#probeEvery * 2);
      this.#probing = false;
      this.#probeAt = now + this.#probeEvery;
      this.#newRound();
    }
    if (retryAfter !== null) this.#gateUntil = Math.max(this.#gateUntil, now + retryAfter);
    else if (this.#inFlight === 0) {
      // No end of ours will tell when there is room again.
      const backoff = Math.min(ALONE_MOST, ALONE_FIRST * 2 ** this.#aloneRun);
      this.#gateUntil = Math.max(this.#gateUntil, now + backoff / 2 + (random() * backoff) / 2);
    }
    if (permit.level === 1) this.#aloneRun += 1;
  }

  #broke(permit: CallPermit, now: Millis, random: () => number): void {
    if (permit.at <= this.#downAt) return;
    this.#downRun += 1;
    if (this.#downRun < DOWN_FROM) return;
    const backoff = Math.min(DOWN_MOST, DOWN_FIRST * 2 ** (this.#downRun - DOWN_FROM));
    this.#downAt = now;
    this.#halfOpen = true;
    this.#gateUntil = Math.max(this.#gateUntil, now + backoff / 2 + (random() * backoff) / 2);
  }

  #newRound(): void {
    this.#round = 0;
    this.#roundMost = this.#inFlight;
  }

  /** What was found out, for the store; null when nothing was. */
  state(): readonly number[] | null {
    return Number.isFinite(this.#knee) && this.#knee !== this.#cap ? [STATE_VERSION, this.#knee] : null;
  }

  restore(state: readonly number[]): void {
    const [version, knee] = state;
    if (version !== STATE_VERSION || !(knee >= 1)) return;
    this.#knee = Math.min(knee, this.#cap ?? CEILING);
    this.#limit = this.#cap === null ? Math.max(1, Math.min(this.#knee, Math.max(START, this.#knee * BETA))) : this.#knee;
  }
}
