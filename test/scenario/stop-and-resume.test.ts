import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { ScanRow, Store } from "../../src/ports/store.ts";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import { seededRandom } from "../../src/simulate/random.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { VirtualClock } from "../../src/simulate/virtual-clock.ts";
import { turn } from "../fixtures/turn.ts";
import { page, pathOf, redirect, SlowSink, status, tree, World, type WorldOptions } from "./world.ts";

const HOSTS = Array.from({ length: 6 }, (_, index) => `site${index}.test`);
const PAGES = 80;

/** A store that takes its time for everything but texts. */
function unhurried(store: MemoryStore, clock: VirtualClock, random: () => number): Store {
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      if (name === "urlTexts") return (ids: readonly number[]) => target.urlTexts(ids);
      return async (...args: unknown[]) => {
        await new Promise<void>((resolve) => clock.after(random() * 40, resolve));
        return Reflect.apply(own, target, args);
      };
    },
  });
}

/** Sites with everything that may be under way at a stop: chains across hosts, retries, closed gates, forbidden paths, dead ends. */
function answer(call: ScriptedCall): ScriptedAnswer {
  const n = pathOf(call.url) === "/" ? 0 : Number(pathOf(call.url).slice(1));
  const site = HOSTS.indexOf(call.host);
  if (Number.isNaN(n)) return status(404);
  if (n >= 1_000) return n < 4_000 ? redirect(`http://${HOSTS[(site + 1) % HOSTS.length]}/${n + 1_000}`) : page(`${call.url} end`);
  if (n % 11 === 10) return redirect(`/${1_000 + n}`, 30);
  if (n % 13 === 12 && call.nth === 1) return status(503, [["retry-after", "2"]]);
  if (n % 17 === 16 && call.nth < 3) return { kind: "failure", code: "timeout", phase: "headers", after: 500 };
  if (n % 19 === 18) return status(404);
  const links = [n * 3 + 1, n * 3 + 2, n * 3 + 3].filter((child) => child < PAGES).map((child) => `/${child}`);
  if (n % 7 === 0 && n > 0) links.push(`http://${HOSTS[(site + 2) % HOSTS.length]}/${n}`);
  return page(`${call.host} ${n}`, links, 40 + ((n * 37 + site * 11) % 400));
}

function world(seed: number, more: Partial<WorldOptions> = {}): Promise<World> {
  return World.open({
    seeds: HOSTS.map((host) => `http://${host}/`),
    config: { hosts: { ceiling: 3 }, retries: 20, maxWait: "1h", ipCeiling: 3 },
    address: (name) => ({ kind: "resolved", addresses: [`192.0.2.${name.charCodeAt(4) % 3}`], after: 10 }),
    robots: ({ host }) =>
      host === "site3.test"
        ? { ...page("robots"), headers: [["content-type", "text/plain"]], body: "User-agent: *\nDisallow: /4\n" }
        : status(404),
    answer,
    seed,
    ...more,
  });
}

/** What each URL ended as. Fails when one was settled twice. */
async function endings(of: World): Promise<Map<string, string>> {
  const rows = await of.settled();
  const map = new Map(rows.map((row) => [row.url, `${row.outcome} ${row.code}`]));
  expect(map.size, "each URL is settled once").toBe(rows.length);
  return map;
}

/** URLs that are no part of a chain. A chain that was cut ends as a redirect to a URL that was settled by itself. */
function pagesOf(ended: ReadonlyMap<string, string>): readonly string[] {
  const lines = [...ended].filter(([, how]) => how !== "redirect null" && how !== "skipped robots");
  return lines.map(([url, how]) => `${url} ${how}`).sort();
}

/** Every URL of the store is settled, or skipped, or waits: nothing is missing and nothing is both. */
async function expectWhole(store: MemoryStore, settled: ReadonlyMap<string, string>): Promise<void> {
  let rows = 0;
  await store.scan((row: ScanRow) => {
    expect(row.id).toBe(rows++);
    expect(row.pass === 1, row.url).toBe(settled.has(row.url));
    if (row.skip !== null) expect(row.pass).toBe(0);
  }, new AbortController().signal);
}

const whole = (async () => {
  const run = await world(1);
  expect(await run.finish()).toMatchObject({ left: 0, stopped: null });
  return endings(run);
})();

test("the whole crawl meets everything it is meant to meet", async () => {
  const kinds = new Set((await whole).values());
  expect([...kinds].sort()).toEqual(["missing http-404", "new null", "redirect null", "skipped robots"]);
  expect((await whole).size).toBeGreaterThan(450);
});

for (let seed = 1; seed <= 20; seed++) {
  const how = seed % 2 === 0 ? "drain" : "stop";
  test(`after a ${how} at a random moment every URL is in one place, and the next run settles each once (seed ${seed})`, async () => {
    const random = seededRandom(seed * 7_919);
    const clock = new VirtualClock(turn);
    const memory = new MemoryStore();
    const store = seed > 10 ? unhurried(memory, clock, random) : memory;
    for (let stops = 0; stops < 3; stops++) {
      const run = await clock.run(world(seed, { clock, store }), 10_000);
      await clock.advance(random() * 6_000);
      run.run[how]();
      const began = clock.now();
      await run.finish();
      expect(clock.now() - began, "it ends soon").toBeLessThanOrEqual(how === "drain" ? 25_100 : 300);
      expect(run.route.inFlight).toBe(0);
      await expectWhole(memory, await clock.run(endings(run), 10_000));
    }
    const last = await clock.run(world(seed, { clock, store }), 10_000);
    const summary = await last.finish();
    expect(summary).toMatchObject({ left: 0, stopped: null });
    const ended = await clock.run(endings(last), 10_000);
    await expectWhole(memory, ended);
    expect(new Set(ended.keys())).toEqual(new Set((await whole).keys()));
    expect(pagesOf(ended)).toEqual(pagesOf(await whole));
  });
}

/** Every start with its instant: what a run did, in one line. */
async function fingerprint(seed: number): Promise<string> {
  const run = await world(seed);
  await run.finish();
  return createHash("sha256")
    .update(run.starts.map((call) => `${call.at} ${call.url}`).join("\n"))
    .digest("hex");
}

test("the same seed gives the same run, start by start, and another seed another one", async () => {
  const first = await fingerprint(5);
  expect(await fingerprint(5)).toBe(first);
  expect(await fingerprint(6)).not.toBe(first);
});

test("a consumer that leaves when all is fetched and not all is taken gets the rest from the next run, which asks for nothing", async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock(turn);
  const options = {
    seeds: "http://a.test/",
    answer: ({ url }: ScriptedCall) => page(url, pathOf(url) === "/" ? Array.from({ length: 30 }, (_, i) => `/${i}`) : []),
    store,
    clock,
  };
  const leaving = new SlowSink(clock, 2_000);
  const first = await World.open({ ...options, sink: leaving });
  await clock.run(new Promise<void>((resolve) => clock.after(12_000, resolve)), 20_000);
  first.run.drain();
  expect((await first.finish()).left).toBe(0);
  expect(leaving.taken.length).toBeLessThan(31);

  const staying = new SlowSink(clock, 10);
  const second = await World.open({ ...options, sink: staying });
  await second.finish();
  expect(second.starts).toEqual([]);
  const taken = [...leaving.taken, ...staying.taken];
  expect(new Set(taken.map(({ seq }) => seq)).size).toBe(31);
  expect(taken.every(({ outcome }) => outcome === "new")).toBe(true);

  const third = await World.open({ ...options, sink: new SlowSink(clock, 10) });
  await third.finish();
  expect(third.starts.length, "only then a new pass begins").toBeGreaterThan(30);
});

test("a run that is stopped while it reads the store says what is left all the same", async () => {
  const store = new MemoryStore();
  const options = { seeds: ["http://a.test/", "http://b.test/"], answer: (call: ScriptedCall) => tree(call, 200, 5, 50), store };
  const unbegun = await World.open(options);
  unbegun.run.drain();
  expect(await unbegun.finish()).toMatchObject({ stopped: "user", left: 2 });
  const first = await World.open({ ...options, config: { maxPages: 50 } });
  const { left } = await first.finish();
  expect(left).toBeGreaterThan(50);
  const cut = await World.open(options);
  cut.run.drain();
  expect(await cut.finish()).toMatchObject({ stopped: "user", left, fetches: 0 });
});

test("a limit of time ends a run when that time is over, not at the next full second", async () => {
  const world = await World.open({
    seeds: "http://a.test/",
    answer: (call) => tree(call, 5_000, 5, 50),
    config: { maxTime: "1200ms" },
  });
  expect(await world.finish()).toMatchObject({ stopped: "max-time" });
  expect(world.clock.now()).toBeLessThan(1_300);
});
