import { expect, test } from "vitest";
import { StoreUnavailable, WeirError } from "../../src/kernel/errors.ts";
import type { BlobEntry } from "../../src/ports/blob-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import type { ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { VirtualClock } from "../../src/simulate/virtual-clock.ts";
import { turn } from "../fixtures/turn.ts";
import { openPipeline, SlowSink, status, tree, World } from "./world.ts";

const SEEDS = Array.from({ length: 10 }, (_, index) => `http://site${index}.test/`);

test("a consumer of 200 ms a page has at most 50 pages waiting, in flight and settled together, and is kept busy", async () => {
  const clock = new VirtualClock(turn);
  const sink = new SlowSink(clock, 200);
  const world = await World.open({ clock, sink, seeds: SEEDS, answer: (call) => tree(call, 2_000, 20, 100) });
  let most = 0;
  for (let at = 0; at < 60_000; at += 20) {
    await clock.advance(20);
    const { inFlight, outcomes } = world.run.status();
    const settled = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    most = Math.max(most, inFlight + settled - sink.taken.length);
  }
  expect(most).toBeLessThanOrEqual(50);
  expect(sink.taken.length).toBeGreaterThanOrEqual(285);
  expect(world.run.status().boundBy).toBe("consumer");
  world.run.stop();
  await world.finish();
});

test("a consumer that hangs keeps neither a stop nor a drain, and what it did not take comes again", async () => {
  for (const [how, most] of [
    ["stop", 1_100],
    ["drain", 26_100],
  ] as const) {
    const clock = new VirtualClock(turn);
    const world = await World.open({
      clock,
      sink: new SlowSink(clock, 100 * 3_600_000),
      seeds: SEEDS,
      answer: (call) => tree(call, 100, 20, 100),
    });
    await clock.advance(5_000);
    world.run[how]();
    await world.finish(most);
    expect(await world.store.cursor("loop")).toBeNull();
    const sink = new SlowSink(clock, 1);
    const again = await World.open({ clock, store: world.store, sink, seeds: SEEDS, answer: (call) => tree(call, 100, 20, 100) });
    expect(await again.finish()).toMatchObject({ left: 0, stopped: null });
    expect(sink.taken.map((row) => row.seq)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
  }
});

test("a drain ends in 25 s, though an answer takes longer, and its URL waits for the next run", async () => {
  const world = await World.open({
    seeds: SEEDS,
    answer: (call) => (call.url === `${SEEDS[0]}19` ? tree(call, 20, 5, 55_000) : tree(call, 20, 5, 100)),
  });
  await world.clock.advance(10_000);
  world.run.drain();
  const summary = await world.finish(25_100);
  expect(summary).toMatchObject({ pages: 199, left: 1, stopped: "user" });
  expect(await world.store.inFlight()).toEqual([]);
});

test("a page whose body is on its way to the archive counts as under way, and is settled before the run ends", async () => {
  const clock = new VirtualClock(turn);
  let kept = 0;
  const put = async (): Promise<void> => {
    await new Promise<void>((resolve) => clock.after(8_000, resolve));
    kept += 1;
  };
  const blobs = { put, get: async () => null, close: async () => undefined };
  const limited = await World.open({ clock, blobs, seeds: SEEDS, config: { maxPages: 30 }, answer: (call) => tree(call, 2_000, 50, 100) });
  expect(await limited.finish()).toMatchObject({ pages: 30, stopped: "max-pages" });
  kept = 0;
  const world = await World.open({ clock, blobs, seeds: SEEDS, answer: (call) => tree(call, 2_000, 50, 100) });
  await clock.advance(8_500);
  world.run.drain();
  const summary = await world.finish(10_000);
  expect(summary.pages).toBeGreaterThan(10);
  expect(summary.pages).toBe(kept);
  expect((await world.settled()).filter((row) => row.outcome === "new").length).toBe(kept);
});

test("a page whose body could not be kept is fetched again by the next run, and nothing else is", async () => {
  const store = new MemoryStore();
  const bodies = new Map<string, number>();
  let room = 20;
  const put = async (_hash: string, _bytes: Uint8Array, { url }: BlobEntry): Promise<void> => {
    if (room-- <= 0) throw new WeirError("WEIR_OUTPUT_FAILED", "no room");
    bodies.set(url, (bodies.get(url) ?? 0) + 1);
  };
  const blobs = { put, get: async () => null, close: async () => undefined };
  const options = { store, blobs, seeds: "http://a.test/", answer: (call: ScriptedCall) => tree(call, 100, 20, 100) };
  const full = await World.open(options);
  await expect(full.finish()).rejects.toMatchObject({ code: "WEIR_OUTPUT_FAILED" });
  room = Number.POSITIVE_INFINITY;
  await (await World.open(options)).finish();
  expect([...bodies.values()]).toEqual(Array.from({ length: 100 }, () => 1));
});

test("a limit of pages is not exceeded", async () => {
  const world = await World.open({
    seeds: SEEDS,
    config: { maxPages: 77 },
    answer: (call) => (call.nth === 1 && call.url.endsWith("7") ? status(500) : tree(call, 100, 20, 100)),
  });
  expect(await world.finish()).toMatchObject({ pages: 77, stopped: "max-pages" });
});

test("a fast consumer does not hold the crawl back", async () => {
  const clock = new VirtualClock(turn);
  const world = await World.open({ clock, sink: new SlowSink(clock, 1), seeds: SEEDS, answer: (call) => tree(call, 100, 20, 500) });
  const slow = await world.finish();
  const alone = await World.open({ seeds: SEEDS, answer: (call) => tree(call, 100, 20, 500) });
  const free = await alone.finish();
  expect(slow.pages).toBe(1_000);
  expect(slow.seconds).toBeLessThan(free.seconds * 1.3);
});

/** A store that cannot serve between two instants: it refuses, or answers only when the time is over. */
function troubled(store: Store, clock: VirtualClock, how: "refuses" | "stalls", from: number, to: number): Store {
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      if (name === "urlTexts") {
        return (ids: readonly number[]) => {
          if (how === "refuses" && clock.now() >= from && clock.now() < to) throw new StoreUnavailable("WEIR_STORE_FULL", "no room");
          return target.urlTexts(ids);
        };
      }
      return async (...args: unknown[]) => {
        if (clock.now() >= from && clock.now() < to) {
          if (how === "refuses") throw new StoreUnavailable("WEIR_STORE_FULL", "no room");
          await new Promise<void>((resolve) => clock.after(to - clock.now(), resolve));
        }
        return Reflect.apply(own, target, args);
      };
    },
  });
}

for (const how of ["refuses", "stalls"] as const) {
  for (const withConsumer of [false, true]) {
    test(`storage that ${how} for 10 s stops the starts, loses nothing and resumes by itself${withConsumer ? ", the delivery too" : ""}`, async () => {
      const clock = new VirtualClock(turn);
      const memory = new MemoryStore();
      const store = troubled(memory, clock, how, 5_000, 15_000);
      const sink = new SlowSink(clock, 1);
      const world = await World.open({
        clock,
        store,
        seeds: SEEDS,
        answer: (call) => tree(call, 1_500, 20, 200),
        ...(withConsumer ? { sink } : {}),
      });
      const summary = await world.finish();
      const during = world.starts.filter((call) => call.at >= 6_000 + (how === "stalls" ? 8_000 : 0) && call.at < 15_000);
      expect(during.length, "starts while the store cannot be written").toBe(0);
      expect(
        world.starts.some((call) => call.at >= 15_000 && call.at < 20_000),
        "it goes on at once",
      ).toBe(true);
      expect(summary).toMatchObject({ pages: 15_000, left: 0, stopped: null });
      const settled = await memory.settledAfter(0, Number.MAX_SAFE_INTEGER);
      expect(new Set(settled.map((row) => row.id)).size).toBe(15_000);
      expect(settled.length).toBe(15_000);
      if (withConsumer) expect(sink.taken.map((row) => row.seq)).toEqual(settled.map((row) => row.seq));
    });
  }
}

test("a store that refuses for good ends the run with its error", async () => {
  const clock = new VirtualClock(turn);
  const store = troubled(new MemoryStore(), clock, "refuses", 5_000, Number.POSITIVE_INFINITY);
  const world = await World.open({ clock, store, seeds: SEEDS, answer: (call) => tree(call, 1_500, 20, 200) });
  await expect(world.finish()).rejects.toMatchObject({ code: "WEIR_STORE_FULL" });
  expect(clock.now()).toBeLessThan(120_000);
  expect(world.route.inFlight).toBe(0);
});

test("rows that had to be read from the store start at once, with nothing else going on", async () => {
  const { clock, pipeline, route } = await openPipeline({
    seeds: "http://flaky.test/",
    answer: (call) => (call.nth < 3 ? status(500) : tree(call, 1, 1, 50)),
  });
  await clock.advance(20_000);
  expect([pipeline.isIdle, route.starts, pipeline.tally.pages]).toEqual([true, 4, 1]);
});

test("answers that hold no page give their credit back", async () => {
  const world = await World.open({
    seeds: "http://parts.test/",
    config: { hosts: { ceiling: 64 } },
    answer: (call) => (call.url.endsWith("/") ? tree(call, 3_000, 2_999, 10) : status(206, [], 10)),
  });
  const summary = await world.finish();
  expect(summary).toMatchObject({ pages: 1, failed: 2_999, left: 0 });
});
