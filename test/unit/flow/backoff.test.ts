import fc from "fast-check";
import { expect, test } from "vitest";
import { retryDelay } from "../../../src/flow/backoff.ts";

test("the first retry comes after one to three seconds, a later one after at most three times the delay before", () => {
  expect([retryDelay(0, () => 0), retryDelay(0, () => 1)]).toEqual([1_000, 3_000]);
  expect([retryDelay(3_000, () => 0), retryDelay(3_000, () => 1)]).toEqual([1_000, 9_000]);
  expect(retryDelay(9_000, () => 0.5)).toBe(14_000);
});

test("it is never below a second and never above five minutes, and grows with the draw", () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300_000 }), fraction, fraction, (previous, a, b) => {
      const [less, more] = [retryDelay(previous, () => Math.min(a, b)), retryDelay(previous, () => Math.max(a, b))];
      expect(less).toBeGreaterThanOrEqual(1_000);
      expect(more).toBeLessThanOrEqual(300_000);
      expect(less).toBeLessThanOrEqual(more);
    }),
  );
});
