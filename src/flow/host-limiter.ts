import type { Millis } from "../kernel/units.ts";

/** What a host's answer says about the host. Everything that is not about the host is `neutral`. */
export type HostSignal =
  | { readonly kind: "ok"; readonly ttfb: Millis }
  | { readonly kind: "neutral" }
  | { readonly kind: "congestion"; readonly retryAfter: Millis | null };

/** A slot granted by a limiter; ended exactly once. */
export interface Permit {
  readonly at: Millis;
}

/** Least gaps that the host or the user asked for; the limiter honours the largest. */
export interface Pace {
  readonly ceiling: number;
  readonly gap: Millis;
}

/**
 * How much a host is asked at once. Pure: `now` and `random` are arguments, decisions are values, nothing waits; the
 * dispatcher polls it. Policies: `ceiling` (fixed limit, gate and pace); later `aimd` and `weir`.
 */
export interface HostLimiter {
  /** Slots at this moment, for display. */
  readonly limit: number;
  readonly inFlight: number;
  /** Closed until then; 0 when open. */
  readonly gateUntil: Millis;
  readonly halfOpen: boolean;
  /** When may the next request start? `Infinity`: not before one ends. */
  admitAt(now: Millis): Millis;
  start(now: Millis, random: () => number): Permit;
  end(permit: Permit, signal: HostSignal, now: Millis, random: () => number): void;
  /** The person's ceiling and the host's own delay; may change while running. */
  pace(pace: Pace): void;
  /** Packed state for the host's row, without the gate: that is an instant, and kept as one. A gap that runs is kept as what is left of it. */
  state(now: Millis): Uint8Array;
  /** @param gateLeft how long the gate still has to stay closed; 0 when it is open. */
  restore(state: Uint8Array, now: Millis, gateLeft: Millis): void;
}
