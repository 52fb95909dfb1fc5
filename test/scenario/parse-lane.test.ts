import { expect, test } from "vitest";
import { decodeIds } from "../../src/kernel/id-list.ts";
import { ParseJob } from "../../src/pipeline/parse-job.ts";
import type { PageInput, ParseEnd, ParseLane } from "../../src/ports/parse-lane.ts";
import { ScriptedLane } from "../../src/simulate/scripted-lane.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import type { VirtualClock } from "../../src/simulate/virtual-clock.ts";
import { page, tree, World } from "./world.ts";

/** A lane that parses as the worker does, without a thread. */
class JobLane implements ParseLane {
  readonly #clock: VirtualClock;
  readonly #job = new ParseJob({ agent: "weir", inflate: () => null });

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }
  takes(): boolean {
    return true;
  }
  run(input: PageInput, _bytes: number, done: (end: ParseEnd) => void): () => void {
    return this.#clock.after(30, () => done({ kind: "page", ...this.#job.run(input), body: input.body }));
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

const SITEMAP =
  '<?xml version="1.0"?><urlset><url><loc>/listed</loc></url><url><loc>http://b.test/1</loc></url><url><loc>http://c.test/1</loc></url></urlset>';

/** Pages of every sort: a maze of links, one that may not be followed, a list. */
function site(call: ScriptedCall): ScriptedAnswer {
  const path = call.url.slice(call.url.indexOf("/", 8));
  if (path === "/map.xml")
    return { kind: "response", status: 200, headers: [["content-type", "application/xml"]], body: SITEMAP, ttfb: 20 };
  if (path === "/silent")
    return {
      kind: "response",
      status: 200,
      headers: [
        ["content-type", "text/html"],
        ["x-robots-tag", "nofollow"],
      ],
      body: "<p>words enough<a href=/never>x</a>",
      ttfb: 20,
    };
  const n = path === "/" ? 0 : Number(path.slice(1));
  if (!Number.isFinite(n)) return page(path);
  const links = Array.from({ length: 40 }, (_, index) => `/${(n * 7 + index) % 150}`);
  return page(`${call.host}${n}`, [...links, "/silent", "/map.xml", `http://b.test/${n % 9}`, "http://a.test/0#part"]);
}

test("pages parsed elsewhere give the same crawl as pages parsed here", async () => {
  const told: unknown[] = [];
  for (const lane of [undefined, (clock: VirtualClock) => new JobLane(clock)]) {
    const world = await World.open({
      seeds: ["http://a.test/", "http://b.test/"],
      config: { scope: "host" },
      answer: site,
      ...(lane && { lane }),
    });
    const summary = await world.finish();
    expect(summary.left).toBe(0);
    const rows = await world.settled();
    const texts = (ids: readonly number[]) => world.store.urlTexts(ids);
    told.push({
      skipped: summary.skipped,
      rows: rows
        .map(({ url, outcome, code, depth, via, page: own }) => ({ url, outcome, code, depth, via, title: own?.title }))
        .sort(byUrl),
      links: rows.map(({ url, page: own }) => ({ url, links: own === null ? [] : [...texts(decodeIds(own.links))] })).sort(byUrl),
    });
  }
  expect(told[1]).toEqual(told[0]);
  expect(JSON.stringify(told[0])).toContain("http://a.test/listed");
});

const byUrl = (a: { readonly url: string }, b: { readonly url: string }): number => (a.url < b.url ? -1 : 1);

test("a page that ends the parser is tried three times, one that takes too long or breaks it once; all fail alone", async () => {
  const parses: string[] = [];
  const world = await World.open({
    seeds: "http://a.test/",
    answer: (call) => tree(call, 60, 8, 20),
    lane: (clock) =>
      new ScriptedLane(clock, ({ url }) => {
        parses.push(url);
        if (url.endsWith("/7")) return { kind: "crashed", message: "The page ended the parser", after: 40 };
        if (url.endsWith("/50")) return { kind: "too-slow", message: "The page could not be parsed in 60 s", after: 60_000 };
        return url.endsWith("/51") ? { kind: "broken", message: "Too deep", after: 5 } : 5;
      }),
  });
  const summary = await world.finish();
  expect(summary).toMatchObject({ pages: 54, failed: 3, left: 0, stopped: null, retries: 2 });
  const tries = (path: string): number => parses.filter((url) => url.endsWith(path)).length;
  expect([tries("/7"), tries("/50"), tries("/51")]).toEqual([3, 1, 1]);
  const failed = (await world.settled()).filter((row) => row.outcome === "failed");
  expect(failed.map((row) => [row.url, row.code]).sort()).toEqual([
    ["http://a.test/50", "parse"],
    ["http://a.test/51", "parse"],
    ["http://a.test/7", "parse"],
  ]);
  expect(failed.find((row) => row.url.endsWith("/7"))?.attempts).toBe(3);
});

test("a page whose parser was ended by chance is fetched once more and kept; nobody is told, and its host pays nothing", async () => {
  let crashes = 0;
  const world = await World.open({
    seeds: "http://a.test/",
    answer: (call) => tree(call, 60, 8, 20),
    lane: (clock) =>
      new ScriptedLane(clock, ({ url }) =>
        url.endsWith("/7") && ++crashes === 1 ? { kind: "crashed", message: "The page ended the parser", after: 40 } : 5,
      ),
  });
  expect(await world.finish()).toMatchObject({ pages: 60, failed: 0, left: 0, retries: 1 });
  expect(world.warnings).toEqual([]);
  expect(world.starts.filter(({ url }) => url.endsWith("/7")).length).toBe(2);
});

test("a stop while pages are parsed elsewhere: their rows wait for the next run, which fetches them once more and nothing else", async () => {
  const world = await World.open({
    seeds: "http://a.test/",
    answer: (call) => tree(call, 200, 20, 20),
    lane: (clock) => new ScriptedLane(clock, () => 100),
  });
  await world.clock.advance(5_000);
  world.run.stop();
  await world.finish(2_000);
  const first = (await world.settled()).length;
  expect(first).toBeGreaterThan(20);
  const again = await World.open({
    store: world.store,
    clock: world.clock,
    seeds: "http://a.test/",
    answer: (call) => tree(call, 200, 20, 20),
  });
  expect(await again.finish()).toMatchObject({ left: 0 });
  const urls = (await world.settled()).filter((row) => row.outcome === "new").map((row) => row.url);
  expect(urls.length).toBe(200);
  expect(new Set(urls).size).toBe(200);
});

test("a drain waits for the pages that are parsed elsewhere", async () => {
  const world = await World.open({
    seeds: "http://a.test/",
    answer: (call) => tree(call, 200, 20, 20),
    lane: (clock) => new ScriptedLane(clock, () => 100),
  });
  await world.clock.advance(5_000);
  world.run.drain();
  await world.finish(25_000);
  const settled = await world.settled();
  expect(settled.filter((row) => row.outcome === "new").length).toBe(world.starts.length - 1);
});
