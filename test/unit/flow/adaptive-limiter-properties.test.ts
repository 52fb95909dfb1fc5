import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdaptiveLimiter } from "../../../src/flow/adaptive-limiter.ts";
import type { Congestion, HostSignal, Permit } from "../../../src/flow/host-limiter.ts";

const OK: HostSignal = { kind: "ok", ttfb: 100 };
const CAUSES: readonly Congestion[] = ["throttle", "reset", "block", "timeout", "dribble", "errors"];

const signal: fc.Arbitrary<HostSignal> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((ttfb): HostSignal => ({ kind: "ok", ttfb })) },
  { weight: 1, arbitrary: fc.constant<HostSignal>({ kind: "ok", ttfb: null }) },
  { weight: 1, arbitrary: fc.constant<HostSignal>({ kind: "neutral" }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("congestion" as const),
      cause: fc.constantFrom(...CAUSES),
      retryAfter: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: null }),
    }),
  },
);

const step = fc.record({
  wait: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 900_000 })),
  /** Which of those in flight ends; none when there are fewer. */
  ends: fc.nat({ max: 12 }),
  signal,
  hint: fc.option(
    fc.record({
      gap: fc.integer({ min: 0, max: 5_000 }),
      closedFor: fc.integer({ min: 0, max: 5_000 }),
      concurrent: fc.option(fc.integer({ min: 1, max: 9 }), { nil: null }),
    }),
    { nil: null, freq: 8 },
  ),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  starts: fc.nat({ max: 6 }),
});

interface Watched {
  readonly onStart?: (limiter: AdaptiveLimiter, now: number, inFlight: number) => void;
  readonly onEnd?: (limiter: AdaptiveLimiter, now: number, permit: Permit, signal: HostSignal, end: () => void) => void;
}

/** Drives a limiter through any sequence of waits, hints, ends and the starts it allows. */
function drive(ceiling: number, gap: number, steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[], watched: Watched) {
  const limiter = new AdaptiveLimiter({ ceiling, gap });
  const open: Permit[] = [];
  let now = 0;
  for (const { wait, ends, signal: kind, hint, random, starts } of steps) {
    now += wait;
    if (hint !== null) limiter.hint(hint, now);
    const [permit] = ends < open.length ? open.splice(ends, 1) : [];
    if (permit !== undefined) {
      const end = (): void => limiter.end(permit, kind, now, () => random);
      if (watched.onEnd === undefined) end();
      else watched.onEnd(limiter, now, permit, kind, end);
    }
    for (let i = 0; i < starts && limiter.admitAt(now) <= now; i++) {
      open.push(limiter.start(now, () => random));
      watched.onStart?.(limiter, now, open.length);
    }
  }
  return { limiter, open, now };
}

const sequences = [
  fc.integer({ min: 1, max: 12 }),
  fc.constantFrom(0, 0, 700, 20_000),
  fc.array(step, { minLength: 1, maxLength: 120 }),
] as const;
const RUNS = { numRuns: 300 };

describe("for any sequence of starts, ends and hints", () => {
  test("0 ≤ in flight ≤ max(1, ⌊ceiling⌋), and starts are at least the polite delay apart", () => {
    fc.assert(
      fc.property(...sequences, (ceiling, gap, steps) => {
        let last = Number.NEGATIVE_INFINITY;
        drive(ceiling, gap, steps, {
          onStart: (limiter, now, inFlight) => {
            expect(inFlight).toBe(limiter.inFlight);
            expect(inFlight).toBeLessThanOrEqual(Math.max(1, Math.floor(ceiling)));
            expect(now - last).toBeGreaterThanOrEqual(gap);
            last = now;
          },
          onEnd: (limiter, _now, _permit, _signal, end) => {
            end();
            expect(limiter.inFlight).toBeGreaterThanOrEqual(0);
          },
        });
      }),
      RUNS,
    );
  });

  test("nothing starts for Retry-After t after a refusal that asked for t, or for closedFor after a hint; half-open lets one start", () => {
    fc.assert(
      fc.property(...sequences, (ceiling, gap, steps) => {
        let closedUntil = 0;
        drive(ceiling, gap, steps, {
          onStart: (limiter, now, inFlight) => {
            expect(now).toBeGreaterThanOrEqual(closedUntil);
            if (limiter.halfOpen) expect(inFlight).toBe(1);
          },
          onEnd: (_limiter, now, _permit, kind, end) => {
            end();
            if (kind.kind === "congestion") closedUntil = Math.max(closedUntil, now + (kind.retryAfter ?? 0));
          },
        });
      }),
      RUNS,
    );
  });

  test("one decrease an event, however many are refused, and one more at most when an event of three failed probes ends", () => {
    fc.assert(
      fc.property(...sequences, (ceiling, gap, steps) => {
        let eventAt = Number.NEGATIVE_INFINITY;
        let failures = 0;
        drive(ceiling, gap, steps, {
          onEnd: (limiter, now, permit, kind, end) => {
            const before = limiter.limit;
            const { cuts, halfOpen } = limiter;
            end();
            if (kind.kind === "congestion") {
              if (permit.at <= eventAt || halfOpen) {
                expect(limiter.limit).toBe(before);
                expect(limiter.cuts).toBe(cuts);
              } else expect(limiter.cuts).toBe(cuts + 1);
              if (permit.at > eventAt) {
                eventAt = now;
                failures += 1;
              }
            } else if (halfOpen && !limiter.halfOpen) {
              if (failures < 3) expect(limiter.limit).toBeGreaterThanOrEqual(before - 1);
              failures = 0;
            }
          },
        });
      }),
      RUNS,
    );
  });

  test("the limit stays between one per ten minutes and the ceiling", () => {
    fc.assert(
      fc.property(...sequences, (ceiling, gap, steps) => {
        drive(ceiling, gap, steps, {
          onEnd: (limiter, _now, _permit, _kind, end) => {
            end();
            expect(limiter.limit).toBeGreaterThan(0);
            expect(limiter.limit).toBeLessThanOrEqual(ceiling);
          },
        });
      }),
      RUNS,
    );
  });

  test("what is packed and unpacked elsewhere packs the same, and admits at the same time from now", () => {
    fc.assert(
      fc.property(...sequences, fc.integer({ min: 0, max: 1e9 }), (ceiling, gap, steps, elsewhere) => {
        const { limiter, open, now } = drive(ceiling, gap, steps, {});
        for (const permit of open) limiter.end(permit, { kind: "neutral" }, now, () => 0.5);
        const other = new AdaptiveLimiter({ ceiling, gap });
        other.restore(limiter.state(now), elsewhere, Math.max(0, limiter.gateUntil - now));
        expect(other.limit).toBe(limiter.limit);
        expect(other.halfOpen).toBe(limiter.halfOpen);
        expect(other.admitAt(elsewhere) - elsewhere).toBeCloseTo(limiter.admitAt(now) - now, 3);
        const again = new Float64Array(other.state(elsewhere).buffer);
        new Float64Array(limiter.state(now).buffer).forEach((value, index) => {
          if (Number.isFinite(value)) expect(again[index]).toBeCloseTo(value, 3);
          else expect(again[index]).toBe(value);
        });
      }),
      RUNS,
    );
  });
});

test("the limit never rises while less than half of it is used", () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 32 }), fc.integer({ min: 10, max: 2_000 }), (ceiling, ttfb) => {
      const limiter = new AdaptiveLimiter({ ceiling, gap: 0 });
      const open: { permit: Permit; endsAt: number }[] = [];
      let now = 0;
      const run = (demand: number, answers: number): void => {
        for (let done = 0; done < answers; ) {
          const at = open.length >= demand ? Number.POSITIVE_INFINITY : limiter.admitAt(now);
          now = Math.max(now, Math.min(at, open[0]?.endsAt ?? Number.POSITIVE_INFINITY));
          if (at <= now) open.push({ permit: limiter.start(now, () => 0.5), endsAt: now + ttfb });
          else {
            const flight = open.shift();
            if (flight !== undefined) limiter.end(flight.permit, { ...OK, ttfb }, now, () => 0.5);
            done += 1;
          }
        }
      };
      run(ceiling, 400);
      const used = Math.ceil(limiter.limit / 2) - 1;
      if (used < 1) return;
      // Those in flight from before belong to a time when more was used.
      run(used, 400);
      const before = limiter.limit;
      run(used, 2_000);
      expect(limiter.limit).toBeLessThanOrEqual(Math.max(before, 2 * used));
    }),
    { numRuns: 60 },
  );
});
