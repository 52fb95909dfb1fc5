import type { Millis } from "../kernel/units.ts";

/** How many retries a budget pays for. */
export interface RetryLimits {
  /** Tokens that one first attempt earns. */
  readonly perFirst: number;
  /** Tokens earned and not spent that are kept, at most: a long calm is no licence for a storm. */
  readonly earnedMost: number;
  /** Tokens that come with time, and how many of them are kept: what it begins with too. */
  readonly perMilli: number;
  readonly burst: number;
}

/** One host. Source: flow-control.md §4 (0.1 a first attempt, burst 2, reserve 1 a minute). What is kept of the earned: guess. */
export const HOST_RETRIES: RetryLimits = { perFirst: 0.1, earnedMost: 20, perMilli: 1 / 60_000, burst: 2 };
/** All hosts together. Source: flow-control.md §4 (0.1 a first attempt, reserve 1 a second). What is kept: 10 s of either. */
export const OVERALL_RETRIES: RetryLimits = { perFirst: 0.1, earnedMost: 100, perMilli: 1 / 1_000, burst: 10 };

/** A sum of tenths that makes a token is one. */
const ROUNDING = 1e-6;

/**
 * Tokens that pay for retries, so that failing targets are not met with more load: retries ≤ `perFirst` × first attempts +
 * `perMilli` × time + `burst`, for any sequence. A first attempt pays one addition: what it earned is reckoned when somebody
 * asks, which comes to the same, for between two withdrawals a bucket only fills.
 *
 * Tokens are taken at admission, when the retry starts, never when it is scheduled.
 */
export class RetryBudget {
  readonly #limits: RetryLimits;
  /** First attempts that have not been reckoned yet. */
  #firsts = 0;
  #earned = 0;
  /** Below 0 after a charge that found nothing: a debt, repaid before the next retry. */
  #reserve: number;
  #at: Millis;

  constructor(limits: RetryLimits, now: Millis) {
    this.#limits = limits;
    this.#reserve = limits.burst;
    this.#at = now;
  }

  /** A first attempt starts. */
  first(): void {
    this.#firsts += 1;
  }

  /** It turned out to be no attempt (a provider's refusal, our own fault): it has earned nothing. */
  unfirst(): void {
    this.#firsts -= 1;
  }

  /** Tokens there are now. */
  tokens(now: Millis): number {
    this.#settle(now);
    return this.#earned + this.#reserve;
  }

  has(now: Millis): boolean {
    return this.tokens(now) >= 1 - ROUNDING;
  }

  /** When time alone brings a token: `now` when there is one. */
  readyAt(now: Millis): Millis {
    const lacking = 1 - this.tokens(now);
    return lacking <= ROUNDING ? now : now + lacking / this.#limits.perMilli;
  }

  /** Takes the token of one retry; what is not there becomes a debt. */
  take(now: Millis): void {
    this.#settle(now);
    const fromEarned = Math.min(1, this.#earned);
    this.#earned -= fromEarned;
    this.#reserve -= 1 - fromEarned;
  }

  /** Gives the token back of a retry that turned out to be no attempt. */
  refund(now: Millis): void {
    this.#settle(now);
    this.#earned = Math.min(this.#limits.earnedMost, this.#earned + 1);
  }

  #settle(now: Millis): void {
    const { perFirst, earnedMost, perMilli, burst } = this.#limits;
    if (this.#firsts !== 0) {
      this.#earned = Math.min(earnedMost, Math.max(0, this.#earned + this.#firsts * perFirst));
      this.#firsts = 0;
    }
    if (now > this.#at) {
      this.#reserve = Math.min(burst, this.#reserve + (now - this.#at) * perMilli);
      this.#at = now;
    }
  }
}
