import { expect, test } from "vitest";
import { AimdLimiter } from "../../../src/flow/aimd-limiter.ts";
import type { HostSignal } from "../../../src/flow/host-limiter.ts";

const OK: HostSignal = { kind: "ok", ttfb: 100 };
const REFUSED: HostSignal = { kind: "congestion", cause: "throttle", retryAfter: 60_000 };
const half = (): number => 0.5;

test("starts with four at once, and a window of good answers adds one", () => {
  const limiter = new AimdLimiter({ ceiling: 6, gap: 0 });
  const permits = [0, 1, 2, 3].map(() => limiter.start(0, half));
  expect(limiter.admitAt(0)).toBe(Number.POSITIVE_INFINITY);
  for (const permit of permits) limiter.end(permit, OK);
  expect(limiter.limit).toBe(5);
  for (let i = 0; i < 20; i++) limiter.end(limiter.start(10, half), OK);
  expect(limiter.limit).toBe(6);
});

test("halves at each refusal, each of one round, down to one; nothing waits for what the site asked", () => {
  const limiter = new AimdLimiter({ ceiling: 32, gap: 0 });
  const permits = [0, 1, 2, 3].map(() => limiter.start(0, half));
  const limits = permits.map((permit) => {
    limiter.end(permit, REFUSED);
    return limiter.limit;
  });
  expect(limits).toEqual([2, 1, 1, 1]);
  expect(limiter.admitAt(50)).toBe(50);
});

test("a polite delay holds, over a restart too, and what is nobody's fault changes nothing", () => {
  const limiter = new AimdLimiter({ ceiling: 8, gap: 1_000 });
  limiter.end(limiter.start(0, half), { kind: "neutral" });
  expect(limiter).toMatchObject({ limit: 4, inFlight: 0 });
  expect(limiter.admitAt(0)).toBe(1_000);
  const other = new AimdLimiter({ ceiling: 8, gap: 1_000 });
  other.restore(limiter.state(400), 9_000);
  expect(other.admitAt(9_000)).toBe(9_600);
});
