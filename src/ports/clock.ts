import type { EpochMillis, Millis } from "../kernel/units.ts";

/** Cancels a timer. Cancelling twice, or after it fired, does nothing. */
export type CancelTimer = () => void;

/** Time, as everything outside `adapters/` and `cli/` sees it. Implementations: `adapters/clock-system`, `simulate/virtual-clock`. */
export interface Clock {
  /** Monotonic; for pacing, deadlines and ages. */
  now(): Millis;
  /** Wall clock; only for what is stored, shown or sent in a header. */
  epoch(): EpochMillis;
  /** Calls `run` once, `delay` from now (at least 0; longer delays than a timer can hold are split by the implementation). */
  after(delay: Millis, run: () => void): CancelTimer;
}

/** Uniform in [0, 1). */
export type Random = () => number;
