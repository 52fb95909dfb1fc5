import type { EpochMillis, Millis } from "../kernel/units.ts";

/** A probe that is refused although the account should be full again: the provider's clock differs, or it fills late. Source: new. */
const AGAIN_FIRST: Millis = 60_000;
const AGAIN_MOST: Millis = 3_600_000;

/** What the store keeps of a gate that is shut. */
export interface ShutState {
  readonly since: EpochMillis;
  /** null: nobody knows when. */
  readonly until: EpochMillis | null;
}

/**
 * Whether anything may be spent at one provider. Wall clock, for an account is filled by the calendar.
 *
 * States: *open* → (credits exhausted) → *shut*: nothing that is paid for starts → (the reset has come, or a person topped up)
 * → *probing*: exactly one call → *open* when it gets through; *shut* again when it is refused. Answers of calls that
 * started before are no proof of anything.
 */
export class AccountGate {
  #shut: ShutState | null = null;
  #probing = false;
  #probeStarted = false;
  #failedProbes = 0;
  /** Calls are numbered; those up to this one started before the gate last opened. */
  #lastBefore = 0;
  #calls = 0;

  /** Why nothing starts: since when, until when; null while something may. */
  get shut(): ShutState | null {
    return this.#shut;
  }
  get probing(): boolean {
    return this.#probing;
  }

  /** When may a paid call start? `Infinity`: not by itself. */
  opensAt(now: EpochMillis): EpochMillis {
    if (this.#shut !== null) {
      const { until } = this.#shut;
      if (until === null) return Number.POSITIVE_INFINITY;
      if (until > now) return until;
      this.open();
    }
    return this.#probing && this.#probeStarted ? Number.POSITIVE_INFINITY : now;
  }

  /** A call starts. @returns its number. */
  start(): number {
    this.#calls += 1;
    if (this.#probing) this.#probeStarted = true;
    return this.#calls;
  }

  /** The call got through, or was refused for another reason than money: then it proves nothing. */
  ended(call: number, through: boolean): void {
    if (!this.#probing || call <= this.#lastBefore) return;
    if (through) {
      this.#probing = false;
      this.#failedProbes = 0;
    } else this.#probeStarted = false;
  }

  /** The provider says that nothing is left. @param until when it will be filled, by the provider or the calendar. */
  exhausted(call: number, until: EpochMillis | null, now: EpochMillis): void {
    if (this.#shut !== null || call <= this.#lastBefore) return;
    const again = Math.min(AGAIN_MOST, AGAIN_FIRST * 2 ** this.#failedProbes);
    if (this.#probing) {
      this.#failedProbes += 1;
      this.shutUntil(Math.min(until ?? Number.POSITIVE_INFINITY, now + again), now);
    } else this.shutUntil(until, now);
  }

  shutUntil(until: EpochMillis | null, now: EpochMillis): void {
    this.#shut = { since: now, until: until === Number.POSITIVE_INFINITY ? null : until };
    this.#probing = false;
  }

  /** The reset has come, or a person topped up. */
  open(): void {
    this.#shut = null;
    this.#probing = true;
    this.#probeStarted = false;
    this.#lastBefore = this.#calls;
  }

  restore(shut: ShutState | null): void {
    this.#shut = shut;
  }
}
