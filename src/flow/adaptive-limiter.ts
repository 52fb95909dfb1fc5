import type { Millis } from "../kernel/units.ts";
import { Gate } from "./gate.ts";
import type { Congestion, HostLimiter, HostSignal, Pace, Permit, ServerHint } from "./host-limiter.ts";
import { LatencySignal } from "./latency-signal.ts";
import { Level } from "./level.ts";

/** What each cause does to the limit, and how long the host is left alone at least. Source: flow-control.md §2. */
const CAUSES: Readonly<Record<Congestion, { readonly beta: number; readonly leastGate: Millis }>> = {
  throttle: { beta: 0.5, leastGate: 0 },
  reset: { beta: 0.5, leastGate: 0 },
  timeout: { beta: 0.5, leastGate: 0 },
  block: { beta: 0.25, leastGate: 300_000 },
  forbidden: { beta: 0.25, leastGate: 0 },
  dribble: { beta: 0.75, leastGate: 0 },
  errors: { beta: 0.75, leastGate: 0 },
};
/** Retry-After is honoured between these. Source: flow-control.md §3. */
const RETRY_AFTER_LEAST: Millis = 1_000;
const RETRY_AFTER_MOST: Millis = 86_400_000;
/** A host is unknown, and asked one thing at a time, for so many requests. Source: flow-control.md §1 (row 16). */
const UNKNOWN_FOR = 5;
/** Longest pace of the limiter's own. */
const GAP_MOST: Millis = 600_000;
/** Gaps vary by this share to both sides, so that hosts do not beat in step. Source: flow-control.md §1 (row 20); ADR 0011. */
const JITTER = 0.05;
/** A window's start that comes late by up to this is made up for: timers are no finer, and hosts that answer within it need no spreading. Source: guess. */
const SLACK: Millis = 5;
/** A window lasts at least so long, and holds at least so many answers. */
const WINDOW_LEAST: Millis = 1_000;
const ANSWERS_LEAST = 3;
/** A hint that no answer repeats lapses after this, or twice its gap. Source: guess. */
const HINT_LASTS: Millis = 60_000;
/** From this limit on, base is renewed by requests that are alone. */
const WIDE = 2;
/** Marks the packed state; another one is not read. */
const STATE_VERSION = 12;
const STATE_LENGTH = 45;

/**
 * The adaptive limiter: how much one host is asked at once, or how seldom.
 *
 * Invariants: 0 ≤ in flight ≤ max(1, ⌊ceiling⌋); one cut an event, and one more when an event of three failed probes or more ends;
 * nothing starts while the gate is shut; starts are at least the polite delay apart; the limit grows only when it was used.
 * Source: flow-control.md §2; ADR 0011.
 */
export class AdaptiveLimiter implements HostLimiter {
  readonly #gate = new Gate();
  readonly #latency = new LatencySignal();
  readonly #level = new Level();
  #ceiling: number;
  #gap: Millis;
  #hint: ServerHint | null = null;
  #hintUntil: Millis = 0;
  #inFlight = 0;
  #seen = 0;
  #cuts = 0;
  #nextStart: Millis = 0;
  #lastStart: Millis = Number.NEGATIVE_INFINITY;
  #lastWeight = 1;
  /** End of a polite delay that ran when the state was stored. */
  #politeLeft: Millis = 0;
  #windowSince: Millis = 0;
  #windowAnswers = 0;
  /** Most in flight in the window. */
  #windowMost = 0;

  constructor(pace: Pace) {
    this.#ceiling = pace.ceiling;
    this.#gap = pace.gap;
  }

  get limit(): number {
    return Math.min(this.#level.limit, this.#ceiling);
  }
  get inFlight(): number {
    return this.#inFlight;
  }
  get gateUntil(): Millis {
    return this.#gate.until;
  }
  get halfOpen(): boolean {
    return this.#gate.halfOpen;
  }
  get cuts(): number {
    return this.#cuts;
  }

  admitAt(now: Millis): Millis {
    const polite = this.#lastStart + this.#politeGap(now) * this.#lastWeight;
    if (this.#gate.halfOpen)
      return this.#inFlight === 0 ? Math.max(now, this.#gate.until, this.#politeLeft, polite) : Number.POSITIVE_INFINITY;
    if (this.#inFlight > 0 && !this.#hasRoom(now)) return Number.POSITIVE_INFINITY;
    return Math.max(now, this.#gate.until, this.#nextStart, polite);
  }

  start(now: Millis, random: () => number, weight = 1): Permit {
    this.#level.idled(now - this.#lastStart);
    this.#latency.started(now);
    const alone = this.#inFlight === 0;
    this.#inFlight += 1;
    if (this.#inFlight > this.#windowMost) this.#windowMost = this.#inFlight;
    this.#lastStart = now;
    this.#lastWeight = weight;
    const gap = this.#ownGap() * (1 - JITTER + 2 * JITTER * random());
    this.#nextStart = Math.max(now - (this.#level.limit >= 1 ? SLACK : 0), this.#nextStart) + gap * weight;
    return { at: now, level: this.#inFlight, alone };
  }

  end(permit: Permit, signal: HostSignal, now: Millis, random: () => number): void {
    this.#inFlight -= 1;
    this.#seen += 1;
    switch (signal.kind) {
      case "ok":
        this.#good(permit, signal.ttfb, now, random);
        return;
      case "neutral":
        this.#gate.undecided(now);
        return;
      case "congestion":
        this.#congested(permit, signal.cause, signal.retryAfter, now, random);
        return;
      default:
        signal satisfies never;
    }
  }

  pace(pace: Pace): void {
    this.#ceiling = pace.ceiling;
    this.#gap = pace.gap;
    this.#level.limit = Math.min(this.#level.limit, pace.ceiling);
  }

  hint(hint: ServerHint, now: Millis): void {
    this.#hint = hint;
    this.#hintUntil = now + Math.max(HINT_LASTS, 2 * hint.gap);
    if (hint.closedFor > 0) this.#gate.lengthen(now + Math.min(RETRY_AFTER_MOST, hint.closedFor));
  }

  #ownGap(): Millis {
    return Math.min(GAP_MOST, this.#level.gap(this.#latency.srtt));
  }

  /** Room for another beside those in flight. */
  #hasRoom(now: Millis): boolean {
    if (this.#seen < UNKNOWN_FOR) return false;
    if (this.#level.limit > WIDE && this.#latency.isBaseDue(now)) return false;
    const said = now < this.#hintUntil ? (this.#hint?.concurrent ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    return this.#inFlight < Math.floor(Math.min(this.#level.slots, this.#ceiling, said));
  }

  #politeGap(now: Millis): Millis {
    return this.#hint !== null && now < this.#hintUntil ? Math.max(this.#gap, this.#hint.gap) : this.#gap;
  }

  #congested(permit: Permit, cause: Congestion, retryAfter: Millis | null, now: Millis, random: () => number): void {
    const { beta, leastGate } = CAUSES[cause];
    const late = cause === "timeout";
    if (late) this.#level.probe.timedOut();
    // A site that breaks now and then has not said how much it stands.
    const isOfLoad = cause !== "errors";
    if (isOfLoad) this.#level.allowance.refused(now);
    const asked = retryAfter === null ? 0 : Math.min(RETRY_AFTER_MOST, Math.max(RETRY_AFTER_LEAST, retryAfter));
    if (permit.at <= this.#gate.lastCut) {
      this.#gate.lengthen(now + asked);
      return;
    }
    const another = this.#gate.halfOpen;
    this.#gate.close(now, Math.max(asked, leastGate), random);
    // A failed probe only lengthens the gate; what three of them say is taken when the event ends.
    if (another) return;
    if (isOfLoad) this.#level.cut(beta, permit.level, late, this.#latency.srtt, now);
    else this.#level.ease(beta);
    this.#newWindow(now);
    this.#cuts += 1;
  }

  #good(permit: Permit, ttfb: Millis | null, now: Millis, random: () => number): void {
    const gate = this.#gate;
    if (gate.halfOpen && permit.at >= gate.until) {
      const { failures } = gate;
      this.#level.reopened(failures, gate.open(permit.at), this.#latency.srtt, now);
      this.#nextStart = Math.min(this.#nextStart, permit.at + this.#ownGap());
    }
    if (ttfb !== null) {
      this.#latency.sample(ttfb, permit.alone);
      // The gap after the first start was reckoned with a round trip that nobody had measured.
      if (this.#seen === 1 && !gate.halfOpen) this.#nextStart = Math.min(this.#nextStart, permit.at + this.#ownGap());
      if (permit.alone && this.#level.limit > WIDE && this.#latency.isBaseDue(now)) this.#latency.renewed(now, random);
    }
    this.#level.answered(permit.at, permit.level, now);
    // A window is judged by what started in it: earlier answers tell of the limit before.
    if (this.#level.quicken(now) || permit.at < this.#windowSince) return;
    this.#windowAnswers += 1;
    if (ttfb !== null) this.#latency.push(ttfb);
    if (this.#windowAnswers < Math.max(ANSWERS_LEAST, Math.ceil(this.#level.limit))) return;
    if (now - this.#windowSince >= Math.max(WINDOW_LEAST, 2 * this.#latency.srtt)) this.#adapt(now);
  }

  /** Once a window. */
  #adapt(now: Millis): void {
    const level = this.#level;
    const verdict = this.#latency.judge(level.limit <= 1);
    if (verdict === "unsure") return;
    if (verdict === "busy") {
      if (level.shrink()) this.#latency.lowered(level.limit, now);
    } else if (verdict === "calm" && this.#windowMost >= level.limit / 2)
      level.grow(this.#latency.allowsMore(level.limit, now), this.#inFlight, this.#latency.srtt, now);
    level.limit = Math.min(level.limit, this.#ceiling);
    this.#newWindow(now);
  }

  #newWindow(now: Millis): void {
    this.#latency.clear();
    this.#windowSince = now;
    this.#windowAnswers = 0;
    this.#windowMost = this.#inFlight;
  }

  state(now: Millis): Uint8Array {
    const polite = Math.max(this.#politeLeft, this.#lastStart + this.#politeGap(now) * this.#lastWeight);
    const packed = [
      STATE_VERSION,
      this.#seen,
      this.#cuts,
      Math.max(now, this.#gate.halfOpen ? 0 : this.#nextStart, polite) - now,
      this.#lastStart - now,
      ...this.#gate.pack(now),
      ...this.#latency.pack(now),
      ...this.#level.pack(now),
    ];
    return new Uint8Array(Float64Array.from(packed).buffer);
  }

  restore(state: Uint8Array, now: Millis, gateLeft: Millis): void {
    if (gateLeft > 0) this.#gate.lengthen(now + gateLeft);
    if (state.byteLength !== STATE_LENGTH * Float64Array.BYTES_PER_ELEMENT) return;
    const [version, seen, cuts, gapLeft, lastStart, ...parts] = new Float64Array(state.slice().buffer);
    if (version !== STATE_VERSION) return;
    this.#seen = seen;
    this.#cuts = cuts;
    this.#nextStart = now + gapLeft;
    this.#politeLeft = now + gapLeft;
    this.#lastStart = now + lastStart;
    this.#gate.unpack(parts.slice(0, 4), now);
    this.#latency.unpack(parts.slice(4, 11), now);
    this.#level.unpack(parts.slice(11), now);
    this.#newWindow(now);
  }
}
