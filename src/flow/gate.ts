import type { Millis } from "../kernel/units.ts";

/** Back-off of the first closure, and its most. Source: flow-control.md §8. */
const FIRST: Millis = 1_000;
const MOST: Millis = 300_000;
/** A half-open host whose probe ended without a verdict is asked again after this. */
const UNDECIDED: Millis = 1_000;
/** Failed probes from which an event counts as a long one, whose length is worth remembering. */
const LONG_FROM = 3;
/** The first closure of an event is drawn from up to this many times the last long one: the draw is U(b/2, b). */
const RECOVERY_SHARE = 1.6;
/** What a short event leaves of the remembered length. */
const FORGET = 0.9;

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
  /** How long the last long event lasted: a host known to ban is left alone for as long at once. */
  recovery: Millis = 0;

  /** An event begins, or its probe has failed. */
  close(now: Millis, least: Millis, random: () => number): void {
    if (!this.halfOpen) this.eventAt = now;
    this.halfOpen = true;
    this.failures += 1;
    this.lastCut = now;
    const known = this.failures === 1 ? RECOVERY_SHARE * this.recovery : 0;
    const backoff = Math.min(MOST, Math.max(FIRST * 2 ** (this.failures - 1), known));
    this.lengthen(now + Math.max(least, backoff / 2 + (random() * backoff) / 2));
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
    this.recovery = this.failures >= LONG_FROM ? Math.max(took, this.recovery) : FORGET * this.recovery;
    this.halfOpen = false;
    this.failures = 0;
    return took;
  }

  /** Without `until`, which is kept as an instant of its own. */
  pack(now: Millis): number[] {
    return [this.halfOpen ? 1 : 0, this.failures, this.eventAt - now, this.recovery];
  }

  unpack(packed: Float64Array, now: Millis): void {
    this.halfOpen = packed[0] === 1;
    this.failures = packed[1];
    this.eventAt = now + packed[2];
    this.recovery = packed[3];
  }
}
