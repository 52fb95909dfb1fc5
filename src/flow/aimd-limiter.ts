import type { Millis } from "../kernel/units.ts";
import type { HostLimiter, HostSignal, Pace, Permit, ServerHint } from "./host-limiter.ts";

/** Where the textbook starts. Source: spec B1. */
const FIRST = 4;
/** Marks the packed state; another one is not read. */
const STATE_VERSION = 20;

/**
 * Additive increase, multiplicative decrease as usually printed, for comparison: a good answer adds `1 / ⌊limit⌋`, a throttle or a
 * timeout halves, down to one in flight; no gate, no memory, no latency. The delays that a site or a person asked for hold.
 * Source: flow-control.md §1.
 */
export class AimdLimiter implements HostLimiter {
  readonly gateUntil = 0;
  readonly halfOpen = false;
  #limit = FIRST;
  #ceiling: number;
  #gap: Millis;
  #inFlight = 0;
  #cuts = 0;
  #lastStart: Millis = Number.NEGATIVE_INFINITY;
  #lastWeight = 1;

  constructor(pace: Pace) {
    this.#ceiling = pace.ceiling;
    this.#gap = pace.gap;
  }

  get limit(): number {
    return Math.min(this.#limit, this.#ceiling);
  }
  get inFlight(): number {
    return this.#inFlight;
  }
  get cuts(): number {
    return this.#cuts;
  }

  admitAt(now: Millis): Millis {
    if (this.#inFlight >= Math.max(1, Math.floor(this.limit))) return Number.POSITIVE_INFINITY;
    return Math.max(now, this.#lastStart + this.#gap * this.#lastWeight);
  }

  start(now: Millis, _random: () => number, weight = 1): Permit {
    this.#inFlight += 1;
    this.#lastStart = now;
    this.#lastWeight = weight;
    return { at: now, level: this.#inFlight, alone: this.#inFlight === 1 };
  }

  end(_permit: Permit, signal: HostSignal): void {
    this.#inFlight -= 1;
    switch (signal.kind) {
      case "ok":
        this.#limit = Math.min(this.#ceiling, this.#limit + 1 / Math.max(1, Math.floor(this.#limit)));
        return;
      case "neutral":
        return;
      case "congestion":
        this.#limit = Math.max(1, this.#limit / 2);
        this.#cuts += 1;
        return;
      default:
        signal satisfies never;
    }
  }

  pace(pace: Pace): void {
    this.#ceiling = pace.ceiling;
    this.#gap = pace.gap;
  }

  hint(_hint: ServerHint): void {
    // The textbook listens to answers alone.
  }

  state(now: Millis): Uint8Array {
    const since = Math.min(this.#gap * this.#lastWeight, now - this.#lastStart);
    return new Uint8Array(new Float64Array([STATE_VERSION, this.#limit, since, this.#lastWeight]).buffer);
  }

  restore(state: Uint8Array, now: Millis): void {
    if (state.byteLength !== 4 * Float64Array.BYTES_PER_ELEMENT) return;
    const view = new Float64Array(state.slice().buffer);
    if (view[0] !== STATE_VERSION) return;
    this.#limit = view[1];
    this.#lastStart = now - view[2];
    this.#lastWeight = view[3];
  }
}
