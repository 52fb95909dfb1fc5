import { describe, expect, test } from "vitest";
import { RateWatch } from "../../../../src/adapters/http1/rate-watch.ts";

const LEAST = { bytesPerSecond: 1_000, window: 10_000, grace: 10_000 };

/** First moment, in steps of 200 ms, at which a body of so many bytes a second is given up; undefined within two minutes. */
function givenUpAt(bytesBy: (spent: number) => number, least = LEAST): number | undefined {
  const watch = new RateWatch(least);
  for (let spent = 200; spent <= 120_000; spent += 200) if (watch.isTooSlow(spent, bytesBy(spent))) return spent;
  return undefined;
}

describe("the least rate", () => {
  test("ends a slow body when the grace is over", () => {
    expect(givenUpAt((spent) => 0.9 * spent)).toBe(10_000);
    expect(givenUpAt(() => 0, { ...LEAST, grace: 20_000 })).toBe(20_000);
  });

  test("leaves a body alone that just keeps it", () => {
    expect(givenUpAt((spent) => spent)).toBeUndefined();
  });

  test("looks at the last window and not at the mean of all", () => {
    // 10 MB in the first half minute, nothing after: noticed when the last window has less than 10,000 bytes in it.
    expect(givenUpAt((spent) => Math.min(spent, 30_000) * 333)).toBe(40_000);
  });

  test("forgives a pause of less than a window", () => {
    expect(givenUpAt((spent) => (spent < 30_000 ? 2 * spent : spent < 34_000 ? 60_000 : 60_000 + 2 * (spent - 34_000)))).toBeUndefined();
  });
});
