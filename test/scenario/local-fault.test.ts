import { expect, test } from "vitest";
import type { Pipeline } from "../../src/pipeline/pipeline.ts";
import { ScriptedLag } from "../../src/simulate/scripted-lag.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { openPipeline, page, status, tree, World } from "./world.ts";

const SECOND = 1_000;
const seedsOf = (hosts: number): string[] => Array.from({ length: hosts }, (_, n) => `https://site${n}.example/`);
const cutsOf = (pipeline: Pipeline): number => [...pipeline.frontier.hosts()].reduce((sum, host) => sum + host.limiter.cuts, 0);
const SILENT: ScriptedAnswer = { kind: "failure", code: "timeout", phase: "connect", after: 5 * SECOND };
/** A site that never ends, so that only a fault makes starts fewer. */
const endless = (call: ScriptedCall): ScriptedAnswer => tree(call, 1_000_000, 4, 100);

const starts = (calls: readonly ScriptedCall[], from: number, to: number): ScriptedCall[] =>
  calls.filter(({ at }) => at >= from && at < to);

test("egress down for 30 s: no host's limit moves, no attempt is charged, at most 31 tries, and then all goes on", async () => {
  const down = { from: 60 * SECOND, to: 90 * SECOND };
  const calls: ScriptedCall[] = [];
  const { clock, pipeline, store } = await openPipeline({
    answer: (call) => {
      calls.push(call);
      return call.at >= down.from && call.at < down.to ? SILENT : endless(call);
    },
    seeds: seedsOf(20),
    config: { hosts: { delay: "1s" } },
  });
  await clock.advance(down.from);
  expect(cutsOf(pipeline)).toBe(0);
  await clock.advance(5.2 * SECOND);
  expect(pipeline.dispatcher.local?.cause).toBe("many-hosts");
  await clock.advance(down.to - clock.now() + 30 * SECOND);
  expect(cutsOf(pipeline)).toBe(0);
  expect(starts(calls, down.from + 5.2 * SECOND, down.to).length).toBeLessThanOrEqual(31);
  expect(starts(calls, down.from + 5.2 * SECOND, down.to).length).toBeGreaterThan(20);
  const before = starts(calls, down.from - 20 * SECOND, down.from).length;
  expect(starts(calls, down.to + 5 * SECOND, down.to + 25 * SECOND).length).toBeGreaterThan(0.9 * before);
  expect(pipeline.tally.count("failed")).toBe(0);
  expect((await store.settledAfter(0, 100_000)).every(({ attempts }) => attempts === 1)).toBe(true);
  pipeline.abort();
});

test.each([3, 60])("the loop stalls for %i s: what timed out in it counts for nothing, a refusal still does", async (seconds) => {
  const stallEnds = (30 + seconds) * SECOND;
  const lag = new ScriptedLag([{ from: 30 * SECOND, to: stallEnds }]);
  const { clock, pipeline } = await openPipeline({
    // What is under way at the stall seems to have had no answer in time.
    answer: (call) =>
      call.at > 29.5 * SECOND && call.at < stallEnds
        ? { kind: "failure", code: "timeout", phase: "headers", after: stallEnds - call.at + 1 }
        : endless(call),
    seeds: seedsOf(5),
    config: { hosts: { delay: "1s" } },
    lag,
  });
  await clock.advance(stallEnds + 0.5 * SECOND);
  expect(pipeline.dispatcher.local?.cause).toBe("event-loop");
  await clock.advance(10 * SECOND);
  expect(pipeline.dispatcher.local).toBe(null);
  expect(cutsOf(pipeline)).toBe(0);
  expect(pipeline.tally.count("failed")).toBe(0);
  pipeline.abort();
});

test("on a machine that stalls all the time a page that never ends is given up all the same, and the others are had", async () => {
  const stalls = Array.from({ length: 600 }, (_, second) => ({ from: second * SECOND, to: second * SECOND + 300 }));
  const world = await World.open({
    answer: (call) => {
      if (call.url.endsWith("/drip")) return { kind: "failure", code: "too-slow", phase: "body", after: 20 * SECOND };
      return call.url === "http://a.test/" ? page(call.url, ["/drip", "/ok1", "/ok2"], 50) : page(call.url, [], 50);
    },
    seeds: "http://a.test/",
    lag: new ScriptedLag(stalls),
    config: { maxWait: "10m" },
  });
  const summary = await world.finish(1_200 * SECOND);
  expect(summary).toMatchObject({ stopped: null, left: 0, failed: 1, pages: 3 });
  expect((await world.settled()).find(({ url }) => url.endsWith("/drip"))).toMatchObject({ code: "too-slow", attempts: 4 });
  // Four attempts, two excuses for the loop, and three while a closure lasted.
  expect(world.starts.filter(({ url }) => url.endsWith("/drip")).length).toBeLessThanOrEqual(9);
});

test("the resolver hangs: no host's limit moves, no row is charged, and names are asked for again within 5 s of its return", async () => {
  const back = 40 * SECOND;
  const asked: number[] = [];
  const world = await World.open({
    answer: (call) => tree(call, 3, 2, 100),
    address: (name) => {
      asked.push(world.clock.now());
      return world.clock.now() < back
        ? { kind: "failed", code: "dns", silent: true, after: 3 * SECOND }
        : { kind: "resolved", addresses: [`address of ${name}`], after: 50 };
    },
    seeds: seedsOf(40),
  });
  await world.clock.advance(back);
  expect(world.starts.length).toBe(0);
  const cuts = (): number => world.run.hosts({ top: 40, by: "waiting" }).rows.reduce((sum, row) => sum + row.cuts, 0);
  expect(world.run.hosts({ top: 40, by: "waiting" }).rows.length).toBe(40);
  expect(cuts()).toBe(0);
  // The first ones together, then one a second.
  expect(asked.length).toBeLessThanOrEqual(32 + 40);
  await world.clock.advance(5 * SECOND);
  expect(new Set(world.starts.map(({ host }) => host)).size).toBe(40);
  expect(cuts()).toBe(0);
  await world.finish();
  const settled = await world.settled();
  expect(settled.length).toBe(120);
  expect(new Set(settled.map(({ outcome, attempts }) => `${outcome} ${attempts}`))).toEqual(new Set(["new 1"]));
});

const isDead = (call: ScriptedCall): boolean => Number(/\d+/.exec(call.host)?.[0]) % 5 < 2;

test.each([
  ["that never answered", true],
  ["that have answered for their robots.txt", false],
])("a list of dead hosts %s, among living ones, comes to its end", async (_name, all) => {
  const world = await World.open({
    answer: (call) => (isDead(call) ? SILENT : tree(call, 20, 3, 100)),
    robots: (call) => (isDead(call) && all ? SILENT : status(404)),
    seeds: seedsOf(50),
    config: { retries: 1, maxWait: "1h" },
  });
  await world.finish();
  const settled = await world.settled();
  expect(settled.filter(({ outcome }) => outcome === "failed").length).toBe(20);
  expect(settled.filter(({ outcome }) => outcome === "new").length).toBe(30 * 20);
});

test.each([10, 40, 300])(
  "%i hosts that are dead from the start look like an outage, are told as one, and all fail in the end",
  async (hosts) => {
    const world = await World.open({ answer: () => SILENT, robots: () => SILENT, seeds: seedsOf(hosts) });
    await world.clock.advance(30 * SECOND);
    expect(world.run.status()).toMatchObject({
      boundByCause: "local",
      boundBy: "local: many hosts fell silent at once, as when this machine's network is down",
      helps: "this machine or its network is at fault; no site is blamed",
      outcomes: {},
    });
    expect(world.run.hosts({ top: 1, by: "waiting" }).reasons.local).toBeGreaterThan(0);
    expect(world.warnings[0]).toContain("Many hosts fell silent at once, as when this machine's network is down");
    const summary = await world.finish();
    expect(summary).toMatchObject({ stopped: null, failed: hosts, left: 0 });
    expect(new Set((await world.settled()).map(({ code }) => code))).toEqual(new Set(["timeout"]));
  },
);

test("an outage that lasts, where hosts have answered before, ends with --max-wait and charges none of what is left", async () => {
  const world = await World.open({
    answer: (call) => (call.at < 20 * SECOND ? endless(call) : SILENT),
    robots: (call) => (call.at < 20 * SECOND ? status(404) : SILENT),
    seeds: seedsOf(40),
    config: { hosts: { delay: "1s" } },
  });
  const summary = await world.finish();
  expect(summary).toMatchObject({ stopped: "max-wait", failed: 0 });
  expect(summary.seconds).toBeLessThan(20 + 10 + 125);
});

test("a machine without sockets tries once a second, and ends with --max-wait when that lasts", async () => {
  const world = await World.open({
    answer: () => ({ kind: "failure", code: "connect", phase: "local", after: 1 }),
    seeds: seedsOf(3),
  });
  const summary = await world.finish();
  expect(summary.stopped).toBe("max-wait");
  expect(summary.left).toBe(3);
  // The robots.txt and the first page of each host before it is known, then one a second for as long as is waited.
  expect(world.starts.length).toBeLessThanOrEqual(2 * 3 + summary.seconds);
  expect(world.starts.length).toBeGreaterThan(100);
  for (let n = 2 * 3; n < world.starts.length; n++) expect(world.starts[n].at - world.starts[n - 1].at).toBeGreaterThanOrEqual(SECOND);
  expect(world.warnings.some((text) => text.includes("This machine refuses connections"))).toBe(true);
});
