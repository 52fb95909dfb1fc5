import { afterEach, expect, test } from "vitest";
import { SystemClock } from "../../../../src/adapters/clock-system/system-clock.ts";
import { WorkerLane } from "../../../../src/adapters/parse-worker/worker-lane.ts";
import type { PageInput, ParseEnd } from "../../../../src/ports/parse-lane.ts";

const ENTRY = new URL("../../../fixtures/parse-thread.mjs", import.meta.url);
const MiB = 1_048_576;
const lanes: WorkerLane[] = [];
afterEach(() => Promise.all(lanes.splice(0).map((lane) => lane.close())));

function open(data: object, limit = 120_000): WorkerLane {
  const lane = new WorkerLane({ clock: new SystemClock() }, { entry: ENTRY, data, from: 512 * 1024, limit, heap: 256 * MiB });
  lanes.push(lane);
  return lane;
}

function input(url: string, body: Uint8Array): PageInput {
  const headers = { contentType: "text/html", robotsTags: [], linkHeaders: [], refresh: undefined };
  return { url, body, ...headers, via: "link", now: 0, wantText: false };
}

function run(lane: WorkerLane, page: PageInput): Promise<ParseEnd> {
  return new Promise((resolve) => {
    let inside = true;
    lane.run(page, page.body.length, (end) => {
      expect(inside, "never inside run").toBe(false);
      resolve(end);
    });
    inside = false;
  });
}

/** A body as the direct route hands it over: in memory that can shrink. */
function grown(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const Resizable = ArrayBuffer as unknown as new (length: number, options: { maxByteLength: number }) => ArrayBuffer;
  const memory = new Resizable(bytes.length + 1_000, { maxByteLength: 8 * MiB });
  new Uint8Array(memory).set(bytes);
  return new Uint8Array(memory, 0, bytes.length);
}

test("small pages stay", () => {
  const lane = open({ agent: "weir" });
  expect([lane.takes(512 * 1024 - 1), lane.takes(512 * 1024)]).toEqual([false, true]);
});

// A thread that has to translate its sources first needs its time.
test("a page comes back with what it says, its links in order, and its body without a copy", { timeout: 120_000 }, async () => {
  const lane = open({ agent: "weir" });
  const html = `<!doctype html><title>Big</title><base href="/dir/"><a href="one">1</a><a rel="nofollow" href="http://b.test/two?x=1#f">2</a>`;
  const body = grown(html + " ".repeat(600_000));
  const memory = body.buffer;
  const end = await run(lane, input("http://a.test/", body));
  expect(memory.byteLength, "the memory moved").toBe(0);
  if (end.kind !== "page") throw new Error(end.kind);
  expect(end.page).toMatchObject({ kind: "page", title: "Big" });
  const text = Buffer.from(end.links.urls).toString();
  const urls = [...end.links.ends].map((to, index) => text.slice(index === 0 ? 0 : end.links.ends[index - 1], to));
  expect(urls).toEqual(["http://a.test/dir/one", "http://b.test/two?x=1"]);
  expect(end.body.length).toBe(html.length + 600_000);
  expect(Buffer.from(end.body.subarray(0, html.length)).toString()).toBe(html);
  expect((end.body.buffer as ArrayBuffer & { resizable: boolean }).resizable, "can be given back at once").toBe(true);
});

test("a body that shares its memory with others is not taken from them", async () => {
  const lane = open({ broken: true });
  const slab = new Uint8Array(1_000_000).fill(7);
  const end = await run(lane, input("http://a.test/", slab.subarray(0, 700_000)));
  expect(end.kind === "page" && end.body.length).toBe(700_000);
  expect(slab.length).toBe(1_000_000);
});

test("pages that end the parser, or never end, fail alone: the others go on, each worker is replaced once", async () => {
  const lane = open({ broken: true }, 1_500);
  const ends = await Promise.all(
    ["/throws", "/a", "/exits", "/b", "/hangs", "/c"].map((path) => run(lane, input(`http://a.test${path}`, new Uint8Array(10)))),
  );
  expect(ends.map((end) => end.kind)).toEqual(["broken", "page", "crashed", "page", "too-slow", "page"]);
  expect(lane.restarts).toBe(2);
});

test("a page that is forgotten says nothing, and the next one comes", async () => {
  const lane = open({ broken: true });
  const told: string[] = [];
  const forget = lane.run(input("http://a.test/a", new Uint8Array(10)), 10, () => told.push("a"));
  const forgetToo = lane.run(input("http://a.test/b", new Uint8Array(10)), 10, () => told.push("b"));
  forget();
  forgetToo();
  expect((await run(lane, input("http://a.test/c", new Uint8Array(10)))).kind).toBe("page");
  expect(told).toEqual([]);
});
