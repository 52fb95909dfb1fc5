import { expect, test } from "vitest";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { page, pathOf, redirect, status, tree, World, type WorldOptions } from "./world.ts";

// What belongs to a pass, when the store remembers more than this run has seen.

const visited = (world: World): string[] =>
  world.starts
    .map((call) => call.url)
    .filter((url) => !url.endsWith("/robots.txt"))
    .sort();

/** old.test moved to new.test, a tree of 40 pages. */
const moved = (call: ScriptedCall): ScriptedAnswer =>
  call.host === "old.test" ? redirect(`http://new.test${pathOf(call.url)}`) : tree(call, 40, 3, 50);

/** a.test and b.test link to each other. */
const neighbours = ({ url, host }: ScriptedCall): ScriptedAnswer => {
  const other = host === "a.test" ? "b.test" : "a.test";
  return pathOf(url) === "/" ? page(url, ["/in", `http://${other}/`, `http://${other}/in`]) : page(url);
};

function run(store: MemoryStore, options: Pick<WorldOptions, "seeds" | "answer"> & Partial<WorldOptions>): Promise<World> {
  return World.open({ ...options, store, config: { scope: "host", ...options.config } });
}

test("a crawl whose seed has moved to another host goes on there after a stop", async () => {
  const store = new MemoryStore();
  const first = await run(store, { seeds: "http://old.test/", answer: moved, config: { maxPages: 5 } });
  expect(await first.finish()).toMatchObject({ stopped: "max-pages" });
  const second = await run(store, { seeds: "http://old.test/", answer: moved });
  expect(await second.finish()).toMatchObject({ skipped: {}, left: 0, stopped: null });
  expect((await store.current("pages", -1, 1_000)).length).toBe(40);
});

test("a later pass over a seed that has moved follows what is new on the other host", async () => {
  const store = new MemoryStore();
  await (
    await run(store, { seeds: "http://old.test/", answer: (call) => (call.host === "old.test" ? moved(call) : tree(call, 10, 3, 50)) })
  ).finish();
  const second = await run(store, { seeds: "http://old.test/", answer: moved });
  expect(await second.finish()).toMatchObject({ pages: 40, new: 30, left: 0 });
});

test("a seed that moves to a host which was out of scope when it was linked takes the scope with it", async () => {
  const answer = (call: ScriptedCall): ScriptedAnswer =>
    call.host === "a.test"
      ? page("a", ["http://new.test/"], 10)
      : call.host === "old.test"
        ? redirect("http://new.test/", 5_000)
        : tree(call, 10, 3, 50);
  const world = await run(new MemoryStore(), { seeds: ["http://a.test/", "http://old.test/"], answer });
  expect(await world.finish()).toMatchObject({ pages: 11, left: 0 });
});

test("another crawl in the same store asks its own hosts and no others, also for URLs the first one had passed over", async () => {
  const store = new MemoryStore();
  await (await run(store, { seeds: "http://a.test/", answer: neighbours })).finish();
  const second = await run(store, { seeds: "http://b.test/", answer: neighbours });
  expect(await second.finish()).toMatchObject({ pages: 2, new: 2, left: 0 });
  expect(visited(second)).toEqual(["http://b.test/", "http://b.test/in"]);
  expect((await store.current("pages", -1, 10)).map((row) => row.url)).toContain("http://a.test/in");

  const third = await run(store, { seeds: "http://a.test/", answer: neighbours });
  expect(await third.finish()).toMatchObject({ pages: 2, unchanged: 2, left: 0 });
  expect(visited(third)).toEqual(["http://a.test/", "http://a.test/in"]);
});

test("another crawl in the same store is still itself after a stop", async () => {
  const store = new MemoryStore();
  await (await run(store, { seeds: "http://a.test/", answer: neighbours })).finish();
  await (await run(store, { seeds: "http://b.test/", answer: neighbours, config: { maxPages: 1 } })).finish();
  const third = await run(store, { seeds: "http://b.test/", answer: neighbours });
  await third.finish();
  expect(visited(third)).toEqual(["http://b.test/in"]);
});

test("a pass with narrower patterns leaves the rest alone, and a wider one after it takes it up again", async () => {
  const store = new MemoryStore();
  const answer = (call: ScriptedCall): ScriptedAnswer => (pathOf(call.url) === "/" ? page("start", ["/x/1", "/y/1"]) : page(call.url));
  const narrow = { exclude: ["/y/"] };
  await (await run(store, { seeds: "http://a.test/", answer })).finish();
  const second = await run(store, { seeds: "http://a.test/", answer, config: narrow });
  expect(await second.finish()).toMatchObject({ pages: 2, left: 0 });
  expect(visited(second)).toEqual(["http://a.test/", "http://a.test/x/1"]);
  const third = await run(store, { seeds: "http://a.test/", answer });
  expect(await third.finish()).toMatchObject({ pages: 3, left: 0 });
});

test("a sitemap that another crawl had passed over is read when robots.txt names it", async () => {
  const store = new MemoryStore();
  const answer = (call: ScriptedCall): ScriptedAnswer => {
    if (pathOf(call.url) !== "/map.xml") return pathOf(call.url) === "/" ? page("start", ["/map.xml"]) : page(call.url);
    const body = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.test/p/1</loc></url></urlset>';
    return { kind: "response", status: 200, headers: [["content-type", "application/xml"]], body, ttfb: 10 };
  };
  const robots = (): ScriptedAnswer => {
    const body = "Sitemap: http://a.test/map.xml\n";
    return { kind: "response", status: 200, headers: [["content-type", "text/plain"]], body, ttfb: 10 };
  };
  await (await run(store, { seeds: "http://a.test/", answer, config: { exclude: ["/map.xml"] } })).finish();
  const second = await run(store, { seeds: "http://a.test/", answer, robots, config: { include: ["/p/"] } });
  await second.finish();
  expect(visited(second)).toContain("http://a.test/p/1");
});

test("a page that redirects to what is out of scope leaves it there", async () => {
  const answer = (call: ScriptedCall): ScriptedAnswer =>
    pathOf(call.url) === "/"
      ? page("start", ["http://out.test/", "/old"])
      : call.url.endsWith("/old")
        ? redirect("http://out.test/")
        : status(404);
  const world = await run(new MemoryStore(), { seeds: "http://a.test/", answer });
  expect(await world.finish()).toMatchObject({ skipped: { scope: 2 }, left: 0 });
  expect(visited(world)).toEqual(["http://a.test/", "http://a.test/old"]);
});
