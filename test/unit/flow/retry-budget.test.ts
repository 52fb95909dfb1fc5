import fc from "fast-check";
import { expect, test } from "vitest";
import { HOST_RETRIES, OVERALL_RETRIES, RetryBudget, type RetryLimits } from "../../../src/flow/retry-budget.ts";

const MINUTE = 60_000;

test("a host begins with two retries, and gets one more a minute", () => {
  const budget = new RetryBudget(HOST_RETRIES, 1_000);
  budget.take(1_000);
  expect(budget.has(1_000)).toBe(true);
  budget.take(1_000);
  expect(budget.has(1_000)).toBe(false);
  expect(budget.readyAt(1_000)).toBeCloseTo(1_000 + MINUTE);
  expect(budget.has(999 + MINUTE)).toBe(false);
  expect(budget.has(1_000 + MINUTE)).toBe(true);
});

test("ten first attempts earn one retry, and what turned out to be none earns nothing", () => {
  const budget = new RetryBudget(HOST_RETRIES, 0);
  budget.take(0);
  budget.take(0);
  for (let i = 0; i < 10; i++) budget.first();
  expect(budget.has(0)).toBe(true);
  budget.unfirst();
  expect(budget.has(0)).toBe(false);
});

test("time alone never saves more than the burst, and a long calm no more than 20 retries besides", () => {
  const budget = new RetryBudget(HOST_RETRIES, 0);
  expect(budget.tokens(100 * MINUTE)).toBe(2);
  for (let i = 0; i < 10_000; i++) budget.first();
  expect(budget.tokens(100 * MINUTE)).toBe(22);
});

test("a debt is repaid before the next retry", () => {
  const budget = new RetryBudget(HOST_RETRIES, 0);
  for (let i = 0; i < 4; i++) budget.take(0);
  expect(budget.readyAt(0)).toBeCloseTo(3 * MINUTE);
  budget.refund(0);
  expect(budget.readyAt(0)).toBeCloseTo(2 * MINUTE);
});

test("a clock that stands or seems to go back gives nothing", () => {
  const budget = new RetryBudget(HOST_RETRIES, 10 * MINUTE);
  budget.take(10 * MINUTE);
  budget.take(10 * MINUTE);
  expect(budget.tokens(MINUTE)).toBe(0);
  expect(budget.tokens(11 * MINUTE)).toBeCloseTo(1);
});

/** What a host or the crawl lives through. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("first" as const), count: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("retry" as const), count: fc.integer({ min: 1, max: 100 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("time" as const), count: fc.integer({ min: 1, max: 120_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("refused" as const), count: fc.integer({ min: 1, max: 20 }) }) },
);

for (const [name, limits] of [
  ["host", HOST_RETRIES],
  ["overall", OVERALL_RETRIES],
] as const satisfies [string, RetryLimits][])
  test(`${name}: retries ≤ 0.1 × first attempts + reserve × time + burst, at every moment of any sequence`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new RetryBudget(limits, 0);
        let [now, firsts, retries] = [0, 0, 0];
        for (const { kind, count } of steps) {
          if (kind === "time") now += count;
          for (let i = 0; i < count && kind !== "time"; i++) {
            if (kind === "first") {
              budget.first();
              firsts += 1;
            } else if (kind === "refused") {
              budget.first();
              budget.unfirst();
            } else if (budget.has(now)) {
              budget.take(now);
              retries += 1;
            } else expect(budget.readyAt(now)).toBeGreaterThan(now);
          }
          expect(retries).toBeLessThanOrEqual(0.1 * firsts + limits.perMilli * now + limits.burst + 1e-3);
        }
      }),
    );
  });

test("whoever asks again when time has brought a token finds it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 8 }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (firsts, taken, now) => {
        const budget = new RetryBudget(HOST_RETRIES, now);
        for (let i = 0; i < firsts; i++) budget.first();
        for (let i = 0; i < taken; i++) budget.take(now);
        expect(budget.has(budget.readyAt(now))).toBe(true);
      },
    ),
  );
});
