import type { Bytes, Millis } from "../kernel/units.ts";
import type { StageTotals } from "./bound-learner.ts";
import { LeastSojourn } from "./least-sojourn.ts";

/** ms; no store is faster. */
const LEAST_A_ROW: Millis = 0.005;

/** As a stage's gauge, for one that serves what has gathered as a batch: nothing is kept for each item. Pure. */
export class BatchGauge implements StageTotals {
  readonly #least = new LeastSojourn();
  #busyTime: Millis = 0;
  /** The batch under way began; null when none is. */
  #began: Millis | null = null;
  /** `busyTime` is complete up to here. */
  #countedAt: Millis = 0;
  departedItems = 0;
  departedBytes: Bytes = 0;

  get busyTime(): Millis {
    return this.#busyTime;
  }

  begin(now: Millis): void {
    this.#began = now;
    this.#countedAt = now;
  }

  /** The batch is through, with all that was in it. Its last item came when it began. */
  end(now: Millis, items: number, bytes: Bytes): void {
    if (this.#began === null) return;
    // A store that takes no time at all has no rate.
    this.#busyTime += Math.max(now - this.#countedAt, LEAST_A_ROW * items);
    this.#least.note(now, now - this.#began);
    this.#began = null;
    this.departedItems += items;
    this.departedBytes += bytes;
  }

  /** Brings the busy time up to now. */
  count(now: Millis): void {
    if (this.#began === null) return;
    this.#busyTime += now - this.#countedAt;
    this.#countedAt = now;
  }

  leastSojourn(now: Millis, standing: Millis): Millis {
    return this.#least.over(now, standing);
  }
}
