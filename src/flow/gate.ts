import type { Millis } from "../kernel/units.ts";

/** Back-off of the first closure, and its most. Source: flow-control.md §8. */
const FIRST: Millis = 1_000;
const MOST: Millis = 300_000;
/** A half-open host whose probe ended without a verdict is asked again after this. */
const UNDECIDED: Millis = 1_000;
/** Failed probes from which an event is a long one, whose length is worth remembering. */
const LONG_FROM = 3;
/** What an event that ended at once leaves of the remembered length. */
const FORGET = 0.9;
/** A host known to ban is left alone for as long at once, give or take this share; then for at least this part of it each time. */
const KNOWN_SPREAD = 0.05;
const KNOWN_AGAIN = 0.25;

/**
 * A host's switch. States: *open* → *closed* when an event begins, until max(Retry-After, U(b/2, b)) → *half-open*, one request
 * (the probe) → *open* on its success, *closed* again for twice as long on its failure. Source: flow-control.md §1 (row 3), §2.
 */
export class Gate {
  until: Millis = 0;
  halfOpen = false;
  /** Failures in the running event; 0 when open. */
  failures = 0;
  /** When the running event began. */
  eventAt: Millis = 0;
  /** A request that started no later than this belongs to an event that is already known. */
  lastCut: Millis = Number.NEGATIVE_INFINITY;
  /** How long the last long event lasted. */
  recovery: Millis = 0;

  /** An event begins, or its probe has failed. */
  close(now: Millis, least: Millis, random: () => number): void {
    if (!this.halfOpen) this.eventAt = now;
    this.halfOpen = true;
    this.failures += 1;
    this.lastCut = now;
    const spread = 0.5 + random() / 2;
    const backoff = Math.min(MOST, FIRST * 2 ** (this.failures - 1)) * spread;
    // An outage of hours is no ban: nobody is left alone for longer than the longest back-off because of it.
    const known = Math.min(MOST, this.recovery) * (this.failures === 1 ? 1 + KNOWN_SPREAD * (4 * spread - 3) : KNOWN_AGAIN * spread);
    this.lengthen(now + Math.max(least, backoff, known));
  }

  lengthen(until: Millis): void {
    if (until > this.until) this.until = until;
  }

  /** The probe said nothing about the host. */
  undecided(now: Millis): void {
    if (this.halfOpen) this.lengthen(now + UNDECIDED);
  }

  /** The probe that started then succeeded. @returns how long the host was shut, as far as is known. */
  open(probeAt: Millis): Millis {
    const took = probeAt - this.eventAt;
    if (this.failures >= LONG_FROM) this.recovery = Math.max(took, this.recovery);
    else this.recovery = this.failures > 1 && this.recovery > 0 ? took : FORGET * this.recovery;
    this.halfOpen = false;
    this.failures = 0;
    return took;
  }

  /** Without `until`, which is kept as an instant of its own. */
  pack(now: Millis): number[] {
    return [this.halfOpen ? 1 : 0, this.failures, this.eventAt - now, this.recovery];
  }

  unpack([halfOpen, failures, eventLeft, recovery]: readonly number[], now: Millis): void {
    this.halfOpen = halfOpen === 1;
    this.failures = failures;
    this.eventAt = now + eventLeft;
    this.recovery = recovery;
  }
}
