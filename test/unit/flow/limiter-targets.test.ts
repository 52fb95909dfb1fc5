import { describe, expect, test } from "vitest";
import { newHostLimiter } from "../../../src/flow/new-host-limiter.ts";
import { closedLoop } from "../../../src/simulate/closed-loop.ts";
import { FURTHER_TARGETS, REFERENCE_TARGETS, type ReferenceTarget } from "../../../src/simulate/reference-targets.ts";

const HOUR = 3_600_000;
const measured = { span: HOUR, from: 300_000 };

function expectGood({ spec, ideal, least, p95 }: ReferenceTarget, seeds: readonly number[]): void {
  const runs = seeds.map((seed) => closedLoop(newHostLimiter("weir", { ceiling: 32, gap: 0 }), spec, { seed, ...measured }));
  for (const run of runs) {
    expect(run.refusals, "refusals in the hour").toBeLessThanOrEqual(45);
    expect(run.beyondFlight, "refusals of an event beyond what was in flight").toBeLessThanOrEqual(0);
    if (p95 !== null) expect(run.p95).toBeLessThanOrEqual(p95);
  }
  const mean = runs.reduce((sum, run) => sum + run.goodput, 0) / runs.length;
  expect(mean / ideal, "share of the ideal").toBeGreaterThanOrEqual(least);
}

describe("the sites of the table, seeds 1 to 3", () => {
  test.each(REFERENCE_TARGETS)("$name", (target) => expectGood(target, [1, 2, 3]));
});

describe("further sites, seed 4", () => {
  test.each(FURTHER_TARGETS)("$name", (target) => expectGood(target, [4]));
});

test("the textbook limiter, beside it, is refused thousands of times", () => {
  const [{ spec }] = REFERENCE_TARGETS;
  const run = closedLoop(newHostLimiter("aimd", { ceiling: 32, gap: 0 }), spec, { seed: 1, ...measured });
  expect(run.refusals).toBeGreaterThan(2_000);
});
