import type { Millis } from "../kernel/units.ts";
import type { HostLimiter, HostSignal, Pace, Permit, ServerHint } from "./host-limiter.ts";

/** Longest back-off of the gate and its first step. Source: flow-control.md §8. */
const GATE_FIRST: Millis = 1_000;
const GATE_MOST: Millis = 300_000;
/** A half-open host that ended without a verdict is asked again after this. */
const UNDECIDED: Millis = 1_000;
/** Marks the packed state; another one is not read. */
const STATE_VERSION = 2;
/** Gaps are stretched by up to a tenth, so that many hosts do not beat in step. */
const JITTER = 0.1;

/**
 * Fixed limit under a ceiling, with a gate.
 *
 * States: *open* (up to `ceiling` in flight, `gap` between starts) → *closed* on a congestion signal (no start before
 * `gateUntil` = max(Retry-After, U(b/2, b)), b = min(5 min, 1 s · 2^(k−1)), k = events since the last success) →
 * *half-open* (exactly one request) → *open* on success, *closed* again with k + 1 on another congestion signal.
 * A congestion signal of a request that started before the event belongs to that event: it only lengthens the gate.
 * Source: flow-control.md §1 (rows 1, 3) and §2 (gate).
 */
export class CeilingLimiter implements HostLimiter {
  #ceiling: number;
  #gap: Millis;
  #inFlight = 0;
  #gateUntil: Millis = 0;
  #halfOpen = false;
  #events = 0;
  #cuts = 0;
  #eventAt: Millis = Number.NEGATIVE_INFINITY;
  #nextStart: Millis = 0;

  constructor(pace: Pace) {
    this.#ceiling = pace.ceiling;
    this.#gap = pace.gap;
  }

  get limit(): number {
    return this.#halfOpen ? 1 : this.#ceiling;
  }
  get inFlight(): number {
    return this.#inFlight;
  }
  get gateUntil(): Millis {
    return this.#gateUntil;
  }
  get halfOpen(): boolean {
    return this.#halfOpen;
  }

  admitAt(now: Millis): Millis {
    if (this.#inFlight >= this.limit) return Number.POSITIVE_INFINITY;
    return Math.max(now, this.#gateUntil, this.#nextStart);
  }

  start(now: Millis, random: () => number): Permit {
    const alone = this.#inFlight === 0;
    this.#inFlight += 1;
    // The gap a site asked for is a least gap: jitter only lengthens it.
    if (this.#gap > 0) this.#nextStart = Math.max(now, this.#nextStart) + this.#gap * (1 + JITTER * random());
    return { at: now, level: this.#inFlight, alone };
  }

  end(permit: Permit, signal: HostSignal, now: Millis, random: () => number): void {
    this.#inFlight -= 1;
    switch (signal.kind) {
      case "ok":
        if (this.#halfOpen && permit.at >= this.#gateUntil) {
          this.#halfOpen = false;
          this.#events = 0;
          this.#gateUntil = 0;
        }
        return;
      case "neutral":
        if (this.#halfOpen) this.#gateUntil = Math.max(this.#gateUntil, now + UNDECIDED);
        return;
      case "congestion": {
        const retryAfter = signal.retryAfter ?? 0;
        if (permit.at <= this.#eventAt) {
          this.#gateUntil = Math.max(this.#gateUntil, now + retryAfter);
          return;
        }
        this.#events += 1;
        this.#cuts += 1;
        this.#eventAt = now;
        this.#halfOpen = true;
        const backoff = Math.min(GATE_MOST, GATE_FIRST * 2 ** (this.#events - 1));
        this.#gateUntil = now + Math.max(retryAfter, backoff / 2 + (random() * backoff) / 2);
        return;
      }
      default:
        signal satisfies never;
    }
  }

  get cuts(): number {
    return this.#cuts;
  }
  hint(hint: ServerHint, now: Millis): void {
    if (hint.closedFor > 0) this.#gateUntil = Math.max(this.#gateUntil, now + hint.closedFor);
  }

  pace(pace: Pace): void {
    this.#ceiling = pace.ceiling;
    this.#gap = pace.gap;
  }

  state(now: Millis): Uint8Array {
    const gapLeft = Math.max(0, this.#nextStart - now);
    return new Uint8Array(new Float64Array([STATE_VERSION, this.#events, this.#halfOpen ? 1 : 0, gapLeft]).buffer);
  }

  restore(state: Uint8Array, now: Millis, gateLeft: Millis): void {
    this.#gateUntil = gateLeft > 0 ? now + gateLeft : 0;
    if (state.byteLength !== 4 * Float64Array.BYTES_PER_ELEMENT) return;
    const view = new Float64Array(state.slice().buffer);
    if (view[0] !== STATE_VERSION) return;
    this.#events = view[1];
    this.#halfOpen = view[2] === 1;
    this.#nextStart = view[3] > 0 ? now + view[3] : 0;
  }
}
