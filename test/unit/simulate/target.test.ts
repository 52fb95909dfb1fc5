import { expect, test } from "vitest";
import { seededRandom } from "../../../src/simulate/random.ts";
import { Target, targetSpec } from "../../../src/simulate/target.ts";

const half = (): number => 0.5;

test("beyond its concurrency it refuses after one round trip, and a refused request takes no place", () => {
  const target = new Target(targetSpec({ ms: 300 }, { concurrent: 2, retryAfter: 10 }));
  expect(target.arrive(0, half)).toEqual({ kind: "ok", after: 300, bytes: 30_000 });
  expect(target.arrive(0, half).kind).toBe("ok");
  expect(target.arrive(1, half)).toEqual({ kind: 429, after: 50, retryAfter: 10_000 });
  expect(target.inFlight).toBe(2);
  target.leave(300);
  expect(target.arrive(300, half).kind).toBe("ok");
});

test("a rate is a bucket: the burst at once, then one for each token, and refusals take none", () => {
  const target = new Target(targetSpec({ ms: 10 }, { perSecond: 2, burst: 4 }));
  const kinds = Array.from({ length: 5 }, () => target.arrive(0, half).kind);
  expect(kinds).toEqual(["ok", "ok", "ok", "ok", 429]);
  expect(target.arrive(499, half).kind).toBe(429);
  expect(target.arrive(500, half).kind).toBe("ok");
  expect(target.arrive(501, half).kind).toBe(429);
});

test("one in ten seconds is let in exactly every ten seconds", () => {
  const target = new Target(targetSpec({ ms: 10 }, { perSecond: 0.1 }));
  let accepted = 0;
  for (let now = 0; now < 3_600_000; now += 1_000) if (target.arrive(now, half).kind === "ok") accepted++;
  expect(accepted).toBe(360);
});

test("a ban refuses everything from the excess on, and more excess does not prolong it", () => {
  const target = new Target(targetSpec({ ms: 10 }, { concurrent: 1, banSeconds: 60, answer: 503 }));
  target.arrive(0, half);
  expect(target.arrive(5, half).kind).toBe(503);
  target.leave(10);
  expect(target.arrive(30_000, half).kind).toBe(503);
  expect(target.arrive(60_004, half).kind).toBe(503);
  expect(target.arrive(60_005, half).kind).toBe("ok");
});

test("workers serve one queue in order of arrival", () => {
  const target = new Target(targetSpec({ ms: 100, workers: 2 }));
  const after = [0, 0, 0, 50, 1000].map((now) => target.arrive(now, half).after);
  expect(after).toEqual([100, 100, 200, 150, 100]);
});

test("times lie within the jitter, and a share is slow", () => {
  const target = new Target(targetSpec({ ms: 100, jitter: 0.3, slow: { share: 0.1, ms: 4_000 } }));
  const random = seededRandom(1);
  const times = Array.from({ length: 10_000 }, () => target.arrive(0, random).after);
  const slow = times.filter((time) => time > 1_000);
  expect(slow.length).toBeGreaterThan(900);
  expect(slow.length).toBeLessThan(1_100);
  for (const time of times) expect((time >= 70 && time <= 130) || (time >= 2_800 && time <= 5_200)).toBe(true);
});

test("a moving level starts in the middle, and the nearer whole number counts", () => {
  const target = new Target(targetSpec({ ms: 1 }, { concurrent: { from: 2, to: 10, periodMinutes: 40 } }));
  const levels = [0, 10, 20, 30, 40].map((minute) => target.concurrentAt(minute * 60_000));
  expect(levels).toEqual([6, 10, 6, 2, 6]);
});

test("a change keeps the fields it does not name, counted from the target's own beginning", () => {
  const spec = targetSpec({ ms: 100 }, { concurrent: 1, answer: 503 }, [
    { atMinutes: 2, tolerance: { concurrent: null } },
    { atMinutes: 1, service: { ms: 300, workers: 1 } },
  ]);
  const target = new Target(spec, 1_000);
  expect(target.arrive(60_999, half).after).toBe(100);
  target.leave(60_999);
  expect(target.arrive(61_000, half).after).toBe(300);
  expect(target.arrive(61_000, half).kind).toBe(503);
  expect(target.arrive(121_000, half).kind).toBe("ok");
});

test("a silent refusal never comes", () => {
  const target = new Target(targetSpec({ ms: 100 }, { concurrent: 0, answer: "timeout" }));
  expect(target.arrive(0, half).after).toBe(Number.POSITIVE_INFINITY);
});

test("a share fails as it is told, before anything is counted", () => {
  const target = new Target(targetSpec({ ms: 100, fails: { share: 0.25, as: "silent" } }, { concurrent: 1 }));
  const random = seededRandom(2);
  const answers = Array.from({ length: 1_000 }, () => target.arrive(0, random));
  const failed = answers.filter((answer) => answer.kind === "failed");
  expect(failed[0]).toEqual({ kind: "failed", as: "silent", after: Number.POSITIVE_INFINITY });
  expect(failed.length / 1_000).toBeCloseTo(0.25, 1);
  expect(target.inFlight).toBe(1);
});
