import fc from "fast-check";
import { expect, test } from "vitest";
import { type CallPermit, type CallSignal, ProviderLimiter } from "../../../src/flow/provider-limiter.ts";
import { seededRandom } from "../../../src/simulate/random.ts";

const MINUTE = 60_000;

interface Plan {
  /** Calls at once that the API serves; by time. */
  readonly cap: (now: number) => number;
  readonly span: (random: () => number) => number;
  readonly retryAfter?: number;
}

interface Outcome {
  /** Calls served at once, averaged over time, from `from` on. */
  readonly mean: number;
  readonly refused: number;
  readonly served: number;
}

/** An API with an endless backlog in front of it: calls over its plan are refused at once, and cost nothing. */
function run(limiter: ProviderLimiter, plan: Plan, span: number, seed: number, from = 0): Outcome {
  const random = seededRandom(seed);
  const ends: { at: number; permit: CallPermit; signal: CallSignal; serves: boolean }[] = [];
  let now = 0;
  let serving = 0;
  let area = 0;
  let refused = 0;
  let served = 0;
  while (now < span) {
    while (limiter.admitAt(now) <= now) {
      const permit = limiter.start(now);
      if (serving < plan.cap(now)) {
        serving += 1;
        ends.push({ at: now + plan.span(random), permit, signal: { kind: "ok" }, serves: true });
      } else ends.push({ at: now + 20, permit, signal: { kind: "busy", retryAfter: plan.retryAfter ?? null }, serves: false });
    }
    ends.sort((a, b) => a.at - b.at);
    const gate = limiter.admitAt(now);
    const next = Math.min(ends[0]?.at ?? Number.POSITIVE_INFINITY, gate > now ? gate : Number.POSITIVE_INFINITY);
    if (now >= from) area += serving * (Math.min(next, span) - now);
    now = next;
    while (ends.length > 0 && ends[0].at <= now) {
      const end = ends.shift();
      if (end === undefined) break;
      if (end.serves) serving -= 1;
      if (end.serves) served += 1;
      else refused += 1;
      limiter.end(end.permit, end.signal, now, random);
    }
  }
  return { mean: area / (span - from), refused, served };
}

const around = (mean: number) => (random: () => number) => mean * (0.5 + random());

test.each([1, 2, 3, 4, 5])("a plan that nobody knows is found: time-average within 1 of it over ten minutes, seed %d", (seed) => {
  for (const cap of [2, 5, 8, 20, 40]) {
    const { mean, refused, served } = run(new ProviderLimiter(null), { cap: () => cap, span: around(1_500) }, 10 * MINUTE, seed, MINUTE);
    expect(mean, `plan of ${cap}`).toBeGreaterThan(cap - 1);
    expect(refused / (refused + served), `refused with a plan of ${cap}`).toBeLessThan(0.02);
  }
});

test("a stated plan is used in full from the first moment, and never exceeded", () => {
  const { mean, refused } = run(new ProviderLimiter(20), { cap: () => 20, span: around(1_500) }, 10 * MINUTE, 1);
  expect(mean).toBeGreaterThan(19.9);
  expect(refused).toBe(0);
});

test("a stated plan that others use too is not hammered: what is left of it is found", () => {
  const { mean, refused, served } = run(new ProviderLimiter(20), { cap: () => 12, span: around(1_500) }, 10 * MINUTE, 1);
  expect(mean).toBeGreaterThan(11);
  expect(refused / (refused + served)).toBeLessThan(0.05);
});

test("a plan that shrinks and grows again is followed", () => {
  const plan = { cap: (now: number) => (now < 5 * MINUTE || now > 10 * MINUTE ? 20 : 5), span: around(1_000) };
  const limiter = new ProviderLimiter(null);
  const { refused } = run(limiter, plan, 10 * MINUTE, 1);
  expect(limiter.limit).toBeGreaterThanOrEqual(5);
  expect(limiter.limit).toBeLessThanOrEqual(6);
  expect(refused).toBeLessThan(80);
  const wide = run(limiter, { ...plan, cap: () => 20 }, 30 * MINUTE, 2, 25 * MINUTE);
  expect(wide.mean).toBeGreaterThan(19);
});

test("an unknown plan begins at 2, doubles by clean rounds to 8, then grows by one", () => {
  const limiter = new ProviderLimiter(null);
  const limits = [limiter.limit];
  for (let now = 1; limits.length < 6; now += 10) {
    const permits: CallPermit[] = [];
    while (limiter.admitAt(now) <= now) permits.push(limiter.start(now));
    for (const permit of permits) limiter.end(permit, { kind: "ok" }, now + 5, () => 0.5);
    if (limits.at(-1) !== limiter.limit) limits.push(limiter.limit);
  }
  expect(limits).toEqual([2, 4, 8, 9, 10, 11]);
});

test("a limit that is not used does not grow", () => {
  const limiter = new ProviderLimiter(null);
  for (let now = 1; now < 1_000; now += 10) limiter.end(limiter.start(now), { kind: "ok" }, now + 5, () => 0.5);
  expect(limiter.limit).toBe(2);
});

test("one event is one cut: refusals of calls that started before it halve nothing more", () => {
  const limiter = new ProviderLimiter(null);
  limiter.restore([1, 16]);
  const first = Array.from({ length: limiter.limit }, () => limiter.start(1));
  for (const permit of first) limiter.end(permit, { kind: "ok" }, 2, () => 0.5);
  const permits: CallPermit[] = [];
  while (limiter.admitAt(3) <= 3) permits.push(limiter.start(3));
  expect(permits).toHaveLength(16);
  // Nine of them were too many.
  for (const permit of permits.slice(7).reverse()) limiter.end(permit, { kind: "busy", retryAfter: null }, 4, () => 0.5);
  expect(limiter.cuts).toBe(1);
  expect(limiter.limit).toBe(7);
});

test("Retry-After closes it for as long, whatever is in flight", () => {
  const limiter = new ProviderLimiter(10);
  const [kept, refused] = [limiter.start(0), limiter.start(0)];
  limiter.end(refused, { kind: "busy", retryAfter: 5_000 }, 100, () => 0.5);
  expect(limiter.admitAt(100)).toBe(Number.POSITIVE_INFINITY);
  limiter.end(kept, { kind: "ok" }, 200, () => 0.5);
  expect(limiter.admitAt(200)).toBe(5_100);
});

test("a call that is refused alone waits longer each time, and up to half a minute", () => {
  const limiter = new ProviderLimiter(5);
  let now = 0;
  const gaps: number[] = [];
  for (let i = 0; i < 12; i++) {
    limiter.end(limiter.start(now), { kind: "busy", retryAfter: null }, now, () => 1);
    gaps.push(limiter.admitAt(now) - now);
    now = limiter.admitAt(now);
  }
  expect(gaps.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000]);
  expect(gaps.at(-1)).toBe(30_000);
});

test("two broken answers change nothing; three in a row close it until one call alone gets through", () => {
  const limiter = new ProviderLimiter(10);
  let now = 0;
  for (let i = 0; i < 2; i++) limiter.end(limiter.start(now), { kind: "down" }, ++now, () => 0.5);
  expect(limiter.halfOpen).toBe(false);
  limiter.end(limiter.start(now), { kind: "down" }, ++now, () => 0.5);
  expect(limiter.halfOpen).toBe(true);
  now = limiter.admitAt(now);
  expect(now).toBeGreaterThanOrEqual(500);
  const probe = limiter.start(now);
  expect(limiter.admitAt(now)).toBe(Number.POSITIVE_INFINITY);
  limiter.end(probe, { kind: "ok" }, now + 50, () => 0.5);
  expect(limiter.limit).toBe(10);
});

test("what was found out is kept", () => {
  const limiter = new ProviderLimiter(null);
  run(limiter, { cap: () => 20, span: around(1_000) }, 10 * MINUTE, 1);
  const next = new ProviderLimiter(null);
  next.restore(limiter.state() ?? []);
  const { mean, refused } = run(next, { cap: () => 20, span: around(1_000) }, MINUTE, 2);
  expect(mean).toBeGreaterThan(18);
  expect(refused).toBeLessThan(4);
});

test("whatever happens, calls in flight stay between 0 and the limit at their start, and each end is counted once", () => {
  const signal = fc.constantFrom<CallSignal>(
    { kind: "ok" },
    { kind: "busy", retryAfter: null },
    { kind: "busy", retryAfter: 2_000 },
    { kind: "down" },
    { kind: "neutral" },
  );
  const step = fc.record({ wait: fc.integer({ min: 0, max: 5_000 }), starts: fc.integer({ min: 0, max: 12 }), signal, ends: fc.nat(12) });
  fc.assert(
    fc.property(fc.option(fc.integer({ min: 1, max: 30 })), fc.array(step, { maxLength: 60 }), (cap, steps) => {
      const limiter = new ProviderLimiter(cap);
      const open: CallPermit[] = [];
      let now = 0;
      for (const { wait, starts, signal: end, ends } of steps) {
        now += wait;
        for (let i = 0; i < starts && limiter.admitAt(now) <= now; i++) open.push(limiter.start(now));
        expect(limiter.inFlight).toBe(open.length);
        if (cap !== null) expect(open.length).toBeLessThanOrEqual(cap);
        for (let i = 0; i < ends; i++) {
          const permit = open.shift();
          if (permit !== undefined) limiter.end(permit, end, now, () => 0.5);
        }
        expect(limiter.limit).toBeGreaterThanOrEqual(1);
      }
    }),
    { numRuns: 200 },
  );
});
