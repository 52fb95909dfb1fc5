import { describe, expect, test } from "vitest";
import { AdaptiveLimiter } from "../../../src/flow/adaptive-limiter.ts";
import type { HostSignal, Permit } from "../../../src/flow/host-limiter.ts";

const OK: HostSignal = { kind: "ok", ttfb: 100 };
const NEUTRAL: HostSignal = { kind: "neutral" };
const refused = (retryAfter: number | null = null): HostSignal => ({ kind: "congestion", cause: "throttle", retryAfter });
const least = (): number => 0;

function started(limiter: AdaptiveLimiter, count: number, now: number): Permit[] {
  return Array.from({ length: count }, () => limiter.start(now, least));
}

describe("the gate", () => {
  test("closes for the back-off, U(b/2, b) with b = 1 s at first", () => {
    for (const [random, until] of [
      [0, 500],
      [0.999_999, 1_000],
    ] as const) {
      const limiter = new AdaptiveLimiter({ ceiling: 4, gap: 0 });
      const [permit] = started(limiter, 1, 0);
      limiter.end(permit, refused(), 100, () => random);
      expect(limiter.gateUntil).toBeCloseTo(100 + until, 0);
    }
  });

  test("closes for Retry-After when that is longer", () => {
    const limiter = new AdaptiveLimiter({ ceiling: 4, gap: 0 });
    const [permit] = started(limiter, 1, 0);
    limiter.end(permit, refused(120_000), 100, least);
    expect(limiter.gateUntil).toBe(120_100);
  });

  test("takes one round of refusals for one event", () => {
    const limiter = new AdaptiveLimiter({ ceiling: 16, gap: 0 });
    const permits = started(limiter, 16, 0);
    permits.forEach((permit, index) => {
      limiter.end(permit, refused(), 100 + index, () => 0.999_999);
    });
    expect(limiter.gateUntil).toBeCloseTo(1_100, 0);
    expect(limiter.cuts).toBe(1);
  });

  test("doubles with each failed probe, up to five minutes", () => {
    const limiter = new AdaptiveLimiter({ ceiling: 4, gap: 0 });
    let now = 0;
    const waits: number[] = [];
    for (let event = 0; event < 12; event++) {
      limiter.end(limiter.start(now, least), refused(), now, () => 0.999_999_9);
      waits.push(Math.round((limiter.gateUntil - now) / 1_000));
      now = limiter.gateUntil;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  test("half-open admits exactly one request, and asks again when it said nothing", () => {
    const limiter = new AdaptiveLimiter({ ceiling: 4, gap: 0 });
    const [first, old] = started(limiter, 2, 0);
    limiter.end(first, refused(5_000), 100, least);
    expect(limiter.admitAt(6_000)).toBe(Number.POSITIVE_INFINITY);
    limiter.end(old, NEUTRAL, 200, least);
    expect(limiter.admitAt(6_000)).toBe(6_000);
    limiter.end(limiter.start(6_000, least), NEUTRAL, 6_100, least);
    expect(limiter).toMatchObject({ halfOpen: true });
    expect(limiter.admitAt(6_100)).toBe(7_100);
    limiter.end(limiter.start(7_100, least), OK, 7_200, least);
    expect(limiter.halfOpen).toBe(false);
  });
});

test("a closed gate, a gap that runs and what was learned outlive the process", () => {
  const limiter = new AdaptiveLimiter({ ceiling: 4, gap: 10_000 });
  limiter.end(limiter.start(0, least), refused(60_000), 1_000, least);
  const other = new AdaptiveLimiter({ ceiling: 4, gap: 10_000 });
  other.restore(limiter.state(11_000), 500_000, 50_000);
  expect(other.admitAt(500_000)).toBe(550_000);
  expect(other).toMatchObject({ halfOpen: true, limit: 0.5 });
  expect(other.state(500_000)).toEqual(limiter.state(11_000));
});
