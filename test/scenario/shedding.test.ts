import { expect, test } from "vitest";
import { indexWithoutRates } from "../../src/flow/shedder.ts";
import type { Millis, UrlId } from "../../src/kernel/units.ts";
import type { Valuation } from "../../src/ports/valuation.ts";
import { openPipeline, page, pathOf } from "./world.ts";

// Continuous work under overload, with the real frontier, limiters and stages on virtual time. Values come through the port.

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;

/** Value × (1 − (1 + λt)·e^(−λt)) / λ at cost 1, t since the last visit: the index of scheduling.md §0.1. */
class Worth implements Valuation {
  readonly visitedAt = new Map<UrlId, Millis>();
  readonly kindOf: (id: UrlId) => { valueClass: number; perHour: number; revisit: Millis; reserve?: boolean };
  constructor(kindOf: Worth["kindOf"]) {
    this.kindOf = kindOf;
  }
  valueClass(id: UrlId): number {
    return this.kindOf(id).valueClass;
  }
  index(id: UrlId, now: Millis): number {
    const { valueClass, perHour } = this.kindOf(id);
    const hours = (now - (this.visitedAt.get(id) ?? 0)) / HOUR + 1e-3;
    return ([1, 3, 10, 30][valueClass - 1] * (1 - (1 + perHour * hours) * Math.exp(-perHour * hours))) / perHour + 1e-9;
  }
  revisit(id: UrlId): Millis {
    return this.kindOf(id).revisit;
  }
  isReserve(id: UrlId): boolean {
    return this.kindOf(id).reserve ?? false;
  }
}

const PRICE = { valueClass: 3, perHour: 6, revisit: 5 * MINUTE };
const ARCHIVE = { valueClass: 1, perHour: 1 / 8_760, revisit: 20 * MINUTE };

test("prices outlive archives under overload; what was deferred is counted, and made within two cycles of its end", async () => {
  // 240 price pages and 4,800 archive pages on forty hosts; at first a page takes 4 s, so that a fifth of what is due can be served.
  let ttfb = 4_000;
  const visits = new Map<string, Millis[]>();
  const kinds = new Map<UrlId, typeof PRICE>();
  const worth = new Worth((id) => kinds.get(id) ?? ARCHIVE);
  const seeds = Array.from({ length: 40 }, (_, n) => `http://h${n}.test/`);
  const urls = seeds.flatMap((seed) => [
    ...Array.from({ length: 6 }, (_, n) => `${seed}price/${n}`),
    ...Array.from({ length: 120 }, (_, n) => `${seed}archive/${n}`),
  ]);
  const { clock, pipeline } = await openPipeline({
    seeds,
    answer: ({ url, at }) => {
      const before = visits.get(url);
      if (before === undefined) visits.set(url, [at]);
      else before.push(at);
      worth.visitedAt.set(pipeline.frontier.find(url), at);
      return page(pathOf(url), [], ttfb);
    },
    config: { concurrency: 8, robots: "ignore" },
    continuous: { valuation: worth },
  });
  for (const url of urls) {
    const id = pipeline.frontier.discoverText(url, 1, "link");
    if (url.includes("/price/")) kinds.set(id, PRICE);
  }
  await clock.advance(90 * MINUTE);
  const sheds = pipeline.tally.sheds.get("ready") ?? 0;
  expect(sheds).toBeGreaterThan(1_000);
  expect(pipeline.continuous?.shedder.level).toBeGreaterThan(0.2);
  // In the last hour of the overload each price page was refreshed again and again, and most archive pages were not.
  const since = clock.now() - 60 * MINUTE;
  const made = (part: string) => {
    const of = urls.filter((url) => url.includes(part));
    return of.reduce((sum, url) => sum + (visits.get(url) ?? []).filter((at) => at >= since).length, 0) / of.length;
  };
  expect(made("/price/")).toBeGreaterThan(5);
  expect(made("/archive/")).toBeLessThan(1);
  // The overload ends: within two cycles of each page every page has been visited, those never seen until now too.
  ttfb = 20;
  const end = clock.now();
  await clock.advance(2 * ARCHIVE.revisit + MINUTE);
  const missed = urls.filter((url) => !(visits.get(url) ?? []).some((at) => at >= end));
  expect(missed).toEqual([]);
  pipeline.abort();
}, 60_000);

test("a crawl has no shedder, whatever waits", async () => {
  const { clock, pipeline } = await openPipeline({ seeds: "http://a.test/", answer: ({ url }) => page(url, ["/1", "/2"], 60_000) });
  await clock.advance(10 * MINUTE);
  expect(pipeline.continuous).toBeNull();
  expect(pipeline.tally.sheds.size).toBe(0);
  pipeline.abort();
});

test("scenario 30: 1,000,000 low-value visits due, 1,000 high-value ones arrive: they wait less than 2 W, and the others are deferred and counted", async () => {
  const LOW = 1_000_000;
  const HIGH = 1_000;
  const HOSTS = 200;
  const arrived = new Map<string, Millis>();
  const waits: Millis[] = [];
  let lowMade = 0;
  const high = { valueClass: 4, perHour: 1, revisit: 24 * HOUR };
  const low = { valueClass: 1, perHour: 1e-4, revisit: 24 * HOUR };
  const valuation: Valuation = {
    valueClass: (id) => (id >= HOSTS && id < HOSTS + LOW ? low : high).valueClass,
    index: (id) => (id >= HOSTS && id < HOSTS + LOW ? indexWithoutRates(5, false) : indexWithoutRates(0, true)),
    revisit: () => 24 * HOUR,
    isReserve: () => false,
  };
  const seeds = Array.from({ length: HOSTS }, (_, n) => `http://h${n}.test/`);
  const { clock, pipeline } = await openPipeline({
    seeds,
    answer: ({ url, at }) => {
      const since = arrived.get(url);
      if (since !== undefined) waits.push(at - since);
      else lowMade += 1;
      return { ...page("same", [], 100), body: "<title>x</title>" } as ReturnType<typeof page>;
    },
    config: { concurrency: 8, robots: "ignore" },
    continuous: { valuation },
  });
  for (let n = 0; n < LOW; n++) pipeline.frontier.discoverText(`http://h${n % HOSTS}.test/low/${n}`, 5, "link");
  await clock.advance(60_000);
  for (let n = 0; n < HIGH; n++) {
    const url = `http://h${n % HOSTS}.test/high/${n}`;
    arrived.set(url, clock.now());
    pipeline.frontier.discoverText(url, 0, "link");
  }
  await clock.advance(60_000);
  waits.sort((a, b) => a - b);
  expect(waits).toHaveLength(HIGH);
  expect(waits[Math.floor(HIGH * 0.95)]).toBeLessThan(20_000);
  const sheds = [...pipeline.tally.sheds.values()].reduce((sum, count) => sum + count, 0);
  expect(sheds).toBeGreaterThan(LOW / 20);
  // Conserved: each low-value URL was visited, is deferred, waits, or is under way.
  const { later, left } = { later: pipeline.frontier.later, left: pipeline.frontier.left };
  expect(later + left).toBe(LOW + HIGH + HOSTS);
  expect(lowMade).toBeGreaterThan(1_000);
  pipeline.abort();
}, 120_000);
