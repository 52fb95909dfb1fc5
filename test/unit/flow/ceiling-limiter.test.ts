import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CeilingLimiter } from "../../../src/flow/ceiling-limiter.ts";
import type { HostSignal, Permit } from "../../../src/flow/host-limiter.ts";

const OK: HostSignal = { kind: "ok", ttfb: 100 };
const NEUTRAL: HostSignal = { kind: "neutral" };
const refused = (retryAfter: number | null = null): HostSignal => ({ kind: "congestion", cause: "throttle", retryAfter });
const least = (): number => 0;

function started(limiter: CeilingLimiter, count: number, now: number): Permit[] {
  return Array.from({ length: count }, () => limiter.start(now, least));
}

describe("the ceiling", () => {
  test("is the most in flight, and an end makes room", () => {
    const limiter = new CeilingLimiter({ ceiling: 2, gap: 0 });
    const [first] = started(limiter, 2, 0);
    expect(limiter.admitAt(0)).toBe(Number.POSITIVE_INFINITY);
    limiter.end(first, OK, 10, least);
    expect(limiter.admitAt(10)).toBe(10);
  });

  test("may change while running", () => {
    const limiter = new CeilingLimiter({ ceiling: 1, gap: 0 });
    started(limiter, 1, 0);
    limiter.pace({ ceiling: 2, gap: 0 });
    expect(limiter.admitAt(5)).toBe(5);
  });
});

describe("the gap", () => {
  test("lies between starts, whatever their ends", () => {
    const limiter = new CeilingLimiter({ ceiling: 8, gap: 1_000 });
    const [permit] = started(limiter, 1, 0);
    limiter.end(permit, OK, 50, least);
    expect(limiter.admitAt(50)).toBe(1_000);
  });

  test("is only ever lengthened, by a tenth at most", () => {
    const limiter = new CeilingLimiter({ ceiling: 8, gap: 1_000 });
    limiter.start(0, () => 0.999);
    expect(limiter.admitAt(0)).toBeCloseTo(1_099.9);
  });
});

describe("the gate", () => {
  test("closes for the back-off, U(b/2, b) with b = 1 s at first", () => {
    for (const [random, until] of [
      [0, 500],
      [0.999_999, 1_000],
    ] as const) {
      const limiter = new CeilingLimiter({ ceiling: 4, gap: 0 });
      const [permit] = started(limiter, 1, 0);
      limiter.end(permit, refused(), 100, () => random);
      expect(limiter.admitAt(100)).toBeCloseTo(100 + until, 0);
    }
  });

  test("closes for Retry-After when that is longer", () => {
    const limiter = new CeilingLimiter({ ceiling: 4, gap: 0 });
    const [permit] = started(limiter, 1, 0);
    limiter.end(permit, refused(120_000), 100, least);
    expect(limiter.gateUntil).toBe(120_100);
  });

  test("takes one round of refusals for one event", () => {
    const limiter = new CeilingLimiter({ ceiling: 16, gap: 0 });
    const permits = started(limiter, 16, 0);
    permits.forEach((permit, index) => {
      limiter.end(permit, refused(), 100 + index, () => 0.999_999);
    });
    // A second event would double the back-off: b = 2 s, 4 s, ...
    expect(limiter.gateUntil).toBeCloseTo(1_100, 0);
  });

  test("is lengthened, never shortened, by a later refusal of the same event", () => {
    const limiter = new CeilingLimiter({ ceiling: 3, gap: 0 });
    const [first, second, third] = started(limiter, 3, 0);
    limiter.end(first, refused(10_000), 100, least);
    limiter.end(second, refused(30_000), 200, least);
    expect(limiter.gateUntil).toBe(30_200);
    limiter.end(third, refused(1_000), 300, least);
    expect(limiter.gateUntil).toBe(30_200);
  });

  test("doubles with each failed probe, up to five minutes, and starts anew after a success", () => {
    const limiter = new CeilingLimiter({ ceiling: 4, gap: 0 });
    let now = 0;
    const waits: number[] = [];
    for (let event = 0; event < 12; event++) {
      const permit = limiter.start(now, least);
      limiter.end(permit, refused(), now, () => 0.999_999_9);
      waits.push(Math.round((limiter.gateUntil - now) / 1_000));
      now = limiter.gateUntil;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    limiter.end(limiter.start(now, least), OK, now + 10, least);
    const permit = limiter.start(now + 20, least);
    limiter.end(permit, refused(), now + 30, () => 0.999_999_9);
    expect(Math.round(limiter.gateUntil - now - 30)).toBe(1_000);
  });
});

describe("half-open", () => {
  function closed(): { limiter: CeilingLimiter; old: Permit } {
    const limiter = new CeilingLimiter({ ceiling: 4, gap: 0 });
    const [first, old] = started(limiter, 2, 0);
    limiter.end(first, refused(5_000), 100, least);
    return { limiter, old };
  }

  test("admits exactly one request, and only when nothing else is in flight", () => {
    const { limiter, old } = closed();
    expect(limiter.admitAt(6_000)).toBe(Number.POSITIVE_INFINITY);
    limiter.end(old, NEUTRAL, 200, least);
    expect(limiter.admitAt(6_000)).toBe(6_000);
    limiter.start(6_000, least);
    expect(limiter.admitAt(6_000)).toBe(Number.POSITIVE_INFINITY);
    expect(limiter).toMatchObject({ halfOpen: true, limit: 1 });
  });

  test("opens on the probe's success, not on that of a request from before the event", () => {
    const { limiter, old } = closed();
    limiter.end(old, OK, 6_000, least);
    expect(limiter.halfOpen).toBe(true);
    limiter.end(limiter.start(6_000, least), OK, 6_100, least);
    expect(limiter).toMatchObject({ halfOpen: false, limit: 4, gateUntil: 0 });
  });

  test("asks again after a second when the probe said nothing about the host", () => {
    const { limiter, old } = closed();
    limiter.end(old, OK, 200, least);
    limiter.end(limiter.start(6_000, least), NEUTRAL, 6_100, least);
    expect(limiter.admitAt(6_100)).toBe(7_100);
    expect(limiter.halfOpen).toBe(true);
  });
});

describe("the stored state", () => {
  test("brings a closed gate back for as long as it still has to stay closed", () => {
    const limiter = new CeilingLimiter({ ceiling: 4, gap: 0 });
    const [permit] = started(limiter, 1, 0);
    limiter.end(permit, refused(60_000), 1_000, least);
    const other = new CeilingLimiter({ ceiling: 4, gap: 0 });
    other.restore(limiter.state(11_000), 500_000, 50_000);
    expect(other.admitAt(500_000)).toBe(550_000);
    expect(other.halfOpen).toBe(true);
  });

  test("keeps the gap that was running", () => {
    const limiter = new CeilingLimiter({ ceiling: 4, gap: 10_000 });
    limiter.start(0, least);
    const other = new CeilingLimiter({ ceiling: 4, gap: 10_000 });
    other.restore(limiter.state(4_000), 100, 0);
    expect(other.admitAt(100)).toBe(6_100);
  });

  test("is ignored when it is of another version or length", () => {
    const limiter = new CeilingLimiter({ ceiling: 4, gap: 0 });
    limiter.restore(new Uint8Array(7), 0, 0);
    limiter.restore(new Uint8Array(new Float64Array([3, 1, 1, 9e9]).buffer), 0, 0);
    expect(limiter.admitAt(0)).toBe(0);
  });
});

test("for any sequence of starts and ends: the ceiling, the gap, the gate and the single probe hold", () => {
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 3_000 }),
    ends: fc.nat({ max: 9 }),
    signal: fc.oneof(fc.constant(OK), fc.constant(NEUTRAL), fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: null }).map(refused)),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  const property = fc.property(
    fc.integer({ min: 1, max: 8 }),
    fc.constantFrom(0, 0, 700),
    fc.array(step, { minLength: 1, maxLength: 80 }),
    (ceiling, gap, steps) => {
      const limiter = new CeilingLimiter({ ceiling, gap });
      const open: Permit[] = [];
      let now = 0;
      let lastStart = Number.NEGATIVE_INFINITY;
      for (const { wait, ends, signal, random } of steps) {
        now += wait;
        // Ends one of those in flight, whichever.
        if (ends < open.length) {
          const gateBefore = limiter.gateUntil;
          const [permit] = open.splice(ends, 1);
          limiter.end(permit, signal, now, () => random);
          if (signal.kind === "congestion") {
            expect(limiter.gateUntil).toBeGreaterThanOrEqual(now + (signal.retryAfter ?? 0));
            expect(limiter.gateUntil).toBeGreaterThanOrEqual(Math.min(gateBefore, limiter.gateUntil));
          }
        }
        while (limiter.admitAt(now) <= now) {
          expect(now).toBeGreaterThanOrEqual(limiter.gateUntil);
          expect(now - lastStart).toBeGreaterThanOrEqual(gap);
          open.push(limiter.start(now, () => random));
          lastStart = now;
          if (limiter.halfOpen) expect(open.length).toBe(1);
        }
        expect(limiter.inFlight).toBe(open.length);
        expect(open.length).toBeLessThanOrEqual(ceiling);
        expect(limiter.admitAt(now)).toBeGreaterThanOrEqual(now);
      }
    },
  );
  fc.assert(property, { numRuns: 300 });
});
