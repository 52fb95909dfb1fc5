import type { Millis } from "../kernel/units.ts";

/** What asked for less. Each has its own factor and least gate (flow-control.md §2, β). */
export type Congestion =
  | "throttle"
  | "reset"
  /** A page that says it is a challenge or a block. */
  | "block"
  /** A 403 that the host's memory takes for a block. */
  | "forbidden"
  | "timeout"
  | "dribble"
  | "errors";

/** What a host's answer says about the host, as its limiter takes it. Everything that is not about the host is `neutral`. */
export type HostSignal =
  /** `ttfb`: first byte without our own event loop's lag; null where it says nothing about the host. */
  | { readonly kind: "ok"; readonly ttfb: Millis | null }
  /** Nobody's fault, or local. */
  | { readonly kind: "neutral" }
  | { readonly kind: "congestion"; readonly cause: Congestion; readonly retryAfter: Millis | null };

/** What a server said in advance (RateLimit headers); never raises a limit. Source: flow-control.md §3. */
export interface ServerHint {
  /** Least gap between starts; 0 for none. */
  readonly gap: Millis;
  /** Nothing is to start for so long; 0 for none. */
  readonly closedFor: Millis;
  /** Most requests at once; null when not said. */
  readonly concurrent: number | null;
}

/** A slot granted by a limiter; ended exactly once. */
export interface Permit {
  readonly at: Millis;
  /** Requests in flight with this one, when it started. */
  readonly level: number;
  /** Nothing else was in flight when it started. */
  readonly alone: boolean;
}

/** Least gaps that the host or the user asked for; the limiter honours the largest. */
export interface Pace {
  readonly ceiling: number;
  readonly gap: Millis;
}

/**
 * How much a host is asked at once. Pure: `now` and `random` are arguments, decisions are values, nothing waits; the
 * dispatcher polls it. Policies: `weir` (`AdaptiveLimiter`) and `aimd` (`AimdLimiter`, the textbook one).
 */
export interface HostLimiter {
  /** Slots at this moment, for display. */
  readonly limit: number;
  readonly inFlight: number;
  /** Closed until then; 0 when open. */
  readonly gateUntil: Millis;
  readonly halfOpen: boolean;
  /** Congestion events so far, for display. */
  readonly cuts: number;
  /** When may the next request start? `Infinity`: not before one ends. */
  admitAt(now: Millis): Millis;
  /** @param weight requests that the site will see for it: 1, or more where the route retries inside; the pace counts them all. */
  start(now: Millis, random: () => number, weight?: number): Permit;
  end(permit: Permit, signal: HostSignal, now: Millis, random: () => number): void;
  /** The person's ceiling and the host's own delay; may change while running. */
  pace(pace: Pace): void;
  hint(hint: ServerHint, now: Millis): void;
  /** Packed state for the host's row, without the gate: that is an instant, and kept as one. A gap that runs is kept as what is left of it. */
  state(now: Millis): Uint8Array;
  /** @param gateLeft how long the gate still has to stay closed; 0 when it is open. */
  restore(state: Uint8Array, now: Millis, gateLeft: Millis): void;
}
