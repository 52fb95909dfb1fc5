import type { Millis } from "../kernel/units.ts";

/** Refusals that may be brought about at once, and one more each so long: 42 in a first hour. Source: ADR 0011. */
const MOST = 11;
const EVERY: Millis = 115_000;
/** A try may cost two. */
const A_TRY = 2;

/** Refusals a host may still be asked to bear for what is tried out on it. Every refusal counts, whatever brought it about. */
export class RefusalAllowance {
  #left = MOST;
  #at: Millis = 0;

  refused(now: Millis): void {
    this.#refill(now);
    this.#left -= 1;
  }

  allowsTry(now: Millis): boolean {
    this.#refill(now);
    return this.#left >= A_TRY;
  }

  pack(now: Millis): number[] {
    this.#refill(now);
    return [this.#left];
  }

  unpack([left]: readonly number[], now: Millis): void {
    this.#left = left;
    this.#at = now;
  }

  #refill(now: Millis): void {
    this.#left = Math.min(MOST, this.#left + (now - this.#at) / EVERY);
    this.#at = now;
  }
}
