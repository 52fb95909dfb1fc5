import { describe, expect, test } from "vitest";
import { LocalGuard } from "../../../src/flow/local-guard.ts";

const HOSTS = Array.from({ length: 10 }, (_, n) => `h${n}`);
const SECOND = 1_000;

/** Ten hosts that have answered at 0. */
function guard(concurrency = 64): LocalGuard<string> {
  const made = new LocalGuard<string>(concurrency);
  for (const host of HOSTS) made.answered(host, -100, 0);
  return made;
}

const silence = (host: string, startedAt: number, known = true, inBody = false) => ({ host, known, startedAt, inBody });

describe("hosts that fall silent together", () => {
  test("are nobody's fault from 30 % of ten on; the first ones are held back until then", () => {
    const local = guard();
    expect(local.judge(silence("h0", 100), HOSTS, 5_100)).toMatchObject({ until: 10_100 });
    expect(local.judge(silence("h1", 110), HOSTS, 5_110)).toMatchObject({ until: 10_110 });
    expect(local.judge(silence("h2", 120), HOSTS, 5_120)).toBe("local");
    expect(local.cause).toBe("many-hosts");
  });

  test("are hosts' own faults when fewer than ten are about", () => {
    const local = new LocalGuard<string>(64);
    for (const host of HOSTS.slice(0, 9)) expect(local.judge(silence(host, 0), HOSTS.slice(0, 9), 5_000)).toBe("host");
  });

  test("are hosts' own faults when they do so one after the other", () => {
    const local = guard();
    for (let n = 0; n < 10; n++) expect(local.judge(silence(HOSTS[n], n * 6_000), HOSTS, n * 6_000 + 5_000)).not.toBe("local");
  });

  test("are no evidence when they never answered and others do: a list of dead names is not an outage", () => {
    const local = guard();
    for (let n = 0; n < 30; n++) {
      local.answered(HOSTS[n % 10], 900 + n, 1_000 + n);
      expect(local.judge(silence(`dead${n}`, 900 + n, false), HOSTS, 1_001 + n)).toBe("host");
    }
  });

  test("that never answered are evidence while nobody answers at all", () => {
    const local = new LocalGuard<string>(64);
    const judged = HOSTS.map((host, n) => local.judge(silence(host, n, false), HOSTS, 5_000 + n));
    expect(judged.slice(2)).toEqual(Array(8).fill("local"));
  });

  test("among answers, are excused once; the next silence of a host before its next answer is its own", () => {
    const local = guard();
    const fall = (at: number) =>
      ["h0", "h1", "h2"].map((host) => {
        local.answered("h9", at - 60, at - 50);
        return local.judge(silence(host, at - 5_000), HOSTS, at);
      });
    expect(fall(10_000)[2]).toBe("local");
    local.started(11_000);
    local.answered("h8", 11_000, 11_050);
    expect(local.cause).toBe(null);
    expect(fall(20_000)).toEqual(["host", "host", "host"]);
    for (const host of ["h0", "h1", "h2"]) local.answered(host, 30_000, 30_100);
    expect(fall(60_000)[2]).toBe("local");
  });

  test("with headers already there, count only while nobody answers", () => {
    const local = guard();
    local.answered("h9", 20_000, 20_300);
    expect(local.judge(silence("h0", 300, true, true), HOSTS, 20_500)).toBe("host");
    expect(local.judge(silence("h1", 20_200, true, true), HOSTS, 60_000)).toMatchObject({ until: 65_000 });
  });
});

describe("while closed", () => {
  const closed = (): LocalGuard<string> => {
    const local = guard();
    local.trip("resources", 10 * SECOND);
    return local;
  };

  test("one canary a second starts, and everything that fails is local", () => {
    const local = closed();
    let tries = 0;
    for (let now = 10_000; now < 40_000; now += 50) {
      if (local.admitAt(now) > now) continue;
      tries += 1;
      local.started(now);
      expect(local.judge(silence(HOSTS[tries % 10], now), HOSTS, now + 40)).toBe("local");
    }
    expect(tries).toBeLessThanOrEqual(30);
    expect(tries).toBeGreaterThanOrEqual(28);
    expect(local.canaries).toBe(tries);
  });

  test("an answer to what began before the closure proves nothing; a canary's opens", () => {
    const local = closed();
    local.answered("h1", 9_000, 10_500);
    expect(local.cause).toBe("resources");
    local.started(11_000);
    local.answered("h1", 11_000, 11_100);
    expect(local.cause).toBe(null);
    expect(local.admitAt(11_100)).toBe(11_100);
  });

  test("what was under way in it stays local after it", () => {
    const local = closed();
    local.started(11_000);
    local.answered("h1", 11_000, 11_100);
    expect(local.judge(silence("h2", 10_900), HOSTS, 15_900)).toBe("local");
    expect(local.judge(silence("h2", 11_200), HOSTS, 16_200)).not.toBe("local");
  });

  test("the limit halves, and doubles each second after it until it is whole", () => {
    const local = closed();
    expect(local.limit(10_000)).toBe(32);
    local.started(11_000);
    local.answered("h1", 11_000, 11_100);
    expect([11_200, 12_100, 13_200].map((now) => local.limit(now))).toEqual([32, 64, 64]);
  });

  test("events that follow within a minute double the gate, which a canary's success alone does not open", () => {
    const local = closed();
    local.started(11_000);
    local.answered("h1", 11_000, 11_000);
    local.trip("resources", 12_000);
    expect(local.limit(12_000)).toBe(16);
    local.started(13_000);
    local.answered("h1", 13_000, 13_000);
    expect(local.admitAt(13_500)).toBe(14_000);
    expect(local.admitAt(14_000)).toBe(14_000);
    expect(local.cause).toBe(null);
    local.trip("resources", 120_000);
    local.started(121_000);
    local.answered("h1", 121_000, 121_000);
    expect(local.cause).toBe(null);
  });
});

test("a closure that lasts holds hosts to their silence in the end, or a list of dead ones would never end", () => {
  const local = new LocalGuard<string>(64);
  local.trip("many-hosts", 0);
  const judged = Array.from({ length: 10 }, (_, n) => local.judge(silence("h0", n * 10_000), [], n * 10_000 + 5_000));
  expect(judged).toEqual([...Array(6).fill("local"), ...Array(4).fill("host")]);
});

test("a stall counts when the 99th percentile of a request's lag is a stall: one per cent of its life", () => {
  const local = guard();
  expect(local.isStall(3_000, 5_000)).toBe(true);
  expect(local.isStall(300, 60_000)).toBe(false);
  expect(local.isStall(0, 5_000)).toBe(false);
});
