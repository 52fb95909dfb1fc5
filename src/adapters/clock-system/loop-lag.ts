import type { Millis } from "../../kernel/units.ts";
import type { LoopLag } from "../../ports/loop-lag.ts";

/** The loop is looked at this often: twenty timers a second cost some 0.02 % of a core. */
const EVERY: Millis = 50;
/** Lateness below it is ordinary work between two turns. */
const DELAY_FROM: Millis = 20;
const STALL_FROM: Millis = 200;

/**
 * Lateness of a repeated timer. A stall is known at its end, when the timer runs; until then the overdue time counts, for
 * after a stall the deadlines of fetches may be looked at before this timer runs.
 */
export class SystemLoopLag implements LoopLag {
  readonly #now: () => Millis;
  #delayed: Millis = 0;
  #stalled: Millis = 0;
  #due: Millis;
  #timer: NodeJS.Timeout;

  constructor(now: () => Millis) {
    this.#now = now;
    this.#due = now() + EVERY;
    this.#timer = setTimeout(() => this.#tick(), EVERY);
    this.#timer.unref();
  }

  delayed(now: Millis): Millis {
    const late = now - this.#due;
    return late < DELAY_FROM ? this.#delayed : this.#delayed + late;
  }

  stalled(now: Millis): Millis {
    const late = now - this.#due;
    return late < STALL_FROM ? this.#stalled : this.#stalled + late;
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    return Promise.resolve();
  }

  #tick(): void {
    const now = this.#now();
    this.#delayed = this.delayed(now);
    this.#stalled = this.stalled(now);
    this.#due = now + EVERY;
    this.#timer = setTimeout(() => this.#tick(), EVERY);
    this.#timer.unref();
  }
}
