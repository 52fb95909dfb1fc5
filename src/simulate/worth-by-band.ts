import type { Days, Objective } from "../schedule/objective.ts";
import { steadyState } from "../schedule/steady-state.ts";
import type { PageNumber } from "../schedule/visit-policy.ts";
import type { ChangeSource, Seen } from "./change-source.ts";
import type { ChangingPages } from "./changing-pages.ts";

/** Measures what visits to pages with fixed rates are worth, in expectation and by bands of time. Passes on what is seen. */
export class WorthByBand implements ChangeSource {
  readonly #pages: ChangingPages;
  readonly #values: ArrayLike<number>;
  readonly #objective: Objective;
  readonly #edges: readonly Days[];
  readonly #sums: Float64Array;

  constructor(pages: ChangingPages, values: ArrayLike<number>, objective: Objective, edges: readonly Days[]) {
    this.#pages = pages;
    this.#values = values;
    this.#objective = objective;
    this.#edges = edges;
    this.#sums = new Float64Array(edges.length - 1);
  }

  visit(page: PageNumber, from: Days, to: Days, since: Days): Seen {
    const rate = this.#pages.rates[page];
    for (let band = 0; band < this.#sums.length; band++) {
      const begin = this.#edges[band];
      const end = this.#edges[band + 1];
      if (to <= begin || from >= end) continue;
      const a = Math.max(from, begin) - from;
      const b = Math.min(to, end) - from;
      this.#sums[band] += this.#values[page] * this.#within(rate, a, b, to - from);
    }
    return this.#pages.visit(page, from, to, since);
  }

  /** By value and, but for events, by time. */
  result(): readonly number[] {
    let weight = 0;
    for (let page = 0; page < this.#values.length; page++) weight += this.#values[page];
    return Array.from(this.#sums, (sum, band) => sum / weight / (this.#edges[band + 1] - this.#edges[band]));
  }

  /** Days a to b of a cycle of so many days. An event counts evenly over the days of its cycle. */
  #within(rate: number, a: Days, b: Days, cycle: Days): number {
    switch (this.#objective) {
      case "freshness":
        return rate > 0 ? (Math.exp(-rate * a) - Math.exp(-rate * b)) / rate : b - a;
      case "events":
        return (-Math.expm1(-rate * cycle) * (b - a)) / cycle;
      case "age":
        return b * b * age(rate, b) - a * a * age(rate, a);
      default:
        return this.#objective satisfies never;
    }
  }
}

/** Mean age over a cycle of so many days, per day of it: what is to be multiplied by the square. */
function age(rate: number, days: Days): number {
  return days > 0 ? steadyState("age", rate, 1 / days) / days : 0;
}
