import { expect, test } from "vitest";
import { seededRandom } from "../../src/simulate/random.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { page, pathOf, status, tree, World } from "./world.ts";

const HOSTS = 10;
const PAGES = 400;
const MINUTE = 60_000;
const [FROM, TO] = [20_000, 20_000 + 5 * MINUTE];

/** Scenario 21: three of ten hosts fail for five minutes, in every way that another attempt can mend. */
function storm(seed: number): (call: ScriptedCall) => ScriptedAnswer {
  const random = seededRandom(seed * 31);
  return (call) => {
    const host = Number(call.host.slice(1, -5));
    if (host >= 3 || call.at < FROM || call.at >= TO) return tree(call, PAGES, 4, 500 + 200 * random());
    const draw = random();
    if (draw < 0.6) return status(500);
    if (draw < 0.8) return status(503);
    return { kind: "failure", code: "connect", phase: "connect", after: 100 };
  };
}

/** Requests and retries up to each start, as the sites see them. */
class Seen {
  readonly #starts: readonly ScriptedCall[];
  constructor(starts: readonly ScriptedCall[]) {
    this.#starts = starts;
  }
  share(now: number): { readonly starts: number; readonly share: number } {
    const recent = this.#starts.filter(({ at }) => at > now - MINUTE && at <= now);
    return { starts: recent.length, share: recent.filter(({ nth }) => nth > 1).length / Math.max(1, recent.length) };
  }
}

for (let seed = 1; seed <= 5; seed++)
  test(`three of ten hosts fail for five minutes: retries keep to their budget, their share is known, nothing is lost (seed ${seed})`, async () => {
    const world = await World.open({
      seeds: Array.from({ length: HOSTS }, (_, n) => `http://h${n}.test/`),
      config: { maxWait: "1h", hosts: { ceiling: 2 } },
      answer: storm(seed),
      seed,
    });
    const seen = new Seen(world.starts);
    let worst = 0;
    for (let minute = 0; minute < 32; minute++) {
      await world.clock.advance(15_000);
      const { starts, share } = seen.share(world.clock.now());
      if (starts >= 100) worst = Math.max(worst, Math.abs(world.run.status().retryShare - share));
    }
    expect(worst).toBeLessThanOrEqual(0.01);
    const summary = await world.finish(100 * 60 * MINUTE);
    let [firsts, retries, over] = [0, 0, 0];
    for (const { nth, at } of world.starts) {
      if (nth > 1) retries += 1;
      else firsts += 1;
      over = Math.max(over, retries - (0.1 * firsts + at / 1_000 + 2 * HOSTS));
    }
    expect(over, "at no moment more than the budget").toBe(0);
    // The hosts' own budgets are tighter than the crawl's here: one a minute each, not one a second.
    expect(retries).toBeLessThanOrEqual(0.1 * firsts + HOSTS * (world.clock.now() / MINUTE + 2));
    expect(retries, "there was a storm").toBeGreaterThan(20);
    expect(summary).toMatchObject({ left: 0, stopped: null, retries });
    expect(summary.retryShare).toBeCloseTo(retries / (firsts + retries), 6);
    const rows = await world.settled();
    expect(new Set(rows.map(({ url }) => url)).size).toBe(rows.length);
    expect(rows.filter(({ url }) => Number(new URL(url).hostname.slice(1, -5)) >= 3).length).toBe(7 * PAGES);
  });

test("rows that wait for a token hold up neither the first attempts of their host nor those of others, and say what they wait for", async () => {
  // Every third page fails at first; pages are found as they come.
  const world = await World.open({
    seeds: "http://a.test/",
    config: { maxWait: "1h" },
    answer: (call) => {
      const n = Number(pathOf(call.url).slice(1));
      return n % 3 === 1 && call.nth === 1 ? status(500) : pathOf(call.url) === "/" ? page("/", links(90)) : page(call.url, [], 100);
    },
  });
  await world.clock.advance(120_000);
  const firsts = world.starts.filter(({ nth, url }) => nth === 1 && !url.endsWith("robots.txt"));
  expect(firsts.length, "all were asked for").toBe(91);
  const [host] = world.run.status().waitingHosts;
  expect(host).toMatchObject({ host: "a.test", reason: "retry budget", inFlight: 0 });
  expect(host.nextAt).not.toBeNull();
  const before = world.starts.length;
  await world.clock.advance(10 * MINUTE);
  expect(world.starts.length - before, "one a minute").toBe(10);
  expect(await world.finish(60 * MINUTE)).toMatchObject({ left: 0, stopped: null, failed: 0, pages: 91, retries: 30 });
});

test("a robots.txt that gives no answer is asked again after a delay, and what waits for it is not asked for", async () => {
  for (const code of [500, 502]) {
    const world = await World.open({
      seeds: "http://a.test/",
      config: { maxWait: "1h" },
      robots: () => status(code),
      answer: (call) => page(call.url),
    });
    await world.finish();
    const asked = world.starts.map(({ at }) => at);
    expect(world.starts.every(({ url }) => url.endsWith("/robots.txt"))).toBe(true);
    expect(asked.length).toBe(3);
    for (let n = 1; n < 3; n++) expect(asked[n] - asked[n - 1]).toBeGreaterThanOrEqual(1_000);
  }
});

test("retries that are too many for a minute are told once", async () => {
  // Many hosts with one page each, which fails twice: each pays with its burst, and what first attempts there are is little.
  const world = await World.open({
    seeds: Array.from({ length: 60 }, (_, n) => `http://h${n}.test/`),
    config: { maxWait: "1h", robots: "ignore" },
    answer: (call) => (call.nth <= 3 ? status(500) : page(call.url)),
  });
  await world.finish();
  expect(world.warnings.filter((text) => text.includes("Retries are"))).toHaveLength(1);
});

function links(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `/${n + 1}`);
}
