import { expect, test } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { page, pathOf, World } from "./world.ts";

const SLOW: readonly string[] = Array.from({ length: 6 }, (_, n) => `http://s${n}.test/slow`);
const POISON = "http://poison.test/";

function answer({ url }: ScriptedCall): ScriptedAnswer {
  if (url === "http://a.test/") return page(url, [...SLOW, POISON, ...Array.from({ length: 30 }, (_, n) => `/${n}`)]);
  if (SLOW.includes(url)) return page(url, [], 4_000);
  return page(url, [], url === POISON ? 60_000 : 300);
}

/** A store as a run that is killed leaves it: nothing of what it does afterwards arrives. */
function mortal(store: MemoryStore): { readonly store: Store; kill(): void } {
  let dead = false;
  const proxy = new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      return (...args: unknown[]) => (dead ? new Promise(() => undefined) : Reflect.apply(own, target, args));
    },
  });
  return {
    store: proxy,
    kill: () => {
      dead = true;
    },
  };
}

async function killedAfter(memory: MemoryStore, span: number): Promise<World> {
  const { store, kill } = mortal(memory);
  const world = await World.open({ seeds: "http://a.test/", answer, store, config: { maxWait: "1h" } });
  await world.clock.advance(span);
  kill();
  return world;
}

const attemptsOf = async (store: MemoryStore, url: string): Promise<number | undefined> => {
  let attempts: number | undefined;
  await store.scan((row) => {
    if (row.url === url) attempts = row.attempts;
  }, new AbortController().signal);
  return attempts;
};

test("what was in flight at an unclean end has one attempt more, and is asked for one at a time; the others are not held up", async () => {
  const store = new MemoryStore();
  await killedAfter(store, 2_500);
  const journal = store.urlTexts(await store.inFlight());
  expect(journal.filter((url) => SLOW.includes(url)).sort(), "all were under way").toEqual(SLOW);
  const world = await World.open({ seeds: "http://a.test/", answer, store, config: { maxWait: "1h" } });
  await world.clock.advance(200);
  expect(await attemptsOf(store, SLOW[5])).toBe(1);
  expect(await world.finish()).toMatchObject({ left: 0, stopped: null, failed: 0, retries: 0 });
  const suspects = world.starts.filter(({ url }) => journal.includes(url) && !url.endsWith("robots.txt"));
  expect(suspects.length).toBe(journal.length);
  for (let n = 1; n < suspects.length; n++) {
    const took = answer(suspects[n - 1]).kind === "response" ? (SLOW.includes(suspects[n - 1].url) ? 4_000 : 60_000) : 0;
    expect(suspects[n].at - suspects[n - 1].at, `${suspects[n].url} waits for ${suspects[n - 1].url}`).toBeGreaterThanOrEqual(
      suspects[n - 1].url === POISON || SLOW.includes(suspects[n - 1].url) ? took : 300,
    );
  }
  const others = world.starts.filter(({ host, url }) => host === "a.test" && !journal.includes(url));
  expect(Math.max(...others.map(({ at }) => at)), "the others are done long before").toBeLessThan(15_000);
  const rows = await world.settled();
  expect(new Set(rows.map(({ url }) => url)).size).toBe(rows.length);
});

test("a URL that was in flight at three unclean ends is a dead letter with its cause, and everything else is fetched", async () => {
  const store = new MemoryStore();
  for (let crash = 1; crash <= 3; crash++) {
    // Later each time: the others have had their turn by then.
    const world = await killedAfter(store, 30_000);
    expect(world.starts.filter(({ url }) => url === POISON).length, `run ${crash}`).toBe(1);
  }
  const last = await World.open({ seeds: "http://a.test/", answer, store });
  expect(await last.finish()).toMatchObject({ left: 0, stopped: null, failed: 1 });
  expect(last.starts.map(({ url }) => url)).not.toContain(POISON);
  const [dead] = await store.current("failed", -1, 10);
  expect(dead).toMatchObject({ url: POISON, outcome: "failed", code: "crashed", attempts: 3 });
  expect((await store.current("pages", -1, 100)).length).toBe(37);
  expect((await last.settled()).filter(({ url }) => pathOf(url) === "/slow").length).toBe(6);
});

test("a clean end counts for nothing", async () => {
  const store = new MemoryStore();
  for (let stops = 0; stops < 4; stops++) {
    const world = await World.open({ seeds: "http://a.test/", answer, store });
    await world.clock.advance(20_000);
    world.run.stop();
    await world.finish();
    expect(await attemptsOf(store, POISON)).toBe(0);
  }
});
