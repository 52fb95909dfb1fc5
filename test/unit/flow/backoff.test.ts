import fc from "fast-check";
import { expect, test } from "vitest";
import { retryDelay } from "../../../src/flow/backoff.ts";

test("the first retry comes after one to three seconds, later ones may take three times as long each", () => {
  expect([retryDelay(1, () => 0), retryDelay(1, () => 1)]).toEqual([1_000, 3_000]);
  expect(retryDelay(2, () => 1)).toBe(9_000);
  expect(retryDelay(3, () => 0.5)).toBe(14_000);
});

test("it is never below a second and never above five minutes, and grows with the draw", () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fraction, fraction, (attempt, a, b) => {
      const [less, more] = [retryDelay(attempt, () => Math.min(a, b)), retryDelay(attempt, () => Math.max(a, b))];
      expect(less).toBeGreaterThanOrEqual(1_000);
      expect(more).toBeLessThanOrEqual(300_000);
      expect(less).toBeLessThanOrEqual(more);
    }),
  );
});
