import { Shedder } from "../flow/shedder.ts";
import type { Millis } from "../kernel/units.ts";
import type { CancelTimer, Clock, Random } from "../ports/clock.ts";
import type { Valuation } from "../ports/valuation.ts";
import type { ContinuousParts } from "../stages/frontier/recurring.ts";

/** Ages of the later stages are sampled this often. */
const SAMPLE_EVERY: Millis = 1_000;

/** What continuous work rests on: what visits are worth. */
export interface ContinuousOptions {
  readonly valuation: Valuation;
}

/** What is seen of the stages behind the frontier; a pipeline has it. */
export interface StagesSeen {
  readonly storeStage: { readonly oldestAge: Millis };
  readonly parse: { readonly bounds: { readonly light: { oldestAge(now: Millis): Millis } } };
  readonly retries: { readonly shedLevel: 0 | 1 };
}

/** Continuous work: the shedder, and what it hears of the stages behind the frontier. `crawl` has none. */
export class Continuous {
  readonly shedder = new Shedder();
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #valuation: Valuation;
  #timer: CancelTimer | null = null;
  #alarmed = false;

  constructor(clock: Clock, random: Random, options: ContinuousOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#valuation = options.valuation;
  }

  parts(onShed: ContinuousParts["onShed"]): ContinuousParts {
    return { valuation: this.#valuation, shedder: this.shedder, random: this.#random, onShed };
  }

  start(seen: StagesSeen): void {
    this.#timer = this.#clock.after(SAMPLE_EVERY, () => {
      this.#sample(seen);
      this.start(seen);
    });
  }

  stop(): void {
    this.#timer?.();
    this.#timer = null;
  }

  #sample(seen: StagesSeen): void {
    const now = this.#clock.now();
    this.shedder.waited("storage", seen.storeStage.oldestAge);
    this.shedder.waited("parse", seen.parse.bounds.light.oldestAge(now));
    const alarm = seen.retries.shedLevel > 0;
    if (alarm && !this.#alarmed) this.shedder.retriesAlarm();
    this.#alarmed = alarm;
    this.shedder.tick(now);
  }
}
