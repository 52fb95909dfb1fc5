import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bayesCrossing, bayesGain, bayesMost, bayesSlope } from "../../../src/schedule/bayes-gain.ts";
import { knownCrossing, knownGain, knownMost, knownSlope } from "../../../src/schedule/known-gain.ts";
import type { Objective } from "../../../src/schedule/objective.ts";
import { plainCrossing, plainGain } from "../../../src/schedule/plain-priority.ts";
import { bestFrequencies, proportionalFrequencies, uniformFrequencies } from "../../../src/schedule/rate-optimum.ts";
import { type RatedPage, steadyState, steadyStateOf } from "../../../src/schedule/steady-state.ts";
import { gammaMean, integral } from "./quadrature.ts";

const OBJECTIVES: readonly Objective[] = ["freshness", "events", "age"];
const rate = fc.double({ min: -6, max: 4, noNaN: true }).map((x) => 10 ** x);
const span = fc.double({ min: -5, max: 5, noNaN: true }).map((x) => 10 ** x);
const shape = fc.oneof(
  fc.double({ min: -1.5, max: 2.5, noNaN: true }).map((x) => 10 ** x),
  fc.double({ min: -9, max: -2, noNaN: true }).map((x) => 1 + 10 ** x),
  fc.constantFrom(1, 2, 0.5, 1 - 1e-9),
);
const relative = (got: number, want: number): number => Math.abs(got - want) / Math.abs(want);

describe("the plain formula", () => {
  test.each([
    [96, 0.01],
    [24, 0.042],
    [4, 0.241],
    [1, 0.4],
    [1 / 7, 0.124],
    [1 / 30, 0.032],
    [1 / 365, 0.003],
  ])("%f changes a day: %f with an interval of one day, last visited one day ago", (perDay, gain) => {
    expect(Number(plainGain(perDay, 1, 1).toFixed(3))).toBe(gain);
  });

  test("a page that never changes, or was just visited, is worth nothing", () => {
    expect(plainGain(0, 1, 1)).toBe(0);
    expect(plainGain(1, 0, 1)).toBe(0);
    expect(plainCrossing(0, 0.1, 1)).toBe(Number.POSITIVE_INFINITY);
  });

  test("the greatest gain is .407 T, at λT = 1.256", () => {
    const T = 3;
    const gains = Array.from({ length: 4000 }, (_, i) => plainGain(i / 1000 / T, T, T) / T);
    const most = Math.max(...gains);
    expect(most).toBeCloseTo(0.407, 3);
    expect(gains.indexOf(most) / 1000).toBeCloseTo(1.256, 2);
  });

  test("an interval of its own changes the order: one day underrates what is slower than the budget", () => {
    // At thirty days between visits the monthly page is worth more than the daily one; with an interval of one day it is not.
    expect(plainGain(1 / 30, 30, 30)).toBeGreaterThan(plainGain(1, 30, 30));
    expect(plainGain(1 / 30, 30, 1)).toBeLessThan(plainGain(1, 30, 1));
  });

  test("its crossing is its inverse", () => {
    fc.assert(
      fc.property(rate, span, span, (λ, since, interval) => {
        const level = plainGain(λ, since, interval);
        if (level === 0 || λ * since > 15) return;
        expect(relative(plainCrossing(λ, level, interval), since)).toBeLessThan(1e-6);
      }),
    );
  });
});

describe("known rates", () => {
  test.each(OBJECTIVES)("%s: 0 at the start and without changes, never falling, and the slope is the derivative", (objective) => {
    expect(knownGain(objective, 3, 0)).toBe(0);
    expect(knownGain(objective, 0, 3)).toBe(0);
    fc.assert(
      fc.property(rate, span, (λ, t) => {
        const gain = knownGain(objective, λ, t);
        expect(knownGain(objective, λ, t * 1.01)).toBeGreaterThanOrEqual(gain * (1 - 1e-12));
        expect(gain).toBeLessThanOrEqual(knownMost(objective, λ) * (1 + 1e-12));
        const numeric = integral((s) => knownSlope(objective, λ, s), 0, Math.min(t, 30 / λ));
        if (t <= 30 / λ) expect(relative(numeric, gain)).toBeLessThan(1e-8);
      }),
    );
  });

  test.each(OBJECTIVES)("%s: crossing is the inverse", (objective) => {
    fc.assert(
      fc.property(rate, span, (λ, t) => {
        const level = knownGain(objective, λ, t);
        const at = knownCrossing(objective, λ, level);
        if (λ * t < 12) expect(relative(at, t)).toBeLessThan(1e-6);
        if (at < Number.POSITIVE_INFINITY) expect(relative(knownGain(objective, λ, at), level)).toBeLessThan(1e-9);
      }),
      { numRuns: 2000 },
    );
    expect(knownCrossing(objective, 1, 0)).toBe(0);
    if (objective !== "age") expect(knownCrossing(objective, 2, knownMost(objective, 2))).toBe(Number.POSITIVE_INFINITY);
  });

  test("it is not the plain formula with an interval of one day", () => {
    // The index lets a yearly page be worth more than an hourly one after a quarter; one day's interval never does.
    expect(knownGain("freshness", 1 / 365, 90)).toBeGreaterThan(knownGain("freshness", 24, 90));
    expect(plainGain(1 / 365, 90, 90)).toBeGreaterThan(plainGain(24, 90, 90));
  });
});

describe("believed rates", () => {
  test.each(OBJECTIVES)("%s: the mean of the known gain over the belief, to 2e-6", (objective) => {
    for (const a of [0.3, 0.9, 1 - 1e-9, 1, 1 + 1e-9, 1.5, 2, 8, 60])
      for (const u of [1e-3, 0.05, 0.7, 3, 40]) {
        const b = 12;
        const t = u * b;
        // E[1/D] has no mean for a ≤ 1, but the gain over it does: its integrand is finite at D = 0.
        const want = gammaMean(a, b, (d) => knownGain(objective, d, t));
        expect(relative(bayesGain(objective, a, b, t), want), `a ${a}, u ${u}`).toBeLessThan(2e-6);
      }
  });

  test.each(OBJECTIVES)("%s: 0 at the start, never falling, smooth through a = 1, and the slope is the derivative", (objective) => {
    expect(bayesGain(objective, 2, 3, 0)).toBe(0);
    fc.assert(
      fc.property(shape, span, span, (a, b, t) => {
        const gain = bayesGain(objective, a, b, t);
        expect(bayesGain(objective, a, b, t * 1.01)).toBeGreaterThanOrEqual(gain * (1 - 1e-9));
        expect(gain).toBeLessThanOrEqual(bayesMost(objective, a, b) * (1 + 1e-9));
        const numeric = integral((s) => bayesSlope(objective, a, b, s), 0, t);
        if (t / b < 50) expect(relative(numeric, gain)).toBeLessThan(1e-5);
      }),
      { numRuns: 500 },
    );
    for (const t of [1e-6, 1, 1e9]) {
      const at = bayesGain(objective, 1, 5, t);
      for (const near of [1e-12, 1e-9, 1e-7])
        for (const sign of [-1, 1]) expect(relative(bayesGain(objective, 1 + sign * near, 5, t), at)).toBeLessThan(1e-5);
    }
  });

  test.each(OBJECTIVES)("%s: tiny and huge waits neither lose digits nor overflow", (objective) => {
    const small = { freshness: (2 / 10) * (1e-12 / 2), events: (2 * 3) / 100 / 2e12, age: (2 / 10) * (1e-18 / 3) }[objective];
    expect(relative(bayesGain(objective, 2, 10, 1e-6), small)).toBeLessThan(1e-6);
    expect(Number.isFinite(bayesGain(objective, 0.4, 1e-3, 1e12))).toBe(true);
    if (objective !== "age") expect(relative(bayesGain(objective, 3, 1, 1e9), bayesMost(objective, 3, 1))).toBeLessThan(1e-9);
  });

  test.each(OBJECTIVES)("%s: crossing is the inverse, to 1e-6", (objective) => {
    fc.assert(
      fc.property(shape, span, span, (a, b, t) => {
        const level = bayesGain(objective, a, b, t);
        const at = bayesCrossing(objective, a, b, level);
        if (at === Number.POSITIVE_INFINITY) return void expect(level).toBeGreaterThanOrEqual(bayesMost(objective, a, b));
        expect(relative(bayesGain(objective, a, b, at), level)).toBeLessThan(1e-7);
        const flat = (t * bayesSlope(objective, a, b, t)) / level;
        if (flat > 1e-6) expect(relative(at, t)).toBeLessThan(1e-6);
      }),
      { numRuns: 5000 },
    );
    expect(bayesCrossing(objective, 2, 3, 0)).toBe(0);
    if (objective !== "age") expect(bayesCrossing(objective, 2, 3, bayesMost(objective, 2, 3))).toBe(Number.POSITIVE_INFINITY);
  });

  test("no page is starved for ever by an estimate of shape 1 or less", () => {
    expect(bayesCrossing("freshness", 0.9, 1e-3, 50)).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(bayesCrossing("freshness", 1.1, 1e-3, 50)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("the optimum of known rates", () => {
  const pagesOf = (rates: readonly number[]): RatedPage[] => rates.map((λ) => ({ rate: λ, value: 1, cost: 1 }));

  test("1 to 5 changes a day and five visits: 1.15 1.36 1.35 1.14 0.00", () => {
    const pages = pagesOf([1, 2, 3, 4, 5]);
    const { frequencies } = bestFrequencies("freshness", pages, 5);
    expect([...frequencies].map((f) => f.toFixed(2))).toEqual(["1.15", "1.36", "1.35", "1.14", "0.00"]);
    expect(steadyStateOf("freshness", pages, frequencies)).toBeCloseTo(0.3739, 4);
    expect(steadyStateOf("freshness", pages, uniformFrequencies(pages, 5))).toBeCloseTo(0.3651, 4);
    expect(steadyStateOf("freshness", pages, proportionalFrequencies(pages, 5))).toBeCloseTo(0.3167, 4);
  });

  test("the mix of the web, a visit a month: proportional .129, uniform .573, best .616", () => {
    const mix = [
      [0.23, 1],
      [0.15, 1 / 7],
      [0.16, 1 / 30],
      [0.16, 1 / 120],
      [0.3, 1 / 365],
    ];
    const pages = mix.map(([share, λ]) => ({ rate: λ, value: share, cost: share }));
    const budget = mix.reduce((sum, [share]) => sum + share, 0) / 30;
    const { frequencies } = bestFrequencies("freshness", pages, budget);
    const of = (f: ArrayLike<number>): string => steadyStateOf("freshness", pages, f).toFixed(3);
    expect([of(proportionalFrequencies(pages, budget)), of(uniformFrequencies(pages, budget)), of(frequencies)]).toEqual([
      "0.129",
      "0.573",
      "0.616",
    ]);
    expect([...frequencies].map((f) => (f > 0 ? (1 / f).toFixed(1) : "never"))).toEqual(["never", "11.4", "17.2", "31.1", "52.2"]);
  });

  test("uniform is at least as fresh as proportional, and the best at least as fresh as both", () => {
    const pace = fc.double({ min: -1, max: 1, noNaN: true }).map((x) => 10 ** x);
    fc.assert(
      fc.property(fc.array(rate, { minLength: 1, maxLength: 20 }), pace, (rates, perChange) => {
        const pages = pagesOf(rates);
        const visits = perChange * rates.reduce((sum, λ) => sum + λ, 0);
        const uniform = steadyStateOf("freshness", pages, uniformFrequencies(pages, visits));
        expect(uniform).toBeGreaterThanOrEqual(steadyStateOf("freshness", pages, proportionalFrequencies(pages, visits)) - 1e-12);
        const { frequencies } = bestFrequencies("freshness", pages, visits);
        expect(steadyStateOf("freshness", pages, frequencies)).toBeGreaterThanOrEqual(uniform - 1e-9);
      }),
    );
  });

  test.each(OBJECTIVES)("%s: the budget is spent, and moving it between any two pages makes it worse", (objective) => {
    const pages = [0.02, 0.1, 0.3, 1, 4].map((λ, i) => ({ rate: λ, value: [1, 3, 10, 30, 1][i], cost: [1, 2, 1, 5, 1][i] }));
    const { frequencies } = bestFrequencies(objective, pages, 2);
    expect(pages.reduce((sum, { cost }, i) => sum + cost * frequencies[i], 0)).toBeCloseTo(2, 6);
    const sign = objective === "age" ? -1 : 1;
    const worth = (f: ArrayLike<number>): number =>
      pages.reduce(
        (sum, { rate: λ, value }, i) => sum + sign * value * (f[i] > 0 || objective !== "age" ? steadyState(objective, λ, f[i]) : 1e9),
        0,
      );
    for (let from = 0; from < 5; from++)
      for (let to = 0; to < 5; to++) {
        if (from === to || frequencies[from] === 0) continue;
        const moved = Float64Array.from(frequencies);
        const cost = frequencies[from] * pages[from].cost * 0.02;
        moved[from] -= cost / pages[from].cost;
        moved[to] += cost / pages[to].cost;
        expect(worth(moved)).toBeLessThanOrEqual(worth(frequencies) + 1e-9);
      }
  });
});
