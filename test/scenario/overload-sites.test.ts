import { expect, test } from "vitest";
import type { FailureKind } from "../../src/simulate/target.ts";
import { VirtualClock } from "../../src/simulate/virtual-clock.ts";
import { turn } from "../fixtures/turn.ts";
import { figure, MINUTE, play, SECOND, SEEDS } from "./overload.ts";
import { page, redirect, tree, World } from "./world.ts";

const GOOD = { name: "good.example", count: 2, service: { ms: 300, jitter: 0.3 } };

/** A fifth site that breaks at minute 2, beside four good ones. */
const beside = (as: FailureKind) => ({
  crawler: { hostCeiling: 4 },
  hosts: [GOOD, { name: "odd.example", service: { ms: 300 }, timeline: [{ atMinutes: 2, service: { fails: { share: 1, as } } }] }],
});

const HELD_MOST = { tarpit: 21, silent: 15, dead: 5, "tls-stall": 5 } as const;
test.each(SEEDS.flatMap((seed) => Object.entries(HELD_MOST).map(([as, most]) => [as as keyof typeof HELD_MOST, most, seed] as const)))(
  "12, 13: a site that is %s holds a slot %i s at most, and the others lose nothing (seed %i)",
  async (as, most, seed) => {
    const played = await play(beside(as), seed);
    await played.simulation.advance(5 * MINUTE);
    const before = played.goodput(MINUTE, 2 * MINUTE, "1.") + played.goodput(MINUTE, 2 * MINUTE, "2.");
    const during = played.goodput(2 * MINUTE, 5 * MINUTE, "1.") + played.goodput(2 * MINUTE, 5 * MINUTE, "2.");
    const broken = played.ends.filter((end) => end.host === "odd.example" && end.at > 2 * MINUTE + SECOND);
    const held = Math.max(...broken.map((end) => end.at - end.startedAt)) / 1000;
    const result = await played.end();
    figure(`12/13 ${as}`, seed, { held, others: during / before, tries: broken.length, retryShare: result.retryShare });
    expect(broken.length).toBeGreaterThan(2);
    expect(held).toBeLessThanOrEqual(most);
    expect(during / before).toBeGreaterThanOrEqual(0.98);
  },
);

test.each(SEEDS)("15: 100,000 URLs of a dead host ahead of healthy ones cost these nothing (seed %i)", async (seed) => {
  const goodput = async (dead: number): Promise<number> => {
    const hosts = [
      { name: "dead.example", pages: 100_001, service: { ms: 300, fails: { share: 1, as: "dead" } } },
      { ...GOOD, count: 8 },
    ];
    const played = await play({ crawler: { concurrency: 64, hostCeiling: 4 }, hosts }, seed);
    const site = played.simulation.sites.get("dead.example");
    if (site === undefined) throw new Error("no such site");
    site.backlog = dead;
    await played.simulation.advance(2 * MINUTE);
    const result = await played.end();
    expect(result.waiting).toBeGreaterThan(dead * 0.99);
    return played.goodput(MINUTE, 2 * MINUTE);
  };
  const alone = await goodput(16);
  const share = (await goodput(100_000)) / alone;
  figure("15 dead host first", seed, { alone, share });
  expect(alone).toBeGreaterThan(50);
  expect(share).toBeGreaterThanOrEqual(0.99);
});

test.each(SEEDS)("16: 10,000 hosts at one address are asked 16 things at once at most (seed %i)", async (seed) => {
  let now = 0;
  let most = 0;
  const hosts = [{ name: "shared.example", count: 10_000, pages: 2, address: "192.0.2.1", service: { ms: 200, jitter: 0.3 } }];
  const played = await play({ crawler: { concurrency: 256 }, hosts }, seed);
  await played.simulation.advance(3 * MINUTE);
  const events = [...played.starts.map(({ at }) => [at, 1] as const), ...played.ends.map(({ at }) => [at, -1] as const)];
  for (const [, change] of events.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    now += change;
    most = Math.max(most, now);
  }
  const served = played.goodput(MINUTE, 3 * MINUTE) * 0.2;
  figure("16 one address", seed, { most, busy: served });
  await played.end();
  expect(most).toBeLessThanOrEqual(16);
  expect(most).toBeGreaterThan(8);
});

test.each(SEEDS)("17: redirects from one host to another wait for the other's own limit (seed %i)", async (seed) => {
  const world = await World.open({
    seed,
    seeds: "http://a.test/",
    config: { hosts: { ceiling: 8, overrides: { "b.test": { ceiling: 2 } } } },
    answer: (call) => {
      const n = call.url.split("/").at(-1) ?? "";
      if (call.host === "b.test") return page(`b ${n}`, [], 1_000);
      if (n !== "") return redirect(`http://b.test/${n}`, 50);
      return page(
        "a",
        Array.from({ length: 200 }, (_, index) => `/x${index}`),
        50,
      );
    },
  });
  await world.finish();
  const most = Math.max(...world.startsOf("b.test").map((call) => call.inFlight));
  const arrived = world.startsOf("b.test").filter((call) => !call.url.endsWith("robots.txt")).length;
  figure("17 redirects to another host", seed, { most, arrived });
  expect(most).toBeLessThanOrEqual(2);
  expect(arrived).toBe(200);
});

/** The wall clock of a machine that somebody sets, forwards or back, while it runs. */
class SetClock extends VirtualClock {
  #shift = 0;
  override epoch(): number {
    return super.epoch() + this.#shift;
  }
  set(shift: number): void {
    this.#shift = shift;
  }
}

test.each(SEEDS)("24: a wall clock that jumps an hour, forwards or back, starts nothing earlier (seed %i)", async (seed) => {
  const startsWith = async (shift: number): Promise<readonly number[]> => {
    const clock = new SetClock(turn);
    let asked = 0;
    const world = await World.open({
      clock,
      seed,
      seeds: "http://busy.test/",
      answer: (call) => {
        asked += 1;
        if (asked % 7 === 3) return { kind: "response", status: 429, headers: [["retry-after", "30"]], ttfb: 50 };
        return tree(call, 60, 5, 50);
      },
    });
    await clock.advance(5 * SECOND);
    clock.set(shift);
    await world.finish();
    return world.starts.map((call) => call.at);
  };
  const steady = await startsWith(0);
  expect(steady.length).toBeGreaterThan(60);
  const [later, earlier] = [await startsWith(3_600_000), await startsWith(-3_600_000)];
  figure("24 wall clock jumps", seed, { starts: steady.length, moved: later.filter((at, index) => at !== steady[index]).length });
  expect(later).toEqual(steady);
  expect(earlier).toEqual(steady);
});

test.each(SEEDS)("28: a file that takes 70 s and comes at a good rate is fetched once (seed %i)", async (seed) => {
  const world = await World.open({
    seed,
    seeds: "http://files.test/",
    config: { timeout: "120s" },
    answer: (call) => {
      if (call.url.endsWith("/")) return page("files", ["/big"], 50);
      return {
        kind: "response",
        status: 200,
        headers: [["content-type", "text/html"]],
        body: `<p>${"slow ".repeat(400_000)}`,
        ttfb: 50,
        transfer: 70_000,
      };
    },
  });
  const summary = await world.finish();
  const fetched = world.starts.filter((call) => call.url.endsWith("/big")).length;
  figure("28 slow but healthy", seed, { fetched, pages: summary.pages });
  expect(fetched).toBe(1);
  expect(summary.pages).toBe(2);
});

test.each(SEEDS)("36: a full disk stops fetching, and the crawl goes on by itself when there is room (seed %i)", async (seed) => {
  const file = { crawler: { hostCeiling: 4 }, hosts: [GOOD], faults: [{ kind: "disk-full", atMinutes: 2, seconds: 60 }] };
  const played = await play(file, seed);
  await played.simulation.advance(5 * MINUTE);
  const before = played.goodput(MINUTE, 2 * MINUTE);
  const startsWhileFull = played.startsIn(2 * MINUTE + 2 * SECOND, 3 * MINUTE);
  const firstAfter = played.starts.find(({ at }) => at >= 3 * MINUTE)?.at ?? Number.POSITIVE_INFINITY;
  const back = played.goodput(3.5 * MINUTE, 5 * MINUTE) / before;
  const result = await played.end();
  const resumes = (firstAfter - 3 * MINUTE) / 1000;
  figure("36 disk full", seed, { startsWhileFull, resumes, back, retryShare: result.retryShare });
  expect(startsWhileFull).toBe(0);
  expect(resumes).toBeLessThan(5);
  expect(back).toBeGreaterThanOrEqual(0.9);
});

test.each(SEEDS)("37: a graceful stop ends what is in flight within 25 s and loses nothing (seed %i)", async (seed) => {
  const played = await play({ crawler: { hostCeiling: 4 }, hosts: [{ ...GOOD, service: { ms: 2_000, jitter: 0.9 } }] }, seed);
  await played.simulation.advance(MINUTE);
  const { run, route, clock } = played.simulation;
  expect(route.inFlight).toBeGreaterThan(4);
  const at = clock.now();
  run.drain();
  const summary = await clock.run(run.done, 30 * SECOND);
  const drained = (clock.now() - at) / 1000;
  const broken = played.count("error", at, clock.now() + 1) + played.count("timeout", at, clock.now() + 1);
  figure("37 graceful stop", seed, { drained, broken, startsAfter: played.startsIn(at + 1, clock.now() + 1) });
  expect(summary.stopped).toBe("user");
  expect(drained).toBeLessThanOrEqual(25);
  expect(broken).toBe(0);
  expect(played.startsIn(at + 1, clock.now() + 1)).toBe(0);
  await played.end();
});
