import type { Millis } from "../kernel/units.ts";

/**
 * How long this process did not turn its event loop: what was late meanwhile is nobody else's fault. Both sums only grow, so
 * that a request's share is a difference of two readings. Implementations: `adapters/clock-system`, `simulate/scripted-lag`.
 */
export interface LoopLag {
  /** Time lost in stalls long enough to show in a measured time to first byte, the present one included. */
  delayed(now: Millis): Millis;
  /** Time lost in stalls long enough to make deadlines pass: 200 ms and more. Source: flow-control.md §1, row 12. */
  stalled(now: Millis): Millis;
}
