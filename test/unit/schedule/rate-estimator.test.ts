import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digamma, logGamma, trigamma } from "../../../src/schedule/gamma-function.ts";
import {
  beliefOf,
  changeChance,
  emCountEstimator,
  gammaEstimator,
  keptShare,
  learnDated,
  type RateBelief,
  type RateEstimator,
  shrunkEstimator,
} from "../../../src/schedule/rate-estimator.ts";
import { RateSums, shapeOf } from "../../../src/schedule/rate-prior.ts";
import { gammaMean } from "./quadrature.ts";

const relative = (got: number, want: number): number => Math.abs(got - want) / Math.abs(want);
const none = (): RateBelief => ({ shape: 0, days: 0 });

function believed(
  estimator: RateEstimator,
  prior: RateBelief,
  visits: readonly (readonly [days: number, changed: boolean])[],
  kept = 1,
): RateBelief {
  const evidence = none();
  for (const [days, changed] of visits) estimator.learn(evidence, prior, days, changed, kept);
  return beliefOf(prior, evidence, none());
}

describe("the gamma estimator", () => {
  test("without a change the belief is exact: so many days more", () => {
    expect(
      believed(gammaEstimator, { shape: 0.7, days: 20 }, [
        [3, false],
        [4, false],
      ]),
    ).toEqual({ shape: 0.7, days: 27 });
  });

  test("after a change mean and variance are those of the exact posterior, to 1e-6", () => {
    for (const a of [0.2, 0.7, 1, 3, 25])
      for (const s of [0.01, 1, 30, 500]) {
        const b = 10;
        const got = believed(gammaEstimator, { shape: a, days: b }, [[s, true]]);
        const chance = gammaMean(a, b, (d) => -Math.expm1(-d * s));
        const mean = gammaMean(a, b, (d) => -d * Math.expm1(-d * s)) / chance;
        const square = gammaMean(a, b, (d) => -((d - mean) ** 2) * Math.expm1(-d * s)) / chance;
        expect(relative(got.shape / got.days, mean), `mean, a ${a}, s ${s}`).toBeLessThan(1e-6);
        expect(relative(got.shape / got.days ** 2, square), `variance, a ${a}, s ${s}`).toBeLessThan(1e-6);
      }
  });

  test("a change after a moment is one change more; a change after years says next to nothing", () => {
    const soon = believed(gammaEstimator, { shape: 2, days: 10 }, [[1e-7, true]]);
    expect(relative(soon.shape, 3)).toBeLessThan(1e-5);
    const late = believed(gammaEstimator, { shape: 2, days: 10 }, [[1e6, true]]);
    expect(relative(late.shape / late.days, 0.2)).toBeLessThan(1e-4);
  });
});

describe("every estimator", () => {
  test.each([gammaEstimator, shrunkEstimator, emCountEstimator])(
    "$name: comes to the rate of a page that is visited regularly",
    (estimator) => {
      // One change in four visits of two days: P(changed) = 1/4, λ = −ln(3/4)/2 = .144; seen changes per day .125.
      const visits = Array.from({ length: 4000 }, (_, i) => [2, i % 4 === 3] as const);
      const { shape, days } = believed(estimator, { shape: 0.5, days: 10 }, visits);
      const want = estimator.name === "shrunk" ? 0.125 : -Math.log(0.75) / 2;
      expect(relative(shape / days, want)).toBeLessThan(0.01);
    },
  );

  test.each([gammaEstimator, shrunkEstimator, emCountEstimator])("$name: three visits never give an extreme estimate", (estimator) => {
    const prior = { shape: 1, days: 30 };
    const fast = believed(estimator, prior, [
      [1, true],
      [1, true],
      [1, true],
    ]);
    const slow = believed(estimator, prior, [
      [1, false],
      [1, false],
      [1, false],
    ]);
    expect(fast.shape / fast.days).toBeLessThan(5 / 30);
    expect(slow.shape / slow.days).toBeGreaterThan(0.8 / 30);
  });

  test.each([gammaEstimator, shrunkEstimator, emCountEstimator])(
    "$name: stays possible under any visits, priors that move and 32-bit floats",
    (estimator) => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.double({ min: 1e-4, max: 400, noNaN: true }), fc.boolean()), { minLength: 1, maxLength: 60 }),
          fc.double({ min: 0.05, max: 20, noNaN: true }),
          fc.double({ min: 0.01, max: 1000, noNaN: true }),
          (visits, shape, days) => {
            const evidence = none();
            let prior = { shape, days };
            for (const [span, changed] of visits) {
              estimator.learn(evidence, prior, span, changed, keptShare(span, 180));
              evidence.shape = Math.fround(evidence.shape);
              evidence.days = Math.fround(evidence.days);
              prior = { shape: prior.shape * (changed ? 0.9 : 1.05), days: prior.days * (changed ? 1.05 : 0.95) };
              const belief = beliefOf(prior, evidence, none());
              expect(belief.shape).toBeGreaterThan(0);
              expect(belief.days).toBeGreaterThan(0);
              expect(Number.isFinite(belief.shape / belief.days)).toBe(true);
            }
          },
        ),
      );
    },
  );

  test("forgetting brings a page back to its class", () => {
    const prior = { shape: 1, days: 30 };
    const evidence = { shape: 20, days: 10 };
    gammaEstimator.learn(evidence, prior, 2000, false, keptShare(2000, 180));
    expect(evidence.shape).toBeLessThan(0.001);
  });

  test("a dated change is exact: one change more, and only the days since then without one", () => {
    const evidence = none();
    learnDated(evidence, 10, 4, 1);
    expect(evidence).toEqual({ shape: 1, days: 4 });
    learnDated(evidence, 3, 7, 1);
    expect(evidence).toEqual({ shape: 1, days: 7 });
  });

  test("the chance of a change is that of the mean over the belief", () => {
    const want = gammaMean(0.8, 12, (d) => -Math.expm1(-d * 5));
    expect(relative(changeChance({ shape: 0.8, days: 12 }, 5), want)).toBeLessThan(1e-9);
  });
});

describe("the prior of a class", () => {
  test("digamma and trigamma against known values, and as derivatives", () => {
    expect(digamma(1)).toBeCloseTo(-0.5772156649015329, 12);
    expect(trigamma(1)).toBeCloseTo(Math.PI ** 2 / 6, 10);
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 11);
    for (const x of [0.05, 0.3, 2, 40]) expect(relative(digamma(x), (logGamma(x + 1e-5) - logGamma(x - 1e-5)) / 2e-5)).toBeLessThan(1e-5);
  });

  test("the shape that fits a spread", () => {
    for (const a of [0.06, 0.3, 1, 7, 19]) expect(relative(shapeOf(Math.log(a) - digamma(a)), a)).toBeLessThan(1e-6);
    expect(shapeOf(0)).toBe(20);
    expect(shapeOf(1e4)).toBe(0.05);
  });

  test("sums of pages that are known well give back the gamma they came from", () => {
    const sums = new RateSums();
    // Quantiles of an exponential (shape 1) with mean 0.2 a day, each known to a part in a thousand.
    for (let i = 0; i < 5000; i++) {
      const rate = -Math.log(1 - (i + 0.5) / 5000) * 0.2;
      sums.add({ shape: 1e6, days: 1e6 / rate });
    }
    const prior = { shape: 9, days: 9 };
    sums.fit(prior);
    expect(relative(prior.shape, 1)).toBeLessThan(0.01);
    expect(relative(prior.shape / prior.days, 0.2)).toBeLessThan(0.01);
  });
});
