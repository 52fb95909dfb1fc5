import { describe, expect, test } from "vitest";
import { AdaptiveLimiter } from "../../../src/flow/adaptive-limiter.ts";
import { Health } from "../../../src/flow/health.ts";
import type { Millis } from "../../../src/kernel/units.ts";
import { hostStateOf, restoreState } from "../../../src/pipeline/host-states.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Host } from "../../../src/stages/frontier/host.ts";

const EPOCH = 1_700_000_000_000;
const clockAt = (now: Millis, epoch: number): Clock => ({ now: () => now, epoch: () => epoch }) as unknown as Clock;
const newHost = (gap: Millis): Host =>
  ({ id: 1, limiter: new AdaptiveLimiter({ ceiling: 8, gap }), health: new Health() }) as unknown as Host;

/** A host that was asked at 5 s, packed at 6 s, and read again by a process that begins at 0, so much later. */
function afterAway(away: Millis, gap: Millis, retryAfter: Millis | null): Host {
  const before = newHost(gap);
  const permit = before.limiter.start(5_000, () => 0.5);
  const signal =
    retryAfter === null ? ({ kind: "ok", ttfb: 100 } as const) : ({ kind: "congestion", cause: "throttle", retryAfter } as const);
  before.limiter.end(permit, signal, 5_100, () => 0.5);
  const state = hostStateOf(before, clockAt(6_000, EPOCH), null);
  const after = newHost(gap);
  restoreState(after, state.limiter ?? new Uint8Array(0), clockAt(0, EPOCH + away), state.gateUntil);
  return after;
}

describe("a host's state, read by the next run", () => {
  test.each([
    [0, 9_000],
    [4_000, 5_000],
    [60_000, 0],
  ])("after %i ms away what is left of a delay of 10 s is waited for: %i ms", (away, left) => {
    expect(afterAway(away, 10_000, null).limiter.admitAt(0)).toBe(left);
  });

  test.each([
    [0, 119_100],
    [100_000, 19_100],
    [200_000, 0],
  ])("after %i ms away what is left of a Retry-After of 2 min is waited for: %i ms", (away, left) => {
    const { limiter } = afterAway(away, 0, 120_000);
    expect(limiter.admitAt(0)).toBe(left);
    expect(limiter.halfOpen).toBe(true);
  });
});
