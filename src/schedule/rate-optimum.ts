import { knownCrossing } from "./known-gain.ts";
import type { Objective, PerDay } from "./objective.ts";
import type { RatedPage } from "./steady-state.ts";

/** Visits per day of each page, and the price of a cost unit at which they spend the budget. */
export interface Allocation {
  readonly frequencies: Float64Array;
  readonly price: number;
}

/**
 * The best that evenly spaced visits can do when every change rate is known: each page is visited where its gain reaches one price, and
 * the price spends the budget (Lagrange). Pages too fast for it get nothing. Source: Cho & Garcia-Molina, TODS 28(4) 2003.
 * @param budget cost units per day.
 */
export function bestFrequencies(objective: Objective, pages: readonly RatedPage[], budget: number): Allocation {
  const frequencies = new Float64Array(pages.length);
  const spend = (price: number): number => {
    let spent = 0;
    pages.forEach(({ rate, value, cost }, page) => {
      frequencies[page] = rate > 0 ? 1 / knownCrossing(objective, rate, (price * cost) / value) : 0;
      spent += frequencies[page] * cost;
    });
    return spent;
  };
  const price = priceThatSpends(budget, spend);
  // A page about to be left alone goes from some visits to none within the last digit of the price: it gets the part that is left.
  const most = spend(price * (1 - EDGE));
  const cheap = Float64Array.from(frequencies);
  const least = spend(price);
  const part = most > least ? Math.min(1, Math.max(0, (budget - least) / (most - least))) : 0;
  for (let page = 0; page < pages.length; page++) frequencies[page] += part * (cheap[page] - frequencies[page]);
  return { frequencies, price };
}

/**
 * The price at which `spend` (cost units per day, never rising in the price) comes to `budget`, by bisection on its logarithm.
 * @param near a price that is about right: then it is found near there, to a part in a thousand; null: anywhere, to 1e-13.
 */
export function priceThatSpends(budget: number, spend: (price: number) => number, near: number | null = null): number {
  let low = near ?? 1e-30;
  let high = near ?? 1e30;
  if (near !== null) {
    if (spend(near) > budget) {
      for (let step = 1.05; high < 1e30 && spend(high) > budget; step *= step) {
        low = high;
        high *= step;
      }
    } else {
      for (let step = 1.05; low > 1e-30 && spend(low) <= budget; step *= step) {
        high = low;
        low /= step;
      }
    }
  }
  const close = near === null ? 1e-13 : 1e-3;
  for (let round = 0; round < 100 && high / low > 1 + close; round++) {
    const middle = Math.sqrt(low * high);
    if (spend(middle) > budget) low = middle;
    else high = middle;
  }
  return high;
}

/** Every page equally often. */
export function uniformFrequencies(pages: readonly RatedPage[], budget: number): Float64Array {
  const cost = pages.reduce((sum, page) => sum + page.cost, 0);
  return new Float64Array(pages.length).fill(budget / cost);
}

/** Visits in proportion to change rates; with no rate anywhere, none. */
export function proportionalFrequencies(pages: readonly RatedPage[], budget: number): Float64Array {
  const weight = pages.reduce((sum, { rate, cost }) => sum + rate * cost, 0);
  return Float64Array.from(pages, ({ rate }): PerDay => (weight > 0 ? (budget * rate) / weight : 0));
}

/** A little more than the bisection leaves open. */
const EDGE = 1e-12;
