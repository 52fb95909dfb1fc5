import { describe, expect, test } from "vitest";
import type { Millis } from "../../src/kernel/units.ts";
import type { Store } from "../../src/ports/store.ts";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import { ScriptedLane } from "../../src/simulate/scripted-lane.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { VirtualClock } from "../../src/simulate/virtual-clock.ts";
import { turn } from "../fixtures/turn.ts";
import { page, pathOf, World, type WorldOptions } from "./world.ts";

const SEEDS = [1, 2, 3, 4, 5];
const HOSTS = Array.from({ length: 12 }, (_, index) => `site${index}.test`);
const MB = 1_000_000;
/** Before the fault, the fault, and after it. */
const FAULT_FROM: Millis = 60_000;
const FAULT_TO: Millis = 120_000;
const END: Millis = 240_000;

/** An endless site: each page links to two further ones, found once. */
function endless(call: ScriptedCall, ttfb: Millis): ScriptedAnswer & { readonly kind: "response" } {
  const path = pathOf(call.url);
  const n = path === "/" ? 0 : Number(path.slice(1));
  const answer = page(`${call.host} ${n}`, [`/${2 * n + 1}`, `/${2 * n + 2}`], ttfb);
  if (answer.kind !== "response") throw new Error("a page is an answer");
  return { ...answer, weighs: 30_000 };
}

interface Run {
  readonly world: World;
  readonly ends: readonly { readonly host: string; readonly at: Millis }[];
  /** Pages a second that were settled from one instant to another. */
  rate(from: Millis, to: Millis, of?: (host: string) => boolean): number;
  starts(from: Millis, to: Millis, of?: (host: string) => boolean): number;
}

/** Lets the twelve hosts be crawled for four minutes. */
async function afternoon(seed: number, options: Partial<WorldOptions> & { readonly whileOn?: (world: World) => void }): Promise<Run> {
  const clock = options.clock ?? new VirtualClock(turn);
  const store = options.store ?? new MemoryStore();
  const world = await World.open({
    seeds: HOSTS.map((host) => `http://${host}/`),
    answer: (call) => endless(call, 700 + (call.url.length % 7) * 20),
    ...options,
    clock,
    store,
    seed,
    config: { maxBody: "64MiB", scope: "host", hosts: { ceiling: 2 }, ...options.config },
  });
  for (let at = 0; at < END; at += 500) {
    await clock.advance(500);
    options.whileOn?.(world);
  }
  world.run.stop();
  await world.finish(30_000);
  const rows = await world.settled();
  const ends = rows.map((row) => ({ host: new URL(row.url).host, at: row.at - clock.epoch() + clock.now() }));
  const within = (from: Millis, to: Millis) => (entry: { readonly at: Millis }) => entry.at >= from && entry.at < to;
  return {
    world,
    ends,
    rate: (from, to, of = () => true) => ends.filter(within(from, to)).filter(({ host }) => of(host)).length / ((to - from) / 1000),
    starts: (from, to, of = () => true) => world.starts.filter(within(from, to)).filter(({ host }) => of(host)).length,
  };
}

/** A URL whose body had come whole is not asked for again. */
function refetched(world: World): number {
  const counts = new Map<string, number>();
  for (const { url } of world.starts) counts.set(url, (counts.get(url) ?? 0) + 1);
  return [...counts.values()].filter((count) => count > 1).length;
}

describe.each(SEEDS)("seed %i", (seed) => {
  test("a host turns to pages of 20 MB on which the parser is fifty times slower: the others go on, it slows, nothing grows", async () => {
    const bad = HOSTS[0];
    const isBad = (host: string): boolean => host === bad;
    let mostCharged = 0;
    let mostBodies = 0;
    const run = await afternoon(seed, {
      answer: (call) => {
        const usual = endless(call, 700);
        const heavy = call.host === bad && call.at >= FAULT_FROM && call.at < FAULT_TO && !call.url.endsWith("robots.txt");
        return heavy ? { ...usual, weighs: 20 * MB, transfer: 400 } : usual;
      },
      // 10 ms a megabyte, and fifty times that.
      lane: (clock) =>
        new ScriptedLane(
          clock,
          ({ bytes }) => (bytes / MB) * 10 * 50,
          ({ bytes }) => bytes >= 524_288,
        ),
      whileOn: ({ run: { pipeline }, route }) => {
        mostCharged = Math.max(mostCharged, pipeline?.parse.credits.heldBytes ?? 0);
        mostBodies = Math.max(mostBodies, route.heldBytes);
      },
    });
    const before = run.rate(30_000, FAULT_FROM, (host) => !isBad(host));
    expect(run.rate(FAULT_FROM, FAULT_TO, (host) => !isBad(host)) / before, "others").toBeGreaterThanOrEqual(0.7);
    expect(run.starts(FAULT_FROM, FAULT_TO, isBad) / 60, "the offending host").toBeLessThan(
      0.25 * (run.starts(30_000, FAULT_FROM, isBad) / 30),
    );
    expect(mostCharged, "bytes charged").toBeLessThanOrEqual(48 * 1_048_576 * 1.2);
    expect(mostBodies, "bodies half read").toBeLessThanOrEqual(48 * 1_048_576 * 1.2);
    expect(run.rate(END - 60_000, END) / run.rate(0.5 * FAULT_FROM, FAULT_FROM), "after it").toBeGreaterThanOrEqual(0.9);
  });

  test("the parser stops for 60 s: starts stop within its wait and one fetch, resume within 5 s, and nothing is fetched twice", async () => {
    const run = await afternoon(seed, {
      lane: (clock) => new ScriptedLane(clock, ({ at }) => (at >= FAULT_FROM && at < FAULT_TO ? FAULT_TO - at : 1)),
    });
    expect(run.starts(FAULT_FROM + 11_000, FAULT_TO), "starts while it stands").toBe(0);
    expect(run.starts(FAULT_TO, FAULT_TO + 5_000), "it goes on").toBeGreaterThan(0);
    expect(refetched(run.world)).toBe(0);
    expect(run.rate(END - 60_000, END) / run.rate(30_000, FAULT_FROM), "after it").toBeGreaterThanOrEqual(0.9);
  });

  test("storage stalls for 60 s: starts stop within the wait, nothing is lost, and in 30 s it is as before", async () => {
    const clock = new VirtualClock(turn);
    let oldest = 0;
    const run = await afternoon(seed, {
      clock,
      store: stalling(new MemoryStore(), clock),
      whileOn: ({ run: { pipeline } }) => {
        oldest = Math.max(oldest, pipeline?.storeStage.oldestAge ?? 0);
      },
    });
    expect(run.starts(FAULT_FROM + 11_000, FAULT_TO), "starts while it stands").toBe(0);
    expect(oldest).toBeLessThanOrEqual(60_000 + 10_000);
    const before = run.rate(30_000, FAULT_FROM);
    expect(run.rate(FAULT_TO + 30_000, FAULT_TO + 60_000) / before, "30 s later").toBeGreaterThanOrEqual(0.9);
    expect(run.rate(END - 60_000, END) / before, "after it").toBeGreaterThanOrEqual(0.9);
    expect(refetched(run.world)).toBe(0);
    const ids = (await run.world.settled()).map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

/** A store whose commits stand from the fault's begin to its end. */
function stalling(store: Store, clock: VirtualClock): Store {
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      if (name !== "commit") return own.bind(target);
      return async (...args: unknown[]) => {
        const now = clock.now();
        if (now >= FAULT_FROM && now < FAULT_TO) await new Promise<void>((resolve) => clock.after(FAULT_TO - now, resolve));
        return Reflect.apply(own, target, args);
      };
    },
  });
}
