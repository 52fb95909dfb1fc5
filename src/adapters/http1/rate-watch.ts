import type { Bytes, Millis } from "../../kernel/units.ts";
import type { LeastRate } from "./options.ts";

/**
 * Judges whether a body still comes fast enough, from samples of time spent (pauses left out) and bytes received. Made for a
 * body that outlives one sweep; holds one sample a sweep for one window.
 */
export class RateWatch {
  readonly #least: LeastRate;
  readonly #times: Millis[] = [0];
  readonly #bytes: Bytes[] = [0];

  constructor(least: LeastRate) {
    this.#least = least;
  }

  /** @returns true when the last window, the grace being over, brought less than the least rate. */
  isTooSlow(spent: Millis, received: Bytes): boolean {
    const { window, grace, bytesPerSecond } = this.#least;
    // The first sample stays the youngest one that is at least a window old.
    while (this.#times.length > 1 && this.#times[1] <= spent - window) {
      this.#times.shift();
      this.#bytes.shift();
    }
    this.#times.push(spent);
    this.#bytes.push(received);
    const span = spent - this.#times[0];
    if (spent < grace || span < window) return false;
    return (received - this.#bytes[0]) * 1000 < bytesPerSecond * span;
  }
}
