import { expect, test } from "vitest";
import { SEEDS } from "./overload.ts";
import { ScriptedApi } from "./scripted-api.ts";
import { openPipeline, page, pathOf, status, tree, World } from "./world.ts";

const PAID = ["p0.test", "p1.test", "p2.test", "p3.test", "p4.test", "p5.test"];
const byApi = (hosts: readonly string[]) => ({ overrides: Object.fromEntries(hosts.map((host) => [host, { provider: "api" }])) });
/** So that the name is one; the provider itself is the scripted one. */
const providers = { api: { kind: "scraping-api", request: "http://api.test/v1?url={url}" } } as const;
const seedsOf = (hosts: readonly string[]) => hosts.map((host) => `http://${host}/`);

/** A page of a site with `count` pages under its root. */
function site(url: string, count: number): { status: number; html: string } {
  const { host } = new URL(url);
  if (url.endsWith("/robots.txt")) return { status: 404, html: "" };
  const answer =
    pathOf(url) === "/"
      ? page(
          `${host} front`,
          Array.from({ length: count - 1 }, (_, n) => `/${n}`),
        )
      : page(`${host} ${pathOf(url)}`);
  return { status: 200, html: answer.kind === "response" ? String(answer.body) : "" };
}

test.each([...new Set([1, 2, 3, ...SEEDS])])(
  "22: refusals of the API move its own limit, those of a target that it reports move the target's, seed %d",
  async (seed) => {
    const api = new ScriptedApi({
      cap: 5,
      span: 1_000,
      target: (url) => (url.includes("angry.test") && /\/\d/.test(pathOf(url)) ? { status: 429, html: "" } : site(url, 80)),
    });
    const { clock, pipeline, store } = await openPipeline({
      seeds: [...seedsOf(PAID), "http://angry.test/", "http://free.test/"],
      seed,
      config: { providers, hosts: { ceiling: 16, ...byApi([...PAID, "angry.test"]) } },
      providers: (virtual) => [api.spec(virtual)],
      answer: (call) => tree(call, 400, 20, 200),
    });
    await clock.advance(120_000);
    const lane = pipeline.providers.named("api");
    expect(api.tooMany).toBeGreaterThan(0);
    expect(Math.abs((lane?.limiter.limit ?? 0) - 5)).toBeLessThanOrEqual(1);
    for (const host of pipeline.frontier.hosts()) expect(host.limiter.cuts > 0, host.key).toBe(host.key === "angry.test");
    const settled = await store.settledAfter(0, 10_000);
    const healthy = settled.filter((row) => !row.url.includes("angry.test"));
    expect(healthy.filter((row) => row.outcome === "new")).toHaveLength(PAID.length * 80 + 400);
    expect(
      settled.every((row) => row.attempts === 1),
      "no refusal is an attempt",
    ).toBe(true);
    expect(pipeline.tally.retriesStarted, "what the API has retried is not tried again").toBe(0);
    expect(api.mean(0, (api.calls.at(-1) ?? 0) + 1_000)).toBeGreaterThan(3.5);
  },
);

test.each(SEEDS)(
  "22: with an unknown plan the time-average is within 1 of it, and every page is fetched with no attempt charged (seed %i)",
  async (seed) => {
    const api = new ScriptedApi({ cap: 10, span: 2_000, target: (url) => site(url, 400) });
    const { clock, pipeline, store } = await openPipeline({
      seed,
      seeds: seedsOf(PAID),
      config: { providers, provider: "api", hosts: { ceiling: 16 } },
      providers: (virtual) => [api.spec(virtual)],
      answer: () => status(500),
    });
    let end = 0;
    for (let minute = 1; minute <= 30 && !pipeline.isIdle; minute++) {
      await clock.advance(60_000);
      end = clock.now();
    }
    expect(pipeline.isIdle).toBe(true);
    const last = Math.min(end, (api.calls.at(-1) ?? 0) + 2_000);
    expect(api.mean(0, last)).toBeGreaterThan(9);
    const settled = await store.settledAfter(0, 10_000);
    expect(settled.filter((row) => row.outcome === "new" && row.attempts === 1)).toHaveLength(PAID.length * 400);
    expect(settled.every((row) => row.provider === "api")).toBe(true);
  },
);

test.each(SEEDS)(
  "23: after the first 509 no paid call starts; direct work goes on; it resumes within 1 s of the reset (seed %i)",
  async (seed) => {
    const reset = 1_750_000_000_000 + 600_000;
    const api = new ScriptedApi({
      cap: 20,
      credits: 200,
      span: 2_000,
      target: (url) => site(url, 100),
      told: { concurrency: 20, resetAt: new Date(reset).toISOString() },
    });
    const world = await World.open({
      seed,
      seeds: [...seedsOf(PAID), "http://free.test/"],
      config: { providers, maxWait: "1h", hosts: { ceiling: 8, ...byApi(PAID) } },
      providers: (virtual) => [api.spec(virtual)],
      answer: (call) => tree(call, 4_000, 50, 500),
    });
    await world.clock.advance(500_000);
    const [first] = api.outOfCredits;
    const heard = first + 20;
    expect(first).toBeGreaterThan(0);
    const after = api.calls.filter((at) => at > heard);
    expect(after, "paid calls after the first 509 was heard").toEqual([]);
    expect(api.outOfCredits.length, "at most what was in flight was refused").toBeLessThanOrEqual(20);
    expect(world.run.status()).toMatchObject({ providers: { api: { shut: "credits", resumesAt: reset } } });
    expect(world.startsOf("free.test").filter((call) => call.at > heard + 60_000).length).toBeGreaterThan(500);

    api.credits = Number.POSITIVE_INFINITY;
    await world.clock.advance(101_500);
    const resumed = api.calls.find((at) => at > heard);
    expect(resumed).toBeGreaterThanOrEqual(600_000);
    expect(resumed).toBeLessThanOrEqual(601_000);
    const summary = await world.finish();
    expect(summary).toMatchObject({ pages: PAID.length * 100 + 4_000, failed: 0, retries: 0, left: 0, stopped: null });
    const settled = await world.settled();
    expect(settled.every((row) => row.attempts === 1)).toBe(true);
    expect(new Set(settled.map((row) => row.url)).size).toBe(settled.length);
    expect(summary.providers?.api).toMatchObject({ credits: api.charged, cost: api.charged * 1_000, shut: null });
    expect(
      world.starts.every((call) => call.host === "free.test"),
      "a target behind the API is never asked directly",
    ).toBe(true);
  },
);

test.each(SEEDS)("23: a top-up opens it within 1 s, and only what was bought is spent (seed %i)", async (seed) => {
  const api = new ScriptedApi({ cap: 20, credits: 100, span: 1_000, target: (url) => site(url, 100), told: { concurrency: 20 } });
  const world = await World.open({
    seed,
    seeds: seedsOf(PAID),
    config: { providers, provider: "api", maxWait: "1h" },
    providers: (virtual) => [api.spec(virtual)],
    answer: () => status(500),
  });
  await world.clock.advance(300_000);
  expect(api.charged).toBe(100);
  const before = api.calls.length;
  api.credits = 150;
  world.run.topUp("api", 150);
  await world.clock.advance(1_000);
  expect(api.calls.length).toBeGreaterThan(before);
  await world.clock.advance(299_000);
  expect(api.charged).toBe(250);
  expect(world.run.status()).toMatchObject({
    boundByCause: "credits",
    boundBy: "credits: api has none left; calls go on after weir topup api",
  });
  // Our own count said so: the API needed no second 509.
  expect(api.outOfCredits.filter((at) => at > 300_000)).toEqual([]);
  world.run.stop();
  await world.finish();
});

test("a stated balance is spent to the end and not beyond it; the pass ends by --max-wait and says when it goes on", async () => {
  const api = new ScriptedApi({
    cap: 10,
    credits: 1_000,
    span: 1_000,
    target: (url) => site(url, 100),
    told: { balance: 50, resetAt: "day" },
  });
  const world = await World.open({
    seeds: seedsOf(PAID.slice(0, 2)),
    config: { providers, provider: "api" },
    providers: (virtual) => [api.spec(virtual)],
    answer: () => status(500),
  });
  const summary = await world.finish();
  expect(api.charged).toBe(50);
  expect(summary).toMatchObject({ stopped: "max-wait", failed: 0 });
  expect(summary.left).toBeGreaterThan(0);
  expect(summary.providers?.api).toMatchObject({ left: 0, credits: 50, shut: "credits" });
  expect(summary.providers?.api.resumesAt).toBeGreaterThan(1_750_000_000_000);
  expect(world.warnings.join("\n")).toMatch(/api has no credits left; calls go on at 20\d\d-.*T00:00:00.000Z, or after weir topup api/);

  const again = await World.open({
    seeds: seedsOf(PAID.slice(0, 2)),
    store: world.store,
    config: { providers, provider: "api" },
    providers: (virtual) => [api.spec(virtual)],
    answer: () => status(500),
  });
  const next = await again.finish();
  expect(next).toMatchObject({ stopped: "max-wait", pages: 0 });
  expect(api.charged, "a restart knows that nothing is left").toBe(50);
});

test("an API that refuses our key is told once, and ends the pass at once", async () => {
  const world = await World.open({
    seeds: "http://p0.test/",
    config: { providers, provider: "api" },
    providers: (clock) => {
      const spec = new ScriptedApi({ cap: 1, span: 1, target: () => ({ status: 200, html: "" }) }).spec(clock);
      const { route } = spec;
      const refuse: typeof route.start = (request, done) =>
        route.start(request, ({ measure }) =>
          done({ kind: "refusal", by: "auth", message: "api: it answered 401", status: 401, retryAfter: null, resetAt: null, measure }),
        );
      return [
        {
          ...spec,
          route: {
            name: "api",
            start: refuse,
            resolve: route.resolve.bind(route),
            releaseBody: () => undefined,
            close: () => route.close(),
          },
        },
      ];
    },
    answer: () => status(500),
  });
  const summary = await world.finish(10_000);
  expect(summary).toMatchObject({ stopped: "max-wait", left: 1, failed: 0 });
  expect(summary.providers?.api).toMatchObject({ shut: "closed", calls: 1 });
  expect(world.warnings).toEqual(["Provider api refuses every call: api: it answered 401"]);
});

test("a page that the API can never fetch, while it fetches others, fails by itself and does not come back for ever", async () => {
  const api = new ScriptedApi({ cap: 5, span: 200, target: (url) => site(url, 12), broken: (url) => url.endsWith("/7") });
  const world = await World.open({
    seeds: seedsOf(PAID.slice(0, 2)),
    config: { providers, provider: "api" },
    providers: (virtual) => [api.spec(virtual)],
    answer: () => status(500),
  });
  const summary = await world.finish();
  expect(summary).toMatchObject({ pages: 22, failed: 2, left: 0, stopped: null, retries: 0 });
  expect((await world.settled()).filter((row) => row.outcome === "failed").map((row) => row.code)).toEqual(["proxy", "proxy"]);
  expect(api.urls.filter((url) => url.endsWith("p0.test/7")).length).toBeLessThanOrEqual(8);
});

test("where the API has followed a redirect within the host its answer is kept; elsewhere the target is asked for anew", async () => {
  const api = new ScriptedApi({
    cap: 5,
    span: 200,
    target: (url) => site(url, 3),
    movedTo: (url) => (url.endsWith("/0") ? "http://p0.test/new" : url.endsWith("/1") ? "http://p1.test/other" : url),
  });
  const world = await World.open({
    seeds: "http://p0.test/",
    config: { providers, provider: "api" },
    providers: (virtual) => [api.spec(virtual)],
    answer: () => status(500),
  });
  expect(await world.finish()).toMatchObject({ pages: 3, failed: 0, left: 0 });
  const rows = new Map((await world.settled()).map((row) => [row.url, row]));
  expect(rows.get("http://p0.test/0")).toMatchObject({ outcome: "redirect", finalUrl: "http://p0.test/new", status: null });
  expect(rows.get("http://p0.test/new")).toMatchObject({ outcome: "new" });
  expect(api.urls).not.toContain("http://p0.test/new");
  expect(rows.get("http://p0.test/1")).toMatchObject({ outcome: "redirect", finalUrl: "http://p1.test/other" });
  expect(api.urls).toContain("http://p1.test/other");
});
