import type { Bytes, Millis } from "../kernel/units.ts";
import type { StageTotals } from "./bound-learner.ts";
import { LeastSojourn } from "./least-sojourn.ts";

/** One item in a stage. */
export interface Sojourn {
  readonly at: Millis;
  readonly bytes: Bytes;
}

/** What is in a stage and for how long: depth, bytes, oldest age, least sojourn, departures. Bounded by the stage's own bound. Pure. */
export class StageGauge implements StageTotals {
  /** In order of entry. */
  readonly #inside = new Set<Sojourn>();
  readonly #least = new LeastSojourn();
  #bytes: Bytes = 0;
  #busyTime: Millis = 0;
  /** `busyTime` is complete up to here. */
  #countedAt: Millis = 0;
  departedItems = 0;
  departedBytes: Bytes = 0;

  get items(): number {
    return this.#inside.size;
  }
  get bytes(): Bytes {
    return this.#bytes;
  }
  get busyTime(): Millis {
    return this.#busyTime;
  }

  enter(now: Millis, bytes: Bytes): Sojourn {
    this.count(now);
    const sojourn = { at: now, bytes };
    this.#inside.add(sojourn);
    this.#bytes += bytes;
    return sojourn;
  }

  /** @param served false when it was given up: it says nothing about the stage. */
  leave(now: Millis, sojourn: Sojourn, served: boolean): void {
    this.count(now);
    if (!this.#inside.delete(sojourn)) return;
    this.#bytes -= sojourn.bytes;
    if (!served) return;
    this.departedItems += 1;
    this.departedBytes += sojourn.bytes;
    this.#least.note(now, now - sojourn.at);
  }

  /** Brings the busy time up to now. */
  count(now: Millis): void {
    if (this.#inside.size > 0) this.#busyTime += now - this.#countedAt;
    // Whoever comes to an empty stage does not wait in it.
    else this.#least.note(now, 0);
    this.#countedAt = now;
  }

  oldestAge(now: Millis): Millis {
    for (const { at } of this.#inside) return now - at;
    return 0;
  }

  /** Least time that anything has spent here in the last ten seconds; with no departure in them, the age of what is there. */
  leastSojourn(now: Millis): Millis {
    return this.#least.over(now, this.oldestAge(now));
  }
}
