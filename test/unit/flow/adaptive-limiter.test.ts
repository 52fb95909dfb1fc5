import { describe, expect, test } from "vitest";
import { AdaptiveLimiter } from "../../../src/flow/adaptive-limiter.ts";
import type { Congestion, HostSignal, Permit } from "../../../src/flow/host-limiter.ts";
import { closedLoop } from "../../../src/simulate/closed-loop.ts";
import { targetSpec } from "../../../src/simulate/target.ts";

const OK: HostSignal = { kind: "ok", ttfb: 100 };
const NEUTRAL: HostSignal = { kind: "neutral" };
const refused = (retryAfter: number | null = null, cause: Congestion = "throttle"): HostSignal => ({
  kind: "congestion",
  cause,
  retryAfter,
});
const least = (): number => 0;
const half = (): number => 0.5;
const greatest = (): number => 0.999_999_9;
const NEVER = Number.POSITIVE_INFINITY;

/** A limiter before a site that answers everything after `ttfb`, with its own clock. */
class Site {
  readonly limiter: AdaptiveLimiter;
  now = 0;
  ttfb = 100;
  /** Most in flight that it is given; the limiter may allow more. */
  demand = Number.POSITIVE_INFINITY;
  readonly starts: number[] = [];
  readonly flights: { readonly permit: Permit; readonly endsAt: number }[] = [];

  constructor(ceiling = 32, gap = 0) {
    this.limiter = new AdaptiveLimiter({ ceiling, gap });
  }

  /** Starts what may start and ends what ends, for so long. */
  run(span: number, random = half): this {
    const until = this.now + span;
    for (;;) {
      const startAt = this.flights.length >= this.demand ? NEVER : this.limiter.admitAt(this.now);
      const endAt = this.flights[0]?.endsAt ?? NEVER;
      const next = Math.min(startAt, endAt);
      if (next > until) break;
      this.now = Math.max(this.now, next);
      if (startAt <= endAt) this.start(random);
      else this.end(OK, random);
    }
    this.now = until;
    return this;
  }

  start(random = half): Permit {
    const permit = this.limiter.start(this.now, random);
    this.starts.push(this.now);
    this.flights.push({ permit, endsAt: this.now + this.ttfb });
    return permit;
  }

  /** Ends the request that started first. */
  end(signal: HostSignal, random = half): void {
    const flight = this.flights.shift();
    if (flight === undefined) throw new Error("nothing is in flight");
    this.limiter.end(flight.permit, signal.kind === "ok" ? { kind: "ok", ttfb: this.ttfb } : signal, this.now, random);
  }

  /** Everything in flight ends. */
  drain(signal: HostSignal = OK, random = half): this {
    while (this.flights.length > 0) this.end(signal, random);
    return this;
  }

  /** Lets the requests in flight be, and waits until the limiter would let another start. */
  toAdmission(): this {
    const at = this.limiter.admitAt(this.now);
    if (at === NEVER) throw new Error("not before one ends");
    this.now = Math.max(this.now, at);
    return this;
  }

  /** The next request is refused, alone or beside those in flight. */
  refuse(signal: HostSignal = refused(), random = half): this {
    this.drain().toAdmission();
    this.start(random);
    this.end(signal, random);
    return this;
  }
}

describe("row 1: one decrease per event", () => {
  test("sixteen refusals of one moment halve once, and only the first closes the gate", () => {
    const site = new Site().run(60_000);
    while (site.flights.length < 16) site.start();
    site.now += 50;
    const before = site.limiter.limit;
    site.drain(refused(), greatest);
    expect(before).toBeGreaterThan(16);
    expect(site.limiter.limit).toBe(before / 2);
    expect(site.limiter).toMatchObject({ cuts: 1, halfOpen: true });
    expect(site.limiter.gateUntil).toBeCloseTo(site.now + 1_000, 0);
  });
});

describe("row 2: below one request at once there is a pace", () => {
  test("a site that refuses even one at a time is asked ever more rarely", () => {
    const site = new Site();
    const gaps: number[] = [];
    for (let event = 0; event < 6; event++) {
      site.refuse();
      site.toAdmission();
      site.start();
      site.end(OK);
      const at = site.now;
      site.toAdmission();
      gaps.push(site.now - at);
    }
    expect(site.limiter.limit).toBeLessThan(0.1);
    expect(gaps.at(-1)).toBeGreaterThan(1_000);
  });

  test("no pace is slower than one request in ten minutes", () => {
    const site = new Site();
    for (let event = 0; event < 60; event++) site.refuse();
    expect(site.limiter.limit).toBeGreaterThanOrEqual(100 / 600_000);
    site.toAdmission();
    site.start();
    site.end(OK);
    expect(site.limiter.admitAt(site.now) - site.now).toBeLessThanOrEqual(600_000);
  });
});

describe("row 3: a gate, then exactly one probe", () => {
  test("closes for U(b/2, b), b = 1 s at first", () => {
    for (const [random, until] of [
      [least, 500],
      [greatest, 1_000],
    ] as const) {
      const site = new Site();
      site.start();
      site.end(refused(), random);
      expect(site.limiter.admitAt(0)).toBeCloseTo(until, 0);
    }
  });

  test("doubles with each failed probe, up to five minutes", () => {
    const site = new Site();
    const waits: number[] = [];
    for (let event = 0; event < 12; event++) {
      site.toAdmission().start(greatest);
      site.end(refused(), greatest);
      waits.push(Math.round((site.limiter.gateUntil - site.now) / 1_000));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  test("half-open admits one request, when nothing else is in flight", () => {
    const site = new Site();
    site.start();
    site.start();
    site.end(refused(5_000));
    expect(site.limiter.admitAt(6_000)).toBe(NEVER);
    site.end(NEUTRAL);
    expect(site.limiter.admitAt(6_000)).toBe(6_000);
    site.toAdmission().start();
    expect(site.limiter.admitAt(60_000)).toBe(NEVER);
  });

  test("is one request however wide the limit is", () => {
    const site = new Site(32).run(60_000).drain();
    site.start();
    site.end(refused());
    expect(site.limiter.limit).toBeGreaterThan(8);
    site.toAdmission().start();
    site.now += 50;
    expect(site.limiter.admitAt(site.now)).toBe(NEVER);
  });

  test("opens on the probe's success, not on that of a request from before the event", () => {
    const site = new Site();
    site.start();
    site.start();
    site.end(refused());
    site.now += 10_000;
    site.end(OK);
    expect(site.limiter.halfOpen).toBe(true);
    site.toAdmission().start();
    site.end(OK);
    expect(site.limiter.halfOpen).toBe(false);
  });

  test("a site that banned for long is left alone for as long at once the next time", () => {
    const site = new Site();
    for (let probe = 0; probe < 7; probe++) site.refuse(refused(), half);
    const banned = site.limiter.gateUntil;
    site.toAdmission().start();
    site.end(OK);
    site.refuse(refused(), half);
    expect(banned).toBeGreaterThan(60_000);
    expect(site.limiter.gateUntil - site.now).toBeCloseTo(banned, -2);
  });
});

describe("row 4: the limit is a real number", () => {
  test("a slot and a half is a request and a half per round trip", () => {
    const site = new Site().run(3_000).drain();
    const part = new Site();
    const packed = new Float64Array(site.limiter.state(site.now).buffer);
    // The limit is the second number of the level's part, which follows 5 + 4 + 6 others; the pace it is counted in the seventh.
    packed[16] = 1.5;
    packed[17] = 1.5;
    packed[21] = 100;
    part.limiter.restore(new Uint8Array(packed.buffer), 0, 0);
    expect(part.limiter.limit).toBe(1.5);
    part.run(1_000);
    expect(part.starts.length).toBeGreaterThanOrEqual(14);
    expect(part.starts.length).toBeLessThanOrEqual(16);
  });
});

describe("row 5: only a limit that is used grows", () => {
  test("a host touched one at a time keeps the first steps, however long it answers well", () => {
    const site = new Site();
    site.demand = 1;
    site.run(3_600_000);
    expect(site.limiter.limit).toBeLessThanOrEqual(4);
    site.demand = NEVER;
    site.run(60_000);
    expect(site.limiter.limit).toBeGreaterThan(8);
  });
});

describe("row 6: latency is a signal of its own", () => {
  test("a site that takes longer and longer is asked for less, without a refusal", () => {
    const site = new Site().run(60_000);
    const before = site.limiter.limit;
    site.ttfb = 250;
    site.run(20_000);
    expect(before).toBe(32);
    expect(site.limiter.limit).toBeLessThan(before / 2);
    expect(site.limiter.cuts).toBe(0);
  });

  test("an answer whose time says nothing of the host feeds no latency, and lets the limit grow", () => {
    const limiter = new AdaptiveLimiter({ ceiling: 8, gap: 0 });
    let now = 0;
    const flights: Permit[] = [];
    for (let i = 0; i < 2_000; i++) {
      const at = limiter.admitAt(now);
      if (at !== NEVER) {
        now = Math.max(now, at);
        flights.push(limiter.start(now, half));
        continue;
      }
      now += 40;
      const permit = flights.shift();
      if (permit !== undefined) limiter.end(permit, { kind: "ok", ttfb: null }, now, half);
    }
    expect(limiter.limit).toBe(8);
  });

  test("a third of slow pages is not taken for a queue", () => {
    const site = new Site();
    site.run(5_000);
    for (let i = 0; i < 3_000; i++) {
      site.ttfb = i % 3 === 0 ? 1_500 : 100;
      site.run(100);
    }
    expect(site.limiter.limit).toBeGreaterThan(4);
  });
});

describe("row 7: the level below the one that failed is remembered", () => {
  test("after a refusal at nine at once the limit goes back to eight, and stays there while tries fail", () => {
    const limiter = new AdaptiveLimiter({ ceiling: 32, gap: 0 });
    const spec = targetSpec({ ms: 300, jitter: 0.3 }, { concurrent: 8 });
    const run = closedLoop(limiter, spec, { seed: 1, span: 3_600_000, from: 300_000 });
    expect(limiter.limit).toBeGreaterThanOrEqual(7);
    expect(limiter.limit).toBeLessThanOrEqual(9);
    expect(run.refusals).toBeLessThanOrEqual(20);
    expect(run.goodput).toBeGreaterThan(0.92 * (8 / 0.3));
  });

  test("a level that was refused without ever having gone well is one too many; where it had gone well, less is paced", () => {
    const limits = (concurrent: number | null, perSecond: number | null): number => {
      const limiter = new AdaptiveLimiter({ ceiling: 32, gap: 0 });
      closedLoop(limiter, targetSpec({ ms: 300, jitter: 0.3 }, { concurrent, perSecond }), { seed: 2, span: 1_800_000, from: 0 });
      return limiter.limit;
    };
    expect(limits(3, null)).toBeCloseTo(3, 0);
    // 5 a second at 300 ms is a slot and a half.
    expect(Math.abs(limits(null, 5) - 1.5)).toBeLessThan(0.3);
  });
});

describe("row 8: Retry-After", () => {
  test.each([
    [120_000, 120_000],
    [0, 1_000],
    [10 * 86_400_000, 86_400_000],
  ])("%i ms closes for %i ms: at least a second, at most a day", (asked, closed) => {
    const site = new Site();
    site.start();
    site.end(refused(asked), least);
    expect(site.limiter.gateUntil).toBe(closed);
  });

  test("a later refusal of the same event lengthens the gate and never shortens it", () => {
    const site = new Site();
    for (let i = 0; i < 3; i++) site.start();
    site.now = 100;
    site.end(refused(10_000));
    site.end(refused(30_000));
    expect(site.limiter.gateUntil).toBe(30_100);
    site.end(refused(2_000));
    expect(site.limiter.gateUntil).toBe(30_100);
  });
});

test("row 9: nothing waits in it; asking changes nothing", () => {
  const site = new Site().run(10_000);
  const state = site.limiter.state(site.now);
  for (let i = 0; i < 1_000; i++) site.limiter.admitAt(site.now + i);
  expect(site.limiter.state(site.now)).toEqual(state);
});

test("row 10: an idle limit decays toward one, with a half-life of half an hour, and not in the first ten minutes", () => {
  const site = new Site(9).run(60_000).drain();
  expect(site.limiter.limit).toBe(9);
  site.now += 590_000;
  site.start();
  expect(site.limiter.limit).toBe(9);
  site.end(OK);
  site.now += 1_800_000;
  site.start();
  expect(site.limiter.limit).toBeCloseTo(5, 5);
});

describe("row 11: each cause has its own factor and least gate", () => {
  test.each([
    ["throttle", 0.5, 0],
    ["reset", 0.5, 0],
    ["timeout", 0.5, 0],
    ["block", 0.25, 300_000],
    ["dribble", 0.75, 0],
    ["errors", 0.75, 0],
  ] as const)("%s: × %d, %i ms at least", (cause, beta, gate) => {
    const site = new Site(16).run(60_000);
    site.now += 50;
    while (site.flights.length < 16) site.start();
    const permit = site.flights.at(-1)?.permit;
    if (permit === undefined) throw new Error("nothing is in flight");
    site.flights.pop();
    site.limiter.end(permit, refused(null, cause), site.now, least);
    expect(site.limiter.limit).toBe(16 * beta);
    expect(site.limiter.gateUntil - site.now).toBe(Math.max(500, gate));
  });
});

describe("row 12: what is nobody's fault changes nothing", () => {
  test("neither limit nor gate moves", () => {
    const site = new Site().run(60_000);
    const before = site.limiter.limit;
    for (let i = 0; i < 500; i++) {
      site.drain(NEUTRAL).toAdmission();
      site.start();
    }
    expect(site.limiter).toMatchObject({ limit: before, cuts: 0, halfOpen: false, gateUntil: 0 });
  });

  test("a probe that said nothing is repeated after a second", () => {
    const site = new Site().refuse();
    site.toAdmission().start();
    site.end(NEUTRAL);
    expect(site.limiter.admitAt(site.now)).toBe(site.now + 1_000);
    expect(site.limiter.halfOpen).toBe(true);
  });
});

test("row 16: an unknown host is asked one thing at a time, five times; then the limit doubles a clean round up to four, and one by one", () => {
  const site = new Site();
  site.ttfb = 400;
  const limits: number[] = [];
  let most = 0;
  for (let i = 0; i < 120; i++) {
    site.run(100);
    if (site.starts.length <= 5) most = Math.max(most, site.flights.length);
    if (limits.at(-1) !== site.limiter.limit) limits.push(site.limiter.limit);
  }
  expect(most).toBe(1);
  expect(limits.slice(0, 5)).toEqual([1, 2, 4, 5, 6]);
});

test("row 16: the gap after the first start is by the round trip that its answer tells, not by one that was supposed", () => {
  const limiter = new AdaptiveLimiter({ ceiling: 8, gap: 0 });
  const permit = limiter.start(0, half);
  expect(limiter.admitAt(0)).toBe(NEVER);
  limiter.end(permit, { kind: "ok", ttfb: 10 }, 10, half);
  expect(limiter.admitAt(10)).toBe(10);
});

test("row 20: gaps between starts vary, by a tenth in all", () => {
  const gaps = [least, greatest].map((random) => {
    const limiter = new AdaptiveLimiter({ ceiling: 8, gap: 0 });
    limiter.end(limiter.start(0, random), { kind: "ok", ttfb: 1_000 }, 1_000, half);
    limiter.end(limiter.start(2_000, random), { kind: "ok", ttfb: 10 }, 2_010, half);
    return limiter.admitAt(2_010) - 2_000;
  });
  expect(gaps[1] / gaps[0]).toBeCloseTo(1.05 / 0.95, 2);
});

describe("what the site or a person asked for", () => {
  test("a polite delay lies between starts, also one that became known after the start, and in the probe of the gate", () => {
    const site = new Site(8, 0);
    site.start();
    site.limiter.pace({ ceiling: 8, gap: 5_000 });
    site.now = 50;
    site.end(OK);
    expect(site.limiter.admitAt(50)).toBe(5_000);
    site.toAdmission().start();
    site.end(refused());
    expect(site.limiter.admitAt(site.now)).toBe(10_000);
  });

  test("requests that the site sees several of count as many", () => {
    const limiter = new AdaptiveLimiter({ ceiling: 8, gap: 1_000 });
    limiter.end(limiter.start(0, half, 4), OK, 10, half);
    expect(limiter.admitAt(10)).toBe(4_000);
  });

  test("a lower ceiling holds at once", () => {
    const site = new Site(8).run(60_000);
    site.limiter.pace({ ceiling: 2, gap: 0 });
    expect(site.limiter.limit).toBe(2);
    expect(site.limiter.admitAt(site.now)).toBe(NEVER);
  });

  test("a hint of the server closes, spaces and narrows, never widens, and lapses", () => {
    const site = new Site(8).run(60_000).drain();
    site.limiter.hint({ gap: 2_000, closedFor: 0, concurrent: 1 }, site.now);
    site.start();
    expect(site.limiter.admitAt(site.now)).toBe(NEVER);
    site.end(OK);
    expect(site.limiter.admitAt(site.now)).toBe(site.now + 2_000);
    site.limiter.hint({ gap: 0, closedFor: 30_000, concurrent: 100 }, site.now);
    expect(site.limiter.admitAt(site.now)).toBe(site.now + 30_000);
    expect(site.limiter.limit).toBe(8);
    site.limiter.hint({ gap: 0, closedFor: 0, concurrent: 1 }, site.now);
    site.now += 90_000;
    site.start();
    site.now += 100;
    expect(site.limiter.admitAt(site.now)).toBe(site.now);
  });
});

describe("an outage", () => {
  test("is forgiven once: the width is back within seconds; the next one counts as a ban", () => {
    const site = new Site(8).run(60_000).drain();
    for (let probe = 0; probe < 5; probe++) site.refuse();
    site.toAdmission();
    const opened = site.now;
    site.run(10_000);
    expect(site.now - opened).toBe(10_000);
    expect(site.limiter.limit).toBe(8);
    site.drain();
    for (let probe = 0; probe < 5; probe++) site.refuse();
    site.toAdmission().run(10_000);
    expect(site.limiter.limit).toBeLessThan(4);
  });
});

describe("over a restart", () => {
  test("a closed gate, a gap that runs and what was learned go on", () => {
    const limiter = new AdaptiveLimiter({ ceiling: 4, gap: 10_000 });
    limiter.end(limiter.start(0, least), refused(60_000), 1_000, least);
    const other = new AdaptiveLimiter({ ceiling: 4, gap: 10_000 });
    other.restore(limiter.state(11_000), 500_000, 50_000);
    expect(other.admitAt(500_000)).toBe(550_000);
    expect(other).toMatchObject({ halfOpen: true, limit: 0.5 });
  });

  test("a state of another version or length is not read", () => {
    const limiter = new AdaptiveLimiter({ ceiling: 4, gap: 0 });
    limiter.restore(new Uint8Array(7), 0, 0);
    limiter.restore(new Uint8Array(new Float64Array(41).fill(3).buffer), 0, 0);
    expect(limiter.admitAt(0)).toBe(0);
    expect(limiter.limit).toBe(1);
  });
});

test("a tolerance that moves fast costs no more refusals than others", () => {
  const limiter = new AdaptiveLimiter({ ceiling: 32, gap: 0 });
  const spec = targetSpec({ ms: 300, jitter: 0.3 }, { concurrent: { from: 4, to: 20, periodMinutes: 31 } });
  expect(closedLoop(limiter, spec, { seed: 1, span: 3_600_000, from: 0 }).refusals).toBeLessThanOrEqual(45);
});
