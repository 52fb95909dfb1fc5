import type { Random } from "../ports/clock.ts";
import type { Days, PerDay } from "../schedule/objective.ts";
import type { PageNumber } from "../schedule/visit-policy.ts";
import type { ChangeSource, Seen } from "./change-source.ts";

/**
 * Pages that change by Poisson processes with rates that are known to the experiment and not to the policy. What a visit sees is drawn;
 * freshness is the expectation, so that a comparison of policies is not drowned in chance. Where `redraw` is given, each page takes a
 * new rate from it after a time with mean `redrawDays`.
 */
export class ChangingPages implements ChangeSource {
  readonly rates: Float64Array;
  /** `[page]`: when its rate changes next; `Infinity` where it never does. */
  readonly until: Float64Array;
  /** `[page]`: chance exponent of being stale since the last visit, up to `#known`. */
  readonly #hazard: Float64Array;
  readonly #fresh: Float64Array;
  readonly #known: Float64Array;
  readonly #random: Random;
  readonly #redraw: { readonly every: Days; readonly rate: () => PerDay } | null;
  readonly #measureFrom: Days;
  readonly #seen: Seen = { changed: false, changes: 0, fresh: 0 };

  constructor(
    rates: ArrayLike<PerDay>,
    random: Random,
    measureFrom: Days,
    redraw: { readonly every: Days; readonly rate: () => PerDay } | null = null,
  ) {
    this.rates = Float64Array.from(rates);
    this.#random = random;
    this.#measureFrom = measureFrom;
    this.#redraw = redraw;
    this.until = new Float64Array(rates.length).fill(Number.POSITIVE_INFINITY);
    if (redraw !== null) for (let page = 0; page < rates.length; page++) this.until[page] = this.#stay();
    this.#hazard = new Float64Array(rates.length);
    this.#fresh = new Float64Array(rates.length);
    this.#known = new Float64Array(rates.length);
  }

  /** Before the start: the last visit was so many days ago. */
  age(page: PageNumber, days: Days): void {
    this.#hazard[page] = this.rates[page] * days;
  }

  /** Its rate at `now`, which is not before what was asked of the page last. */
  rateAt(page: PageNumber, now: Days): PerDay {
    this.#advance(page, now);
    return this.rates[page];
  }

  /** Expected changes since its last visit, up to what was asked last. */
  hazard(page: PageNumber): number {
    return this.#hazard[page];
  }

  visit(page: PageNumber, _from: Days, to: Days, _since: Days): Seen {
    this.#advance(page, to);
    const hazard = this.#hazard[page];
    this.#seen.changed = this.#random() < -Math.expm1(-hazard);
    this.#seen.changes = hazard;
    this.#seen.fresh = this.#fresh[page];
    this.#hazard[page] = 0;
    this.#fresh[page] = 0;
    return this.#seen;
  }

  #advance(page: PageNumber, to: Days): void {
    while (this.#known[page] < to) {
      const from = this.#known[page];
      const end = Math.min(to, this.until[page], from < this.#measureFrom ? this.#measureFrom : Number.POSITIVE_INFINITY);
      const rate = this.rates[page];
      if (from >= this.#measureFrom)
        this.#fresh[page] += Math.exp(-this.#hazard[page]) * (rate > 0 ? -Math.expm1(-rate * (end - from)) / rate : end - from);
      this.#hazard[page] += rate * (end - from);
      this.#known[page] = end;
      if (end !== this.until[page] || this.#redraw === null) continue;
      this.rates[page] = this.#redraw.rate();
      this.until[page] = end + this.#stay();
    }
  }

  #stay(): Days {
    return this.#redraw === null ? Number.POSITIVE_INFINITY : -Math.log(1 - this.#random()) * this.#redraw.every;
  }
}
