import fc from "fast-check";
import { expect, it } from "vitest";
import { retryAfter } from "../../../src/kernel/retry-after.ts";

const NOW = Date.UTC(2026, 0, 1, 12);

it("seconds are taken as they are, at least one and at most a day", () => {
  expect(["7", " 90 ", "0", "999999999999999999999"].map((value) => retryAfter(value, undefined, NOW))).toEqual([
    7_000, 90_000, 1_000, 86_400_000,
  ]);
});

it("a date is measured from the server's own clock, so that its being an hour wrong does not matter", () => {
  expect(retryAfter("Thu, 01 Jan 2026 13:02:00 GMT", "Thu, 01 Jan 2026 13:00:00 GMT", NOW)).toBe(120_000);
  expect(retryAfter("Thu, 01 Jan 2026 12:02:00 GMT", undefined, NOW)).toBe(120_000);
  expect(retryAfter("Thu, 01 Jan 2026 12:02:00 GMT", "nonsense", NOW)).toBe(120_000);
});

it("a date that has passed still asks for a second", () => {
  expect(retryAfter("Thu, 01 Jan 2026 11:00:00 GMT", undefined, NOW)).toBe(1_000);
});

it.each(["-5", "soon", "1e3", "1.5", "", "60, 5", "5;q=1"])("%j is no answer", (value) => {
  expect(retryAfter(value, undefined, NOW)).toBeNull();
});

it("is null or within a second and a day for any text", () => {
  fc.assert(
    fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (value, date) => {
      const delay = retryAfter(value, date, NOW);
      expect(delay === null || (delay >= 1_000 && delay <= 86_400_000)).toBe(true);
    }),
  );
});
