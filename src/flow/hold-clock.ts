import type { Millis } from "../kernel/units.ts";

/**
 * How long each cause held something back: what is named is the cause that lasted, not the one that happened to hold at the moment of
 * looking. Two windows are kept, the last whole one and the open one. Pure; one entry a cause, from a closed list.
 */
export class HoldClock<Cause extends string> {
  #cause: Cause | null = null;
  #since: Millis;
  #open = new Map<Cause | null, Millis>();
  #last = new Map<Cause | null, Millis>();

  constructor(now: Millis) {
    this.#since = now;
  }

  /** From now on this holds; null: nothing does. */
  note(cause: Cause | null, now: Millis): void {
    if (cause === this.#cause) return;
    this.#count(now);
    this.#cause = cause;
  }

  /** Closes a window. */
  roll(now: Millis): void {
    this.#count(now);
    this.#last = this.#open;
    this.#open = new Map();
  }

  /** What held longest over the last whole window and the open one; null when that was nothing. */
  longest(now: Millis): Cause | null {
    this.#count(now);
    let longest = this.#cause;
    let most = 0;
    for (const cause of new Set([...this.#last.keys(), ...this.#open.keys()])) {
      const time = (this.#last.get(cause) ?? 0) + (this.#open.get(cause) ?? 0);
      if (time > most) [longest, most] = [cause, time];
    }
    return longest;
  }

  #count(now: Millis): void {
    const span = now - this.#since;
    this.#since = now;
    if (span > 0) this.#open.set(this.#cause, (this.#open.get(this.#cause) ?? 0) + span);
  }
}
