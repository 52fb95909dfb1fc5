import type { Millis } from "../kernel/units.ts";

/** Who says no: a target, a provider's plan, its account, an endpoint of a gateway, and our own full queues. Closed list. Source: spec B7. */
export const REFUSERS = ["host", "provider", "account", "endpoint", "parse", "storage"] as const;
export type Refuser = (typeof REFUSERS)[number];

/** Weight of the newest second in the rate of now, and of the rate before it. */
const NOW_WEIGHT = 1 / 5;
const BEFORE_WEIGHT = 1 / 120;
/** A rise is sudden from this many times the rate before, and from so many a second. Source: guess. */
const RISE = 4;
const RISE_LEAST = 0.5;

/** A sudden rise, in refusals a second. */
export interface Rise {
  readonly by: Refuser;
  readonly perSecond: number;
  readonly before: number;
}

/** Counts refusals by who refused, and notices when one of them suddenly refuses more: that is where the new bottleneck is. Pure. */
export class RefusalWatch {
  readonly counts: Record<Refuser, number> = { host: 0, provider: 0, account: 0, endpoint: 0, parse: 0, storage: 0 };
  readonly #seen: Record<Refuser, number> = { ...this.counts };
  readonly #now: Record<Refuser, number> = { ...this.counts };
  readonly #before: Record<Refuser, number> = { ...this.counts };

  refused(by: Refuser): void {
    this.counts[by] += 1;
  }

  /** Takes a count that somebody else keeps. */
  total(by: Refuser, count: number): void {
    this.counts[by] = count;
  }

  /** About once a second. */
  tick(span: Millis): void {
    if (span <= 0) return;
    for (const by of REFUSERS) {
      const rate = ((this.counts[by] - this.#seen[by]) * 1_000) / span;
      this.#seen[by] = this.counts[by];
      this.#now[by] += NOW_WEIGHT * (rate - this.#now[by]);
      this.#before[by] += BEFORE_WEIGHT * (rate - this.#before[by]);
    }
  }

  /** The strongest sudden rise of now, or null. */
  get rise(): Rise | null {
    let rise: Rise | null = null;
    for (const by of REFUSERS) {
      const [perSecond, before] = [this.#now[by], this.#before[by]];
      if (perSecond < RISE_LEAST || perSecond < RISE * before) continue;
      if (rise === null || perSecond > rise.perSecond) rise = { by, perSecond, before };
    }
    return rise;
  }
}
