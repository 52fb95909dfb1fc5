import { expect, test } from "vitest";
import { AdaptiveLimiter } from "../../../src/flow/adaptive-limiter.ts";
import { HOST_RETRIES, RetryBudget } from "../../../src/flow/retry-budget.ts";
import { hostStateOf } from "../../../src/pipeline/host-states.ts";
import { HostUnits } from "../../../src/pipeline/host-units.ts";
import type { UnitRule } from "../../../src/pipeline/unit-rule.ts";
import { seededRandom } from "../../../src/simulate/random.ts";
import { VirtualClock } from "../../../src/simulate/virtual-clock.ts";
import { Host } from "../../../src/stages/frontier/host.ts";
import { RobotsGate } from "../../../src/stages/frontier/robots-gate.ts";
import { turn } from "../../fixtures/turn.ts";

const random = seededRandom(3);
const ceilings: Record<string, number> = { a: 8, b: 5, c: 6 };

function setUp(rule: UnitRule, clock: VirtualClock) {
  const units = new HostUnits({
    clock,
    random,
    rule,
    newLimiter: (pace) => new AdaptiveLimiter(pace),
    paceOf: (name) => ({ ceiling: ceilings[name] ?? 8, gap: 0 }),
  });
  const [a, b, c] = ["a", "b", "c"].map((key, id) => {
    const host = new Host(
      id,
      key,
      new AdaptiveLimiter({ ceiling: 8, gap: 0 }),
      new RobotsGate(false, "weir", 0),
      new RetryBudget(HOST_RETRIES, 0),
    );
    units.made(host);
    return host;
  });
  return { units, a, b, c };
}

/** One request that is refused. */
function refuse(host: Host, clock: VirtualClock, retryAfter: number): void {
  const now = clock.now();
  host.limiter.end(host.limiter.start(now, random), { kind: "congestion", cause: "throttle", retryAfter }, now + 1, random);
}

test("hosts of one key share limiter, memory and health, with the least ceiling and the largest delay", () => {
  const clock = new VirtualClock(turn);
  const { a, b, c } = setUp({ by: "key", of: (name) => (name === "c" ? "alone" : "both") }, clock);
  expect([a.limiter === b.limiter, a.memory === b.memory, a.health === b.health, a.limiter === c.limiter]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect([a.unit?.pace, c.unit?.pace]).toEqual([
    { ceiling: 5, gap: 0 },
    { ceiling: 6, gap: 0 },
  ]);
  a.asked({ ceiling: 8, gap: 700 });
  b.asked({ ceiling: 8, gap: 200 });
  expect(b.unit?.pace).toEqual({ ceiling: 5, gap: 700 });
  a.limiter.end(a.limiter.start(0, random), { kind: "ok", ttfb: 10 }, 10, random);
  expect(b.limiter.admitAt(10)).toBeGreaterThanOrEqual(700);
});

test("the youngest stored state is the unit's in whatever order the rows come, and the gate of an older one holds", async () => {
  const clock = new VirtualClock(turn);
  const before = setUp({ by: "key", of: (name) => name }, clock);
  refuse(before.a, clock, 900_000);
  const old = hostStateOf(before.a, clock, null);
  await clock.advance(60_000);
  refuse(before.b, clock, 1_000);
  await clock.advance(60_000);
  refuse(before.b, clock, 1_000);
  const young = hostStateOf(before.b, clock, null);
  for (const order of [
    [old, young],
    [young, old],
  ]) {
    const { units, a } = setUp({ by: "key", of: () => "one" }, clock);
    for (const { limiter, gateUntil } of order) if (limiter !== null) units.restore(a, limiter, gateUntil);
    expect(a.limiter.cuts, "of the young one").toBe(before.b.limiter.cuts);
    expect(a.limiter.gateUntil - clock.now(), "of the old one").toBeGreaterThan(700_000);
  }
});

test("by address a host joins when it is resolved, brings what was stored, and stays", () => {
  const clock = new VirtualClock(turn);
  const before = setUp({ by: "key", of: (name) => name }, clock);
  refuse(before.a, clock, 60_000);
  const { limiter, gateUntil } = hostStateOf(before.a, clock, null);
  const { units, a, b } = setUp({ by: "address" }, clock);
  if (limiter !== null) units.restore(a, limiter, gateUntil);
  expect([a.unit, b.unit]).toEqual([null, null]);
  b.address = "192.0.2.1";
  units.resolved(b);
  expect(b.limiter.gateUntil).toBe(0);
  a.address = "192.0.2.1";
  units.resolved(a);
  expect(a.unit).toBe(b.unit);
  expect(b.limiter.gateUntil).toBeGreaterThan(50_000);
  const { unit } = a;
  a.address = "192.0.2.2";
  units.resolved(a);
  expect(a.unit).toBe(unit);
});
