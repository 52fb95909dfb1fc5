import { expect, test } from "vitest";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { VirtualClock } from "../../src/simulate/virtual-clock.ts";
import { turn } from "../fixtures/turn.ts";
import { page, pathOf, status, World } from "./world.ts";

const ALL = { host: null, code: null, pass: null };

/** Ten pages; the even ones fail while `broken` says so. */
function site(broken: () => boolean, code = 500) {
  return (call: ScriptedCall): ScriptedAnswer => {
    const path = pathOf(call.url);
    if (path === "/") return page(call.url, [...Array.from({ length: 10 }, (_, n) => `/${n}`), "http://keep.test/keeps"]);
    if (path === "/keeps") return page(call.url, [], 120_000);
    return broken() && Number(path.slice(1)) % 2 === 0 ? status(code) : page(call.url);
  };
}

const options = { seeds: "http://a.test/", config: { retries: 0, timeout: "10m", maxWait: "1h" } } as const;

test("dead letters that were put back in a finished pass are all that the next run of it fetches", async () => {
  const store = new MemoryStore();
  let broken = true;
  const answer = site(() => broken);
  const first = await World.open({ ...options, store, answer });
  expect(await first.finish()).toMatchObject({ failed: 5, pages: 7 });
  expect((await store.requeue(ALL, -1, 100)).length).toBe(5);
  // As `weir retry` does in a store that nobody writes.
  const pass = JSON.parse((await store.meta("pass")) ?? "");
  const open = { ...pass, state: "open" };
  const nothing = { hosts: [], urls: [], settlements: [], rescheduled: [], revised: [], hostStates: [], inFlight: [] };
  await store.commit({ ...nothing, meta: [["pass", JSON.stringify(open)]] });
  broken = false;
  const second = await World.open({ ...options, store, answer });
  expect(await second.finish()).toMatchObject({ failed: 0, pages: 5, left: 0, stopped: null });
  const asked = second.starts.map((call) => pathOf(call.url)).filter((path) => path !== "/robots.txt");
  expect(asked.sort()).toEqual(["/0", "/2", "/4", "/6", "/8"]);
  expect((await store.totals(1)).outcomes).toEqual({ new: 12 });
});

test("a crawl that runs takes them back at once, each once, and goes on until they are settled", async () => {
  let broken = true;
  const clock = new VirtualClock(turn);
  const world = await World.open({ ...options, clock, answer: site(() => broken) });
  await clock.advance(60_000);
  expect((await world.settled()).filter((row) => row.outcome === "failed")).toHaveLength(5);
  broken = false;
  expect(await clock.run(world.run.retry({ host: "b.test", code: null, pass: null }), 1_000)).toBe(0);
  expect(await clock.run(world.run.retry({ host: "a.test", code: "http-500", pass: null }), 1_000)).toBe(5);
  expect(await clock.run(world.run.retry(ALL), 1_000), "they wait: they are dead no more").toBe(0);
  await clock.advance(20_000);
  expect((await world.settled()).filter((row) => row.outcome === "new")).toHaveLength(11);
  expect(await world.finish()).toMatchObject({ left: 0, stopped: null, pages: 12 });
  await expect(world.run.retry(ALL)).rejects.toThrow("done");
  expect(world.warnings, "no result was refused").toEqual([]);
});

test("they are tried anew, not where they left off: four attempts more, in one incident", async () => {
  const store = new MemoryStore();
  const world = await World.open({ ...options, store, config: { ...options.config, retries: 3 }, answer: site(() => true) });
  await world.clock.advance(1_500_000);
  const attempts = (path: string) => world.starts.filter((call) => pathOf(call.url) === path).length;
  expect(["/0", "/2", "/4", "/6", "/8"].map(attempts)).toEqual([4, 4, 4, 4, 4]);
});

test("a URL is asked for at most eight times since its last success, over passes and restarts", async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock(turn);
  let broken = true;
  const whole = site(() => false);
  // Cut bodies say nothing about the host, so that its limiter stays out of this.
  const cut: ScriptedAnswer = { kind: "failure", code: "incomplete", phase: "body", after: 50 };
  const answer = (call: ScriptedCall) => (broken && Number(pathOf(call.url).slice(1) || 1) % 2 === 0 ? cut : whole(call));
  const config = { ...options.config, retries: 3 };
  const count = new Map<string, number>();
  const pass = async () => {
    const world = await clock.run(World.open({ ...options, clock, store, config, answer }), 1_000);
    const summary = await world.finish();
    for (const { url } of world.starts) count.set(url, (count.get(url) ?? 0) + 1);
    return { world, summary };
  };
  for (let n = 1; n <= 4; n++) expect((await pass()).summary, `pass ${n}`).toMatchObject({ failed: 5, left: 0, stopped: null });
  for (const n of [0, 2, 4, 6, 8]) expect(count.get(`http://a.test/${n}`)).toBe(8);
  const dead = (await store.current("failed", -1, 100))[0];
  expect(dead).toMatchObject({ outcome: "failed", code: "incomplete", attempts: 0, message: expect.stringContaining("8 attempts") });
  broken = false;
  expect((await pass()).summary, "nobody has put them back").toMatchObject({ failed: 5 });
  await store.requeue(ALL, -1, 100);
  expect((await pass()).summary).toMatchObject({ failed: 0 });
  expect((await store.visitRows([2]))[0].tries).toBe(0);
});
