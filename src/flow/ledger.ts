/** Amounts looked at for the reserve of the next call. */
const SAMPLES = 64;
/** The reserve is worked out again after so many. */
const EVERY = 8;

/** What the store keeps of an account. */
export interface LedgerState {
  readonly spent: number;
  /** What was in flight: spent, for all one knows, when the process ended with it. */
  readonly reserved: number;
  /** null where nobody said how much there is. */
  readonly left: number | null;
}

/**
 * What an account holds, in its own unit (credits, or bytes). An amount is reserved before a call and settled after it, so
 * that the account is never overdrawn by more than what the calls in flight cost beyond their reserve.
 * Pure: no time in it.
 */
export class Ledger {
  readonly #least: number;
  #left: number | null;
  #reserved = 0;
  #spent = 0;
  #reserve: number;
  readonly #samples: number[] = [];
  #seen = 0;

  /** @param least reserve of a call, as long as calls cost no more. @param left what there is; null when unknown. */
  constructor(least: number, left: number | null) {
    this.#least = least;
    this.#reserve = least;
    this.#left = left;
  }

  /** Spent in this store's life. */
  get spent(): number {
    return this.#spent;
  }
  get reserved(): number {
    return this.#reserved;
  }
  /** Not spent yet; null when unknown. May be below 0 by what was in flight. */
  get left(): number | null {
    return this.#left;
  }
  /** What the next call reserves: nine of ten calls cost no more. */
  get reserve(): number {
    return this.#reserve;
  }
  get canStart(): boolean {
    return this.#left === null || this.#left - this.#reserved >= this.#reserve;
  }

  /** @returns the amount held for the call. */
  take(): number {
    this.#reserved += this.#reserve;
    return this.#reserve;
  }

  /** @param spent what the call cost; 0 when it was free. */
  settle(held: number, spent: number): void {
    this.#reserved -= held;
    this.#spent += spent;
    if (this.#left !== null) this.#left -= spent;
    if (spent > 0) this.#learn(spent);
  }

  /** The account was filled, or found empty. */
  set(left: number | null): void {
    this.#left = left;
  }

  state(): LedgerState {
    return { spent: this.#spent, reserved: this.#reserved, left: this.#left };
  }

  /** What was in flight when the process ended counts as spent: it is never more than that. */
  restore(state: LedgerState): void {
    this.#spent = state.spent + state.reserved;
    if (state.left !== null) this.#left = state.left - state.reserved;
  }

  #learn(amount: number): void {
    this.#samples[this.#seen % SAMPLES] = amount;
    this.#seen += 1;
    if (this.#seen % EVERY !== 0 && this.#seen > EVERY) return;
    const sorted = [...this.#samples].sort((a, b) => a - b);
    this.#reserve = Math.max(this.#least, sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.9))]);
  }
}
