import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectiveCost, Health } from "../../../src/flow/health.ts";
import { HostMemory } from "../../../src/flow/host-memory.ts";
import type { Signal } from "../../../src/kernel/signal.ts";

const MINUTE = 60_000;
const CHALLENGE: Signal = { kind: "blocked", mark: "challenge-page" };
const THROTTLED: Signal = { kind: "throttled", status: 429, retryAfter: null };
const SILENT: Signal = { kind: "timeout", phase: "headers" };
const ok = (ttfb = 200): Signal => ({ kind: "ok", ttfb });

/** A host and what it says, one answer at a time. */
class Told {
  readonly health = new Health();
  readonly #memory = new HostMemory();

  hear(signal: Signal, now: number, startedAt = now - 100): void {
    this.health.ended(signal, this.#memory.hear(signal, startedAt, now), startedAt, now);
  }
}

describe("a host", () => {
  test("that is only slow is never hostile", () => {
    const host = new Told();
    for (let n = 0; n < 2_000; n++) {
      host.hear(ok(n < 500 ? 200 : 8_000 + (n % 7) * 500), n * 1_000);
      expect(["healthy", "straining"]).toContain(host.health.state(n * 1_000));
      if (n === 650) expect(host.health.state(n * 1_000)).toBe("straining");
    }
  });

  test("that is slow from the first is healthy: latency counts against its own baseline", () => {
    const host = new Told();
    for (let n = 0; n < 500; n++) host.hear(ok(5_000 + (n % 5) * 100), n * 1_000);
    expect(host.health.state(500_000)).toBe("healthy");
  });

  test("of which 2 % of the answers are an honest 429 stays healthy", () => {
    const host = new Told();
    for (let n = 0; n < 5_000; n++) {
      host.hear(n % 50 === 49 ? THROTTLED : ok(190 + (n % 3) * 10), n * 1_000);
      expect(host.health.state(n * 1_000)).toBe("healthy");
    }
  });

  test("that answers with a wave of challenges is hostile within three requests, whether together or one after the other", () => {
    for (const apart of [0, 10, 5 * MINUTE - 1]) {
      const host = new Told();
      for (let n = 0; n < 100; n++) host.hear(ok(), n * 1_000);
      for (let n = 0; n < 3; n++) host.hear(CHALLENGE, 100_000 + n * apart, 99_950 + n * apart);
      expect(host.health.state(100_000 + 2 * apart)).toBe("hostile");
    }
    const fresh = new Told();
    fresh.hear(ok(), 0);
    for (let n = 1; n <= 3; n++) fresh.hear(CHALLENGE, n * 10, n * 10 - 5);
    expect(fresh.health.state(30)).toBe("hostile");
    expect(fresh.health.score(30)).toBeLessThan(0.3);
  });

  test("leaves a state only after ten clean minutes", () => {
    const host = new Told();
    host.hear(ok(), 0);
    for (let n = 1; n <= 3; n++) host.hear(CHALLENGE, n * MINUTE);
    const last = 3 * MINUTE;
    let left: number | null = null;
    for (let now = last + 1_000; now < 120 * MINUTE; now += 1_000) {
      host.hear(ok(), now);
      if (host.health.state(now) !== "hostile") left ??= now;
    }
    expect(left).not.toBe(null);
    expect(left ?? 0).toBeGreaterThanOrEqual(last + 10 * MINUTE);
    expect(host.health.state(120 * MINUTE)).toBe("healthy");
  });

  test("is down after five failures in a row and five minutes without a success, not before", () => {
    const host = new Told();
    host.hear(ok(), 0);
    for (let n = 1; n <= 5; n++) host.hear(SILENT, n * 10_000);
    expect(host.health.state(60_000)).not.toBe("down");
    expect(host.health.state(5 * MINUTE + 1)).toBe("down");
    const throttled = new Told();
    throttled.hear(ok(), 0);
    for (let n = 1; n <= 20; n++) throttled.hear(THROTTLED, n * 30_000);
    expect(throttled.health.state(11 * MINUTE)).toBe("straining");
  });

  test("is not judged by what is nobody's fault or this machine's", () => {
    const host = new Told();
    for (const kind of ["page-fault", "aborted", "endpoint-down"] as const) host.hear({ kind }, 1_000);
    host.hear({ kind: "local", cause: "dns" }, 2_000);
    host.hear({ kind: "provider-busy", retryAfter: null }, 3_000);
    expect(host.health.score(4_000)).toBe(1);
  });

  test("keeps its health over a restart", () => {
    const host = new Told();
    host.hear(ok(), 0);
    for (let n = 1; n <= 3; n++) host.hear(CHALLENGE, n * 1_000);
    const back = new Health();
    back.restore(host.health.pack(10_000), 500, MINUTE);
    expect(back.state(500)).toBe("hostile");
    expect(back.score(500)).toBeCloseTo(host.health.score(10_000 + MINUTE), 6);
    const old = new Health();
    old.restore(new Float64Array([99, 1]), 0, 0);
    expect(old.score(0)).toBe(1);
  });
});

test("one block of two visits weighs by the formula, and fades by half in ten minutes", () => {
  const host = new Told();
  host.hear(ok(), 0);
  host.hear(CHALLENGE, 0, -1);
  expect(host.health.score(0)).toBeCloseTo((1 - 1 / 3.5) ** 4, 9);
  expect(host.health.score(10 * MINUTE)).toBeCloseTo((1 - 0.5 / 2.75) ** 4, 9);
});

test("failing health makes a visit dearer, twenty times at most", () => {
  expect(effectiveCost(10, 1)).toBe(10);
  expect(effectiveCost(10, 0.5)).toBe(20);
  expect(effectiveCost(10, 0)).toBe(200);
});

test("for any history the score lies between 0 and 1", () => {
  const signal = fc.constantFrom<Signal>(
    ok(1),
    ok(9_000),
    { kind: "ok", ttfb: null },
    CHALLENGE,
    THROTTLED,
    SILENT,
    { kind: "forbidden" },
    {
      kind: "server-error",
      status: 500,
    },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(signal, fc.nat(1_000_000)), { maxLength: 60 }), (history) => {
      const host = new Told();
      let now = 0;
      for (const [one, gap] of history) {
        now += gap;
        host.hear(one, now);
        const score = host.health.score(now);
        expect(score >= 0 && score <= 1).toBe(true);
      }
    }),
  );
});
