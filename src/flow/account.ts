import { nextReset, type ResetRule } from "../kernel/reset-rule.ts";
import type { EpochMillis } from "../kernel/units.ts";
import { AccountGate, type ShutState } from "./account-gate.ts";
import { Ledger, type LedgerState } from "./ledger.ts";

export interface AccountOptions {
  /** Reserve of a call until costs are known, in the account's unit. */
  readonly least: number;
  /** What a cycle begins with; null when nobody said. */
  readonly balance: number | null;
  /** null: it is filled by a person alone. */
  readonly resetAt: ResetRule | null;
}

/** What the store keeps of an account. */
export interface AccountState {
  readonly ledger: LedgerState;
  readonly shut: ShutState | null;
  /** End of the cycle that the amounts belong to. */
  readonly cycleEnd: EpochMillis | null;
}

/** What a paid call holds until it ends. */
export interface Reservation {
  readonly call: number;
  readonly held: number;
}

/**
 * The money of one provider: what is left by our own count, and whether the provider still gives anything. Either may say that
 * there is nothing, and either way nothing that is paid for starts until the cycle resets or a person tops up.
 */
export class Account {
  readonly #options: AccountOptions;
  readonly #gate = new AccountGate();
  readonly #ledger: Ledger;
  #cycleEnd: EpochMillis | null;

  constructor(options: AccountOptions, now: EpochMillis) {
    this.#options = options;
    this.#ledger = new Ledger(options.least, options.balance);
    this.#cycleEnd = this.#nextReset(now);
  }

  get spent(): number {
    return this.#ledger.spent;
  }
  get reserved(): number {
    return this.#ledger.reserved;
  }
  get left(): number | null {
    return this.#ledger.left;
  }
  get shut(): ShutState | null {
    return this.#gate.shut;
  }

  /** When may a call start? `Infinity`: when one ends, or a person tops up. */
  opensAt(now: EpochMillis): EpochMillis {
    this.#roll(now);
    const at = this.#gate.opensAt(now);
    if (at > now || this.#ledger.canStart) return at;
    // What is in flight may turn out cheaper than it was thought to be.
    if (this.#ledger.reserved > 0) return Number.POSITIVE_INFINITY;
    this.#gate.shutUntil(this.#cycleEnd, now);
    return this.#gate.opensAt(now);
  }

  start(): Reservation {
    return { call: this.#gate.start(), held: this.#ledger.take() };
  }

  /** @param through it was served: its cost tells that the account is alive. */
  settle(reservation: Reservation, spent: number, through: boolean): void {
    this.#ledger.settle(reservation.held, spent);
    this.#gate.ended(reservation.call, through);
  }

  /** The provider refused it for want of money. @param resetAt when the account is filled, where the provider says so. */
  exhausted(reservation: Reservation, resetAt: EpochMillis | null, now: EpochMillis): void {
    this.#gate.exhausted(reservation.call, resetAt ?? this.#cycleEnd, now);
    this.#ledger.settle(reservation.held, 0);
    if (this.#ledger.left !== null && this.#gate.shut !== null) this.#ledger.set(Math.min(0, this.#ledger.left));
  }

  /** A person has paid. @param amount how much, in the account's unit; null when it was not said. */
  topUp(amount: number | null): void {
    const { left } = this.#ledger;
    const known = left !== null || this.#gate.shut !== null;
    if (amount !== null && known) this.#ledger.set(Math.max(0, left ?? 0) + amount);
    else if (amount === null) this.#ledger.set(this.#options.balance);
    this.#gate.open();
  }

  state(): AccountState {
    return { ledger: this.#ledger.state(), shut: this.#gate.shut, cycleEnd: this.#cycleEnd };
  }

  /** Takes what the store kept. An amount that a person sets beyond what was there is not taken back. */
  restore(state: AccountState, now: EpochMillis): void {
    this.#ledger.restore(state.ledger);
    if (this.#options.balance !== null && state.ledger.left === null) this.#ledger.set(this.#options.balance);
    this.#gate.restore(state.shut);
    if (state.cycleEnd !== null && state.cycleEnd <= now) this.#refill();
  }

  /** A new cycle: the account is full again. */
  #roll(now: EpochMillis): void {
    if (this.#cycleEnd === null || this.#cycleEnd > now) return;
    this.#cycleEnd = this.#nextReset(now);
    this.#refill();
  }

  #refill(): void {
    this.#ledger.set(this.#options.balance);
    if (this.#gate.shut !== null) this.#gate.open();
  }

  #nextReset(now: EpochMillis): EpochMillis | null {
    return this.#options.resetAt === null ? null : nextReset(this.#options.resetAt, now);
  }
}
