import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BatchGauge } from "../../../src/flow/batch-gauge.ts";
import { BoundLearner } from "../../../src/flow/bound-learner.ts";
import { expectedOf, type Heaviness, notePage } from "../../../src/flow/heavy-hosts.ts";
import { SizeQuantile } from "../../../src/flow/size-quantile.ts";
import { StageGauge } from "../../../src/flow/stage-gauge.ts";
import { seededRandom } from "../../../src/simulate/random.ts";

const WAIT = 10_000;
const options = {
  wait: WAIT,
  first: { items: 500, bytes: 1_000_000 },
  least: { items: 2, bytes: 10_000 },
  most: { items: 2_000, bytes: 4_000_000 },
};

/** A stage of so many departures a second, busy for `busyShare` of the time. */
function serve(learner: BoundLearner, from: number, to: number, perSecond: number, busyShare: number, totals = { items: 0, busy: 0 }) {
  for (let now = from; now < to; now += 1_000) {
    totals.items += perSecond;
    totals.busy += 1_000 * busyShare;
    learner.sample(now + 1_000, { departedItems: totals.items, departedBytes: totals.items * 1_000, busyTime: totals.busy });
  }
  return totals;
}

describe("a learnt bound", () => {
  test("becomes what the stage can do in the wait tolerated, in items and in bytes", () => {
    const learner = new BoundLearner(options, 0);
    serve(learner, 0, 120_000, 50, 1);
    expect(learner.bound).toEqual({ items: 500, bytes: 500_000 });
    serve(learner, 120_000, 900_000, 150, 1, { items: 6_000, busy: 120_000 });
    expect(learner.bound).toEqual({ items: 1_500, bytes: 1_500_000 });
  });

  test("counts time in which it was busy, not time in which it starved", () => {
    const learner = new BoundLearner(options, 0);
    const totals = serve(learner, 0, 300_000, 20, 0.2);
    expect(learner.bound.items, "20 in a fifth of each second").toBe(1_000);
    serve(learner, 300_000, 900_000, 0, 0, totals);
    expect(learner.bound.items, "starved, it stays").toBe(1_000);
  });

  test("moves by a quarter up and a fifth down in five seconds, at most", () => {
    const learner = new BoundLearner(options, 0);
    const totals = serve(learner, 0, 5_000, 1, 1);
    expect(learner.bound.items).toBe(400);
    serve(learner, 5_000, 10_000, 1, 1, totals);
    expect(learner.bound.items).toBe(320);
    const up = new BoundLearner(options, 0);
    serve(up, 0, 5_000, 1_000, 1);
    expect(up.bound.items).toBe(625);
  });

  test("stays between its least and its most, and never moves by more than a step, whatever is measured", () => {
    const second = fc.record({ items: fc.nat({ max: 5_000 }), bytes: fc.nat({ max: 1e9 }), busy: fc.nat({ max: 1_000 }) });
    const property = fc.property(fc.array(second, { maxLength: 200 }), (seconds) => {
      const learner = new BoundLearner(options, 0);
      const totals = { departedItems: 0, departedBytes: 0, busyTime: 0 };
      let now = 0;
      let before = learner.bound;
      for (const { items, bytes, busy } of seconds) {
        totals.departedItems += items;
        totals.departedBytes += bytes;
        totals.busyTime += busy;
        learner.sample((now += 1_000), { ...totals });
        for (const unit of ["items", "bytes"] as const) {
          const value = learner.bound[unit];
          expect(value).toBeGreaterThanOrEqual(options.least[unit]);
          expect(value).toBeLessThanOrEqual(options.most[unit]);
          expect(value).toBeLessThanOrEqual(Math.max(before[unit] * 1.25, before[unit] + 1) + 0.5);
          expect(value).toBeGreaterThanOrEqual(before[unit] * 0.8 - 0.5);
        }
        before = learner.bound;
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe("a stage's gauge", () => {
  test("tells depth, bytes, the age of the oldest, and the time it was busy", () => {
    const gauge = new StageGauge();
    const a = gauge.enter(100, 10);
    const b = gauge.enter(300, 20);
    expect([gauge.items, gauge.bytes, gauge.oldestAge(500)]).toEqual([2, 30, 400]);
    gauge.leave(600, a, true);
    expect([gauge.items, gauge.bytes, gauge.oldestAge(700)]).toEqual([1, 20, 400]);
    gauge.leave(800, b, false);
    gauge.leave(900, b, true);
    expect([gauge.items, gauge.oldestAge(900), gauge.busyTime]).toEqual([0, 0, 700]);
    expect([gauge.departedItems, gauge.departedBytes], "what was given up is no departure").toEqual([1, 10]);
  });

  test("a queue that empties now and then has no standing wait; one that does not, has its least", () => {
    const gauge = new StageGauge();
    for (let now = 0; now < 60_000; now += 1_000) gauge.leave(now + 900, gauge.enter(now, 1), true);
    expect(gauge.leastSojourn(60_000)).toBe(0);
    const line = [gauge.enter(60_000, 1), gauge.enter(60_000, 1)];
    for (let now = 61_000; now < 90_000; now += 1_000) {
      line.push(gauge.enter(now, 1));
      const first = line.shift();
      if (first !== undefined) gauge.leave(now, first, true);
    }
    expect(gauge.leastSojourn(90_000)).toBe(2_000);
  });

  test("with no departure at all, it is the age of what stands there", () => {
    const gauge = new StageGauge();
    gauge.leave(1_000, gauge.enter(900, 1), true);
    gauge.enter(1_000, 1);
    expect(gauge.leastSojourn(4_000), "something went through lately").toBeLessThanOrEqual(100);
    expect(gauge.leastSojourn(31_000)).toBe(30_000);
  });

  test("a batch waits as long as its commit takes", () => {
    const gauge = new BatchGauge();
    gauge.begin(1_000);
    gauge.count(3_000);
    gauge.end(5_000, 200, 2_000);
    expect(gauge).toMatchObject({ departedItems: 200, departedBytes: 2_000, busyTime: 4_000 });
    expect(gauge.leastSojourn(6_000, 50_000)).toBe(4_000);
  });
});

describe("heavy hosts", () => {
  const light = (): Heaviness => ({ heavyShare: 0, heavy: false, bodySize: 0 });

  test("the first heavy page makes a host heavy; some twenty light ones take it back", () => {
    const host = light();
    notePage(host, 20_000_000, true);
    expect([host.heavy, expectedOf(host)]).toEqual([true, 25_000_000]);
    for (let i = 0; i < 10; i++) notePage(host, 20_000_000, true);
    let pages = 0;
    for (; host.heavy; pages++) notePage(host, 30_000, false);
    expect(pages).toBeGreaterThanOrEqual(10);
    expect(pages).toBeLessThanOrEqual(21);
    expect(expectedOf(host)).toBeLessThan(2_000_000);
  });

  test("one heavy page in a hundred holds a host back for a few pages only", () => {
    const host = light();
    let heavyTurns = 0;
    for (let i = 0; i < 1_000; i++) {
      notePage(host, i % 100 === 0 ? 5_000_000 : 30_000, i % 100 === 0);
      if (host.heavy) heavyTurns += 1;
    }
    expect(heavyTurns / 1_000).toBeLessThan(0.08);
  });
});

test("the size reserved is one that nine of ten bodies do not exceed, and a giant does not move it", () => {
  const random = seededRandom(7);
  const quantile = new SizeQuantile({ first: 65_536, least: 4_096, most: 262_144 });
  const size = (): number => 10_000 * Math.exp(random() * 2);
  for (let i = 0; i < 2_000; i++) quantile.add(size());
  let above = 0;
  for (let i = 0; i < 5_000; i++) {
    const next = size();
    if (next > quantile.value) above += 1;
    quantile.add(next);
  }
  expect(above / 5_000).toBeGreaterThan(0.07);
  expect(above / 5_000).toBeLessThan(0.14);
  const before = quantile.value;
  quantile.add(20_000_000);
  expect(quantile.value).toBeLessThan(before * 1.1);
});
