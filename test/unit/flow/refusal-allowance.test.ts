import { expect, test } from "vitest";
import { Level } from "../../../src/flow/level.ts";
import { RefusalAllowance } from "../../../src/flow/refusal-allowance.ts";

test("eleven refusals at once, and one more each 115 s; a try needs two", () => {
  const allowance = new RefusalAllowance();
  for (let i = 0; i < 9; i++) allowance.refused(0);
  expect(allowance.allowsTry(0)).toBe(true);
  allowance.refused(0);
  expect(allowance.allowsTry(114_000)).toBe(false);
  expect(allowance.allowsTry(116_000)).toBe(true);
});

test("with none left a limit stays at its knee, however well the host answers; with some it goes on", () => {
  const limits = [20, 0].map((refusals) => {
    const level = new Level();
    level.cut(0.5, 1, false, 100, 0);
    level.reopened(1, 500, 100, 500);
    for (let i = 0; i < refusals; i++) level.allowance.refused(60_000);
    for (let now = 60_000; now < 120_000; now += 500) {
      level.answered(now, 1, now);
      level.quicken(now);
    }
    return { limit: level.limit, knee: level.knee };
  });
  expect(limits[0]).toEqual({ limit: 0.6, knee: 0.6 });
  expect(limits[1].limit).toBeGreaterThan(0.6);
});
