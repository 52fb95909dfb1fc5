import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdaptiveLimiter } from "../../../../src/flow/adaptive-limiter.ts";
import { HOST_RETRIES, RetryBudget } from "../../../../src/flow/retry-budget.ts";
import { StoreUnavailable } from "../../../../src/kernel/errors.ts";
import { Fingerprinter } from "../../../../src/kernel/fingerprint.ts";
import { LinkResolver } from "../../../../src/kernel/link-resolver.ts";
import type { SkipReason } from "../../../../src/kernel/outcome.ts";
import type { Settlement, VisitRow } from "../../../../src/ports/store.ts";
import { MemoryStore } from "../../../../src/simulate/memory-store.ts";
import { VirtualClock } from "../../../../src/simulate/virtual-clock.ts";
import { Frontier } from "../../../../src/stages/frontier/frontier.ts";
import type { Host } from "../../../../src/stages/frontier/host.ts";
import { LEASED, RETRYING, SETTLED, SKIPPED, WAITING } from "../../../../src/stages/frontier/known-urls.ts";
import { RobotsGate } from "../../../../src/stages/frontier/robots-gate.ts";
import { StoreStage } from "../../../../src/stages/store/store-stage.ts";
import { settlement } from "../../../contract/store.contract.ts";
import { turn } from "../../../fixtures/turn.ts";

/** A store whose reads can fail. */
class DeafStore extends MemoryStore {
  deaf = false;
  override async visitRows(ids: readonly number[]): Promise<readonly VisitRow[]> {
    if (this.deaf) throw new StoreUnavailable("WEIR_STORE_FAILED", "cannot read");
    return super.visitRows(ids);
  }
  override urlTexts(ids: readonly number[]): readonly string[] {
    if (this.deaf) throw new StoreUnavailable("WEIR_STORE_FAILED", "cannot read");
    return super.urlTexts(ids);
  }
}

function setting(judge: (url: string, depth: number) => SkipReason | null = () => null, store = new DeafStore(), known = 0) {
  const clock = new VirtualClock(turn);
  const troubles: unknown[] = [];
  const offered: Host[] = [];
  const stage = new StoreStage(
    { store, clock, inFlight: () => [], onCommitted: () => undefined, onTrouble: () => undefined, onGivenUp: () => undefined },
    0,
    known,
  );
  const resolver = new LinkResolver();
  const frontier = new Frontier({
    clock,
    store,
    log: stage,
    resolver,
    fingerprinter: new Fingerprinter(resolver.words, [1, 2, 3, 4]),
    rules: { judge: (url, _host, depth) => judge(url, depth), crowds: () => false },
    newLimiter: () => new AdaptiveLimiter({ ceiling: 8, gap: 0 }),
    newBudget: () => new RetryBudget(HOST_RETRIES, 0),
    newRobots: () => new RobotsGate(false, "weir", 0),
    onWork: (host) => offered.push(host),
    onRead: (host) => offered.push(host),
    continuous: null,
    onStoreTrouble: (error) => troubles.push(error),
  });
  const link = (url: string, depth: number, nofollow = false): number =>
    frontier.discover(resolver.resolveString(url), depth, "link", nofollow);
  const settle = (row: VisitRow): void => {
    stage.settle({ ...settlement(stage.nextSeq(), row.id, { token: row.token }), extra: null } satisfies Settlement);
    frontier.settled(row.id, true);
  };
  /** Takes rows until none comes any more, waiting for those that have to be read. */
  const takeAll = async (host: Host): Promise<VisitRow[]> => {
    const rows: VisitRow[] = [];
    for (let tries = 0; tries < 3; tries++) {
      for (let row = frontier.take(host); row !== undefined; row = frontier.take(host)) {
        rows.push(row);
        tries = 0;
      }
      await clock.advance(100);
    }
    return rows;
  };
  return { clock, store, stage, frontier, troubles, offered, link, settle, takeAll };
}

describe("a URL that is discovered", () => {
  test("gets the next number, once, and waits on its host", () => {
    const { frontier, link, offered } = setting();
    expect([link("http://a.test/1", 1), link("http://b.test/1", 1), link("http://a.test/1", 1)]).toEqual([0, 1, 0]);
    expect([frontier.left, frontier.urls.size, frontier.hostCount]).toEqual([2, 2, 2]);
    expect(offered.map((host) => host.key)).toEqual(["a.test", "b.test"]);
    expect(frontier.take(frontier.hostOf("http://a.test/"))).toMatchObject({
      id: 0,
      url: "http://a.test/1",
      depth: 1,
      via: "link",
      token: 0,
      attempts: 0,
    });
  });

  test("is kept as skipped when the rules refuse it, and counts by its reason", () => {
    const { frontier, link } = setting((url) => (url.includes("out") ? "scope" : null));
    const id = link("http://out.test/", 1);
    expect([frontier.urls.skipReason(id), frontier.left, frontier.skips.get("scope")]).toEqual(["scope", 0, 1]);
  });

  test("by links that may not be followed is skipped until one that may comes along", () => {
    const { frontier, link } = setting();
    const id = link("http://a.test/x", 3, true);
    link("http://a.test/x", 2, true);
    expect([frontier.urls.skipReason(id), frontier.left]).toEqual(["nofollow", 0]);
    link("http://a.test/x", 9, false);
    expect([frontier.urls.state(id), frontier.left, frontier.skips.get("nofollow")]).toEqual([WAITING, 1, 0]);
    expect(frontier.urls.depth(id), "the least depth stays").toBe(2);
  });

  test("too deep is taken up when a nearer way to it is found", () => {
    const { frontier, link } = setting((_url, depth) => (depth > 2 ? "depth" : null));
    const id = link("http://a.test/x", 4);
    link("http://a.test/x", 3);
    expect(frontier.urls.skipReason(id)).toBe("depth");
    link("http://a.test/x", 2);
    expect([frontier.urls.skipReason(id), frontier.left]).toEqual([null, 1]);
  });

  test("again from nearer takes the lesser depth, and the store hears of it", async () => {
    const { clock, store, link } = setting();
    const id = link("http://a.test/x", 5);
    await clock.advance(100);
    link("http://a.test/x", 3);
    link("http://a.test/x", 4);
    await clock.advance(100);
    expect((await store.visitRows([id]))[0].depth).toBe(3);
  });

  test("that leads nowhere, out of scope or settled does not come back by another link", () => {
    const { frontier, link, settle } = setting((url) => (url.includes("out") ? "scope" : null));
    link("http://out.test/", 5);
    link("http://a.test/", 5);
    settle(frontier.take(frontier.hostOf("http://a.test/"))!);
    link("http://out.test/", 1);
    link("http://a.test/", 1);
    expect(frontier.left).toBe(0);
  });
});

describe("rows", () => {
  test("of a host come in the order of discovery, at most 64 of them read ahead", async () => {
    const { frontier, link, takeAll } = setting();
    const ids = Array.from({ length: 1_000 }, (_, index) => link(`http://a.test/${index}`, 1));
    const host = frontier.hostOf("http://a.test/");
    host.starts = 10;
    expect(host.waiting).toBe(1_000);
    const taken: VisitRow[] = [];
    for (let round = 0; round < 40 && taken.length < 1_000; round++) {
      expect(host.readyCount).toBeLessThanOrEqual(64);
      taken.push(...(await takeAll(host)));
    }
    expect(taken.map((row) => row.id)).toEqual(ids);
    expect(taken.map((row) => row.url)).toEqual(ids.map((_, index) => `http://a.test/${index}`));
    expect(ids.every((id) => frontier.urls.state(id) === LEASED)).toBe(true);
  });

  test("given back come first again, and never swell what is read ahead", async () => {
    const { clock, frontier, link, takeAll } = setting();
    for (let index = 0; index < 300; index++) link(`http://a.test/${index}`, 1);
    await clock.advance(100);
    const host = frontier.hostOf("http://a.test/");
    host.starts = 10;
    const rows = await takeAll(host);
    for (const row of rows.toReversed()) frontier.giveBack(host, row);
    expect(host.readyCount).toBeLessThanOrEqual(64);
    expect(host.waiting).toBe(300);
    expect((await takeAll(host)).map((row) => row.url).sort()).toEqual(rows.map((row) => row.url).sort());
  });

  test("that are to be tried again come back at their time, with attempts and a new token", async () => {
    const { clock, frontier, link, offered } = setting();
    const id = link("http://a.test/x", 1);
    const host = frontier.hostOf("http://a.test/x");
    frontier.reschedule(frontier.take(host)!, host, { attempts: 1, delay: 1_000, code: "timeout" }, 5_000);
    expect([frontier.urls.state(id), frontier.retrying, frontier.nextRetryAt, frontier.left]).toEqual([RETRYING, 1, 5_000, 1]);
    await clock.advance(4_999);
    frontier.wake(clock.now());
    expect(frontier.take(host)).toBeUndefined();
    await clock.advance(1);
    offered.length = 0;
    frontier.wake(clock.now());
    expect(offered).toEqual([host]);
    expect(frontier.take(host), "it has to be read").toBeUndefined();
    expect(frontier.reads).toBe(1);
    await clock.advance(100);
    expect(frontier.reads).toBe(0);
    expect(frontier.take(host)).toMatchObject({ id, attempts: 1, token: 1 });
  });

  test("of a redirect's target are leased at once, or name the reason against them", () => {
    const { frontier } = setting((url) => (url.includes("out") ? "scope" : null));
    expect(frontier.leaseNew("http://out.test/", 2)).toBe("scope");
    expect(frontier.leaseNew("http://a.test/", 2)).toMatchObject({ url: "http://a.test/", depth: 2, via: "redirect" });
    expect(frontier.find("http://a.test/")).toBe(1);
    expect(frontier.take(frontier.hostOf("http://a.test/"))).toBeUndefined();
    expect(frontier.left).toBe(1);
  });

  test("that cannot be read go back to where they were, and the host is offered for later", async () => {
    const { clock, store, frontier, link, troubles, offered, takeAll } = setting();
    const ids = Array.from({ length: 50 }, (_, index) => link(`http://a.test/${index}`, 1));
    await clock.advance(100);
    const host = frontier.hostOf("http://a.test/");
    store.deaf = true;
    const first = await takeAll(host);
    expect(troubles.length).toBeGreaterThan(0);
    expect(offered.at(-1)).toBe(host);
    expect(first.length + host.waiting).toBe(50);
    store.deaf = false;
    expect([...first, ...(await takeAll(host))].map((row) => row.id)).toEqual(ids);
  });
});

test("the scan rebuilds what waits, what comes back later and what is skipped", async () => {
  const first = setting((url) => (url.includes("out") ? "scope" : null));
  for (const url of ["http://a.test/done", "http://a.test/later", "http://a.test/waits", "http://out.test/"]) first.link(url, 1);
  const host = first.frontier.hostOf("http://a.test/");
  first.settle(first.frontier.take(host)!);
  first.frontier.reschedule(first.frontier.take(host)!, host, { attempts: 2, delay: 1_000, code: "timeout" }, 60_000);
  await first.clock.advance(100);

  const { frontier, clock, takeAll } = setting(() => null, first.store, 4);
  for (const row of await first.store.hosts()) frontier.loadHost(row.id, row.key);
  await first.store.scan((row) => frontier.load(row, row.pass < 1, first.clock.epoch(), clock.now()), new AbortController().signal);
  expect([frontier.left, frontier.retrying, frontier.hostCount, frontier.urls.size]).toEqual([2, 1, 2, 4]);
  expect([0, 1, 2, 3].map((id) => (frontier.urls.state(id) >= SKIPPED ? "skipped" : frontier.urls.state(id)))).toEqual([
    SETTLED,
    RETRYING,
    WAITING,
    "skipped",
  ]);
  expect(frontier.nextRetryAt).toBe(60_000 - 100);
  const again = frontier.hostOf("http://a.test/");
  expect((await takeAll(again)).map((row) => row.url)).toEqual(["http://a.test/waits"]);
  await clock.advance(60_000);
  frontier.wake(clock.now());
  expect(await takeAll(again)).toMatchObject([{ url: "http://a.test/later", attempts: 2, token: 1 }]);
});

test("whatever happens, each URL is in one place, none is lost, and each is settled once", async () => {
  const action = fc.record({
    kind: fc.constantFrom("link", "link", "link", "take", "take", "settle", "retry", "back", "wait", "deaf", "hears"),
    url: fc.nat({ max: 120 }),
    which: fc.nat({ max: 9 }),
    depth: fc.integer({ min: 0, max: 6 }),
    nofollow: fc.boolean(),
  });
  const property = fc.asyncProperty(fc.array(action, { maxLength: 150 }), async (actions) => {
    const { clock, store, frontier, link, settle } = setting((_url, depth) => (depth > 4 ? "depth" : null));
    const leased: { row: VisitRow; host: Host }[] = [];
    const settled = new Set<number>();
    const end = (row: VisitRow): void => {
      expect(settled.has(row.id), "settled once").toBe(false);
      settled.add(row.id);
      settle(row);
    };
    const host = (which: number): Host => frontier.hostOf(`http://h${which % 3}.test/`);
    for (const { kind, url, which, depth, nofollow } of actions) {
      if (kind === "link") link(`http://h${url % 3}.test/${url}`, depth, nofollow);
      else if (kind === "wait") {
        await clock.advance(which * 300);
        frontier.wake(clock.now());
      } else if (kind === "deaf" || kind === "hears") store.deaf = kind === "deaf";
      else if (kind === "take") {
        const row = frontier.take(host(which));
        if (row !== undefined) leased.push({ row, host: host(which) });
      } else if (leased[which] !== undefined) {
        const [one] = leased.splice(which, 1);
        if (kind === "settle") end(one.row);
        else if (kind === "retry") {
          const again = { attempts: one.row.attempts + 1, delay: 1_000, code: "timeout" };
          frontier.reschedule(one.row, one.host, again, depth * 400);
        } else frontier.giveBack(one.host, one.row);
      }
    }
    // Counts by state agree with the places.
    await clock.advance(100);
    const states = Array.from({ length: frontier.urls.size }, (_, id) => frontier.urls.state(id));
    const waiting = [0, 1, 2].reduce((sum, which) => sum + host(which).waiting, 0);
    expect(states.filter((state) => state === WAITING).length).toBe(waiting);
    expect(states.filter((state) => state === LEASED).length).toBe(leased.length);
    expect(states.filter((state) => state === RETRYING).length).toBe(frontier.retrying);
    expect(states.filter((state) => state === SETTLED).length).toBe(settled.size);
    expect(frontier.left).toBe(waiting + leased.length + frontier.retrying);
    // And everything can be brought to its end.
    store.deaf = false;
    for (const { row } of leased) end(row);
    for (let round = 0; round < 100 && frontier.left > 0; round++) {
      await clock.advance(500);
      frontier.wake(clock.now());
      for (const which of [0, 1, 2])
        for (let row = frontier.take(host(which)); row !== undefined; row = frontier.take(host(which))) end(row);
    }
    expect(frontier.left).toBe(0);
    await clock.advance(100);
    const rows = await store.settledAfter(0, 1_000);
    expect(rows.length).toBe(settled.size);
    for (let id = 0; id < frontier.urls.size; id++) expect(settled.has(id)).toBe(frontier.urls.state(id) < SKIPPED);
  });
  await fc.assert(property, { numRuns: 80 });
});
