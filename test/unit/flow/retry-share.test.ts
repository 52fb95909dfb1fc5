import fc from "fast-check";
import { expect, test } from "vitest";
import { HOST_PARTS, OVERALL_PARTS, RETRY_WINDOW, RetryAlarm, RetryShare } from "../../../src/flow/retry-share.ts";
import { seededRandom } from "../../../src/simulate/random.ts";

const SECOND = 1_000;

test("nothing started is a share of nothing", () => {
  expect(new RetryShare(OVERALL_PARTS).share(5_000)).toBe(0);
});

test("what is older than a minute does not count any more", () => {
  const share = new RetryShare(OVERALL_PARTS);
  for (let i = 0; i < 50; i++) share.started(500, true);
  for (let i = 0; i < 50; i++) share.started(30 * SECOND, false);
  expect(share.share(59 * SECOND)).toBe(0.5);
  expect(share.share(62 * SECOND)).toBe(0);
  expect(share.share(500 * SECOND)).toBe(0);
});

/** The share as it is: every start kept. */
function exact(starts: readonly (readonly [at: number, isRetry: boolean])[], now: number): number {
  const recent = starts.filter(([at]) => at > now - RETRY_WINDOW && at <= now);
  return recent.length === 0 ? 0 : recent.filter(([, isRetry]) => isRetry).length / recent.length;
}

for (const parts of [HOST_PARTS, OVERALL_PARTS])
  test(`it is right within 1 % at every second of a crawl whose share moves (${parts} parts)`, () => {
    for (let seed = 1; seed <= 5; seed++) {
      const random = seededRandom(seed);
      const share = new RetryShare(parts);
      const starts: [number, boolean][] = [];
      let worst = 0;
      for (let now = 0, next = SECOND; now < 600 * SECOND; now += 200 * random()) {
        // Calm, a storm of five minutes that comes and goes in a minute, calm.
        const storm = Math.max(0, Math.min(1, now / 60_000 - 2, 7 - now / 60_000));
        const isRetry = random() < 0.02 + 0.25 * storm;
        for (; next < now; next += SECOND) worst = Math.max(worst, Math.abs(share.share(next) - exact(starts, next)));
        share.started(now, isRetry);
        starts.push([now, isRetry]);
      }
      expect(worst).toBeLessThanOrEqual(0.01);
    }
  });

test("it is a share at any time, whatever happens", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 100_000 }), fc.boolean())), (steps) => {
      const share = new RetryShare(HOST_PARTS);
      let now = 0;
      for (const [wait, isRetry] of steps) {
        now += wait;
        share.started(now, isRetry);
        expect(share.share(now)).toBeGreaterThanOrEqual(0);
        expect(share.share(now)).toBeLessThanOrEqual(1);
      }
    }),
  );
});

/** Changes that an alarm tells of while the share is as `shareAt` says, second by second. */
function changes(seconds: number, shareAt: (second: number) => number, retries = 100): string[] {
  const alarm = new RetryAlarm();
  const told: string[] = [];
  for (let second = 0; second <= seconds; second++) {
    const change = alarm.tick(second * SECOND, shareAt(second), retries);
    if (change !== null) told.push(`${second} ${change} ${alarm.level}`);
  }
  return told;
}

test("a share above 0.2 for a minute is told once, and raises the shed level until it has been low for a minute", () => {
  expect(changes(600, () => 0.25)).toEqual(["60 raised 1"]);
  expect(changes(600, (second) => (second < 300 ? 0.25 : 0.05))).toEqual(["60 raised 1", "360 over 0"]);
});

test("a share that only touches the bound is no alarm, and one that hovers about it is told once", () => {
  expect(changes(600, () => 0.2)).toEqual([]);
  expect(changes(600, (second) => (second % 59 === 0 ? 0.2 : 0.3))).toEqual([]);
  expect(changes(2_000, (second) => (second % 120 < 70 ? 0.22 : 0.18))).toEqual(["60 raised 1"]);
});

test("the last few URLs of a crawl, tried again alone, are no storm", () => {
  expect(changes(600, () => 1, 9)).toEqual([]);
});
