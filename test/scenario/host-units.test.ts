import { expect, test } from "vitest";
import { viewHosts } from "../../src/pipeline/host-view.ts";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { HOUR, page, pathOf, status, tree, World, type WorldOptions } from "./world.ts";

const names = (count: number, domain: string): string[] => Array.from({ length: count }, (_, index) => `h${index}.${domain}`);

/** A target that counts what it works on. Requests of 100 ms. */
function counted(limit: number): { most: number; refused: number; answer: (call: ScriptedCall) => ScriptedAnswer } {
  const ends: number[] = [];
  const target = {
    most: 0,
    refused: 0,
    answer(call: ScriptedCall): ScriptedAnswer {
      while (ends.length > 0 && ends[0] <= call.at) ends.shift();
      ends.push(call.at + 100);
      target.most = Math.max(target.most, ends.length);
      if (ends.length > limit) {
        target.refused += 1;
        return status(429, [], 100);
      }
      return page(`${call.host} ${pathOf(call.url)}`, [], 100);
    },
  };
  return target;
}

async function crawled(count: number, config: WorldOptions["config"], more: Partial<WorldOptions> = {}) {
  const target = counted(Number.POSITIVE_INFINITY);
  const hosts = names(count, "one.test");
  const world = await World.open({
    seeds: hosts.map((host) => `http://${host}/`),
    config: { robots: "ignore", maxWait: "1h", ...config },
    answer: target.answer,
    ...more,
  });
  const summary = await world.finish();
  return { world, target, summary };
}

test("scenario 16: 10,000 hosts of one domain are limited as one host is, and all are served", { timeout: 60_000 }, async () => {
  const { world, target, summary } = await crawled(10_000, { hosts: { unit: "domain", ceiling: 4 } });
  expect(summary).toMatchObject({ pages: 10_000, left: 0, failed: 0 });
  expect(target.most).toBe(4);
  expect(world.starts.length).toBe(10_000);
});

test("scenario 16: 10,000 hosts at one address: the unit's limit holds, and so does the address's", { timeout: 60_000 }, async () => {
  const address = (): { kind: "resolved"; addresses: string[]; after: number } => ({
    kind: "resolved",
    addresses: ["192.0.2.1"],
    after: 5,
  });
  const byUnit = await crawled(10_000, { hosts: { unit: "ip", ceiling: 6 }, ipCeiling: 16 }, { address });
  expect(byUnit.summary).toMatchObject({ pages: 10_000, left: 0, failed: 0 });
  expect(byUnit.target.most).toBe(6);
  const byAddress = await crawled(1_000, { hosts: { unit: "ip", ceiling: 8 }, ipCeiling: 3 }, { address });
  expect(byAddress.summary).toMatchObject({ pages: 1_000, left: 0, failed: 0 });
  expect(byAddress.target.most).toBe(3);
  const apart = await crawled(1_000, { hosts: { ceiling: 6 }, ipCeiling: 16 }, { address });
  expect(apart.summary).toMatchObject({ pages: 1_000, left: 0 });
  expect(apart.target.most).toBe(16);
});

test("without units each host has its limit, and a function's key puts together what it likes", async () => {
  expect((await crawled(40, { hosts: { ceiling: 4 } })).target.most).toBe(40);
  const byFunction = await crawled(40, {
    hosts: { unit: (url: URL) => (Number(url.hostname.replace(/\D/g, "")) % 2 === 0 ? "even" : "odd") },
  });
  expect(byFunction.summary).toMatchObject({ pages: 40, left: 0 });
  const firsts = byFunction.world.starts.slice(0, 4);
  expect(firsts.map(({ at }) => at < 100)).toEqual([true, true, false, false]);
  expect(new Set(firsts.slice(0, 2).map(({ host }) => Number(host[1]) % 2)).size).toBe(2);
});

test("a domain that bears two at once is refused as rarely as a host would be, and its hosts take turns", async () => {
  const target = counted(2);
  const hosts = names(20, "two.test");
  const world = await World.open({
    seeds: hosts.flatMap((host) => Array.from({ length: 60 }, (_, index) => `http://${host}/${index}`)),
    config: { robots: "ignore", maxWait: "1h", hosts: { unit: "domain" } },
    answer: target.answer,
  });
  await world.clock.advance(20_000);
  const counts = hosts.map((host) => world.startsOf(host).length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
  expect(Math.min(...counts)).toBeGreaterThan(5);
  expect(await world.finish()).toMatchObject({ pages: 1_200, left: 0, failed: 0 });
  expect(target.refused).toBeLessThanOrEqual(12);
});

test("a Crawl-delay of one host is the unit's, each host asks for its own robots.txt, and a name without an address holds nobody", async () => {
  const hosts = names(6, "slow.test");
  const world = await World.open({
    seeds: hosts.map((host) => `http://${host}/`),
    config: { maxWait: "1h", hosts: { unit: "domain" } },
    robots: (call) => ({
      kind: "response",
      status: 200,
      headers: [["content-type", "text/plain"]],
      body: call.host === "h2.slow.test" ? "User-agent: *\nCrawl-delay: 3\n" : "User-agent: *\nAllow: /\n",
      ttfb: 50,
    }),
    address: (name) =>
      name === "h4.slow.test"
        ? { kind: "failed", code: "dns", after: 10 }
        : { kind: "resolved", addresses: [`192.0.2.${name[1]}`], after: 10 },
    answer: (call) => tree(call, 4, 3, 50),
  });
  const summary = await world.finish();
  expect(summary).toMatchObject({ pages: 20, failed: 1, left: 0 });
  for (const host of hosts.filter((name) => name !== "h4.slow.test"))
    expect(world.startsOf(host).filter(({ url }) => url.endsWith("/robots.txt")).length, host).toBe(1);
  const from = world.starts.findIndex(({ url }) => url === "http://h2.slow.test/robots.txt");
  const after = world.starts.slice(from + 1).map(({ at }) => at);
  expect(after.slice(2).every((at, index) => at - after[index + 1] >= 3_000)).toBe(true);
});

test("names are looked up as their turn comes near, and each once as long as its address is fresh", async () => {
  const lookups = new Map<string, number>();
  let [ahead, most] = [0, 0];
  const world = await World.open({
    seeds: names(600, "many.test").map((host) => `http://${host}/`),
    config: { robots: "ignore", maxWait: "1h", hosts: { unit: "domain", delay: "1s" } },
    address: (name) => {
      lookups.set(name, (lookups.get(name) ?? 0) + 1);
      most = Math.max(most, ++ahead);
      return { kind: "resolved", addresses: ["192.0.2.7"], after: 5 };
    },
    answer: (call) => {
      ahead -= 1;
      return page(call.host);
    },
  });
  expect(await world.finish()).toMatchObject({ pages: 600, left: 0, failed: 0 });
  expect(Math.max(...lookups.values())).toBe(1);
  expect(most).toBeLessThanOrEqual(18);
});

test("hosts that wait for their turn say so", async () => {
  const hosts = names(10, "turns.test");
  const world = await World.open({
    seeds: hosts.flatMap((host) => [`http://${host}/`, `http://${host}/1`]),
    config: { robots: "ignore", hosts: { unit: "domain" } },
    answer: (call) => page(call.url, [], 1_000),
  });
  await world.clock.advance(500);
  const { pipeline } = world.run;
  if (pipeline === null) throw new Error("not begun");
  const { reasons } = viewHosts(pipeline, { top: 10, by: "waiting" }, world.clock.now(), world.clock.epoch());
  expect(reasons).toEqual({ unit: 9, "new host": 1 });
  expect(pipeline.dispatcher.timedHosts).toBeLessThanOrEqual(1);
  expect(await world.finish()).toMatchObject({ pages: 20, left: 0 });
});

test.each(["domain", "ip"])(
  "the gate and the limit of a unit by %s outlast a restart, whichever host is asked first then",
  async (unit) => {
    const store = new MemoryStore();
    const hosts = names(5, "again.test");
    const base: WorldOptions = {
      seeds: hosts.flatMap((host) => [`http://${host}/`, `http://${host}/1`, `http://${host}/2`]),
      config: { robots: "ignore", maxWait: "2h", hosts: { unit } },
      store,
      address: () => ({ kind: "resolved", addresses: ["192.0.2.9"], after: 5 }),
      answer: (call) => page(call.url, [], 100),
    };
    let asked = 0;
    const first = await World.open({
      ...base,
      answer: (call) => (++asked === 8 ? status(429, [["retry-after", "600"]], 100) : page(call.url, [], 100)),
    });
    await first.clock.advance(5_000);
    first.run.stop();
    await first.finish();
    const before = first.starts.length;
    expect(before).toBeLessThan(15);
    const second = await World.open({ ...base, clock: first.clock });
    await second.clock.advance(500_000);
    expect(second.starts.length, "closed for all").toBe(0);
    expect(await second.finish(2 * HOUR)).toMatchObject({ left: 0, failed: 0 });
    const at = second.starts.map((call) => call.at);
    expect(at[1] - at[0], "one probe").toBeGreaterThanOrEqual(100);
  },
);
