import { expect, test } from "vitest";
import type { HostRow, WhyWaiting } from "../../src/pipeline/host-view.ts";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import { ScriptedLane } from "../../src/simulate/scripted-lane.ts";
import type { ScriptedAnswer } from "../../src/simulate/scripted-web.ts";
import { VirtualClock } from "../../src/simulate/virtual-clock.ts";
import { turn } from "../fixtures/turn.ts";
import { page, SlowSink, status, World, type WorldOptions } from "./world.ts";

// Why each waiting host is not served, as `weir hosts` says it: one case for each member of the closed list that a crawl can show.

const links = (count: number): string[] => Array.from({ length: count }, (_, n) => `/${n}`);
/** A site whose first page links to many others, each answered after `ttfb`. */
const site =
  (count: number, ttfb = 50) =>
  ({ url }: { url: string }): ScriptedAnswer =>
    url.endsWith("/") ? page(url, links(count)) : page(url, [], ttfb);

/** Lets time pass until the host shows the reason. */
async function until(world: World, host: string, reason: WhyWaiting, most = 60_000): Promise<HostRow> {
  const seen = new Set<string>();
  for (let waited = 0; waited < most; waited += 5) {
    const row = world.run.hosts({ top: 10, by: "waiting", host }).rows[0];
    if (row?.reason === reason) return row;
    seen.add(String(row?.reason));
    await world.clock.advance(5);
  }
  throw new Error(`${host} never waited for ${reason}, but for ${[...seen].join(", ")}`);
}

const cases: readonly {
  readonly reason: WhyWaiting;
  readonly world: Omit<WorldOptions, "seeds">;
  readonly check?: (row: HostRow) => void;
}[] = [
  {
    reason: "gate",
    world: { answer: ({ url, nth }) => (url.endsWith("/3") && nth === 1 ? status(429, [["retry-after", "30"]]) : site(50)({ url })) },
    check: (row) => {
      expect(row.gateCause).toBe("throttle");
      expect(row.gateUntil).not.toBeNull();
      expect(row.cuts).toBe(1);
    },
  },
  {
    reason: "half-open",
    world: {
      answer: ({ url, at }) =>
        at > 500 && at < 1_500 ? status(429, [["retry-after", "2"]]) : at < 1_500 ? site(200)({ url }) : site(200, 5_000)({ url }),
    },
    check: (row) => expect(row).toMatchObject({ halfOpen: true, inFlight: 1 }),
  },
  {
    reason: "parked until",
    world: { answer: ({ url }) => (url.endsWith("/3") ? status(429, [["retry-after", "7200"]]) : site(50)({ url })) },
  },
  { reason: "ceiling", world: { answer: site(300, 100), config: { hosts: { ceiling: 2 } } }, check: (row) => expect(row.inFlight).toBe(2) },
  { reason: "limit", world: { answer: site(300, 1_000), config: { hosts: { ceiling: 32 } } } },
  { reason: "new host", world: { answer: site(50, 1_000) } },
  { reason: "delay", world: { answer: site(50), config: { hosts: { delay: "5s" } } }, check: (row) => expect(row.delay).toBe(5_000) },
  {
    reason: "crawl-delay",
    world: { answer: site(50), robots: () => ({ ...page("r"), body: "User-agent: *\nCrawl-delay: 7\n" }) as ScriptedAnswer },
    check: (row) => expect(row.delay).toBe(7_000),
  },
  { reason: "robots", world: { answer: site(50), robots: () => status(404, [], 3_000) } },
  {
    reason: "resolving",
    world: { answer: site(50), address: () => ({ kind: "resolved", addresses: ["192.0.2.1"], after: 2_000 }) },
  },
  { reason: "concurrency", world: { answer: site(300, 500), config: { concurrency: 1 } } },
  {
    reason: "parse share",
    world: {
      answer: ({ url }) => ({ ...site(50)({ url }), weighs: 20_000_000 }) as ScriptedAnswer,
      lane: (clock) => new ScriptedLane(clock, () => 5_000),
      config: { maxBody: "64MiB" },
    },
  },
  {
    reason: "retry budget",
    world: { answer: ({ url }) => (/[13579]$/.test(url) ? status(500) : site(40)({ url })), config: { retries: 5 } },
  },
];

for (const { reason, world: options, check } of cases) {
  test(`a host that waits for ${reason} says so`, async () => {
    const world = await World.open({ ...options, seeds: "http://a.test/" });
    const row = await until(world, "a.test", reason);
    check?.(row);
    world.run.stop();
    await world.clock.run(world.run.done, 60_000);
  });
}

test("a host behind a full address says that, and who may start says it is its turn or under way", async () => {
  const seeds = Array.from({ length: 20 }, (_, n) => `http://h${n}.test/`);
  const world = await World.open({
    seeds,
    answer: site(50, 1_000),
    address: () => ({ kind: "resolved", addresses: ["192.0.2.1"], after: 0 }),
    config: { ipCeiling: 2 },
  });
  await world.clock.advance(3_000);
  const view = world.run.hosts({ top: 100, by: "waiting" });
  expect(view.reasons["address ceiling"]).toBeGreaterThan(10);
  world.run.stop();
  await world.clock.run(world.run.done, 60_000);
});

test("a slow consumer is the reason when it is what all hosts wait for", async () => {
  const clock = new VirtualClock(turn);
  const world = await World.open({ clock, sink: new SlowSink(clock, 2_000), seeds: "http://a.test/", answer: site(300) });
  await until(world, "a.test", "consumer");
  await world.clock.advance(15_000);
  expect(world.run.status()).toMatchObject({ boundByCause: "consumer", helps: expect.stringContaining("reads the results") });
  world.run.stop();
  await world.clock.run(world.run.done, 60_000);
});

test("a store that stalls is named by the age of what waits for it, before its queue is full", async () => {
  const store = new MemoryStore();
  let stalled = false;
  const clock = new VirtualClock(turn);
  const slow = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "commit") return value.bind(target);
      return async (batch: Parameters<MemoryStore["commit"]>[0]) => {
        if (stalled) await new Promise<void>((resolve) => clock.after(20_000, resolve));
        return target.commit(batch);
      };
    },
  });
  const world = await World.open({ clock, store: slow, seeds: "http://a.test/", answer: site(500, 200) });
  await clock.advance(5_000);
  expect(world.run.status().boundByCause).toBe("host limits");
  stalled = true;
  await clock.advance(4_000);
  const { boundByCause, stages } = world.run.status();
  expect(boundByCause).toBe("storage");
  expect(stages?.store.depth).toBeLessThan((stages?.store.depthBound ?? 0) / 2);
  expect(stages?.store.oldestAge).toBeGreaterThan(1_000);
  stalled = false;
  await world.finish();
});

test("a crawl that wants more at once than it may is bound by concurrency, and hosts that refuse by host limits", async () => {
  const seeds = Array.from({ length: 12 }, (_, n) => `http://h${n}.test/`);
  const world = await World.open({ seeds, answer: site(2_000, 300), config: { concurrency: 4 } });
  await world.clock.advance(10_000);
  expect(world.run.status()).toMatchObject({ boundByCause: "concurrency", boundBy: "concurrency" });
  world.run.stop();
  await world.clock.run(world.run.done, 60_000);

  const refused = await World.open({
    seeds,
    answer: ({ url, at }) => (at > 5_000 ? status(429, [["retry-after", "60"]]) : site(2_000, 300)({ url })),
  });
  await refused.clock.advance(6_500);
  expect(refused.run.status()).toMatchObject({
    boundByCause: "host limits",
    boundBy: "host limits: 12 hosts backing off",
    helps: "adding workers does nothing",
    alarms: [expect.stringMatching(/^refusals by the sites rose to/)],
  });
  refused.run.stop();
  await refused.clock.run(refused.run.done, 60_000);
});

test("what holds longest is named though something else holds at the moment of looking", async () => {
  const seeds = Array.from({ length: 6 }, (_, n) => `http://h${n}.test/`);
  const world = await World.open({ seeds, answer: site(2_000, 300), config: { concurrency: 3 } });
  await world.clock.advance(6_000);
  const named = new Set<string>();
  for (let moment = 0; moment < 200; moment++) {
    await world.clock.advance(7);
    named.add(world.run.status(false).boundByCause ?? "");
  }
  expect([...named]).toEqual(["concurrency"]);
  world.run.stop();
  await world.clock.run(world.run.done, 60_000);
});
