import { expect, test } from "vitest";
import { page, status, tree, World } from "./world.ts";

const HOSTS = ["busy.test", "calm0.test", "calm1.test", "calm2.test"];
const PAGES = 600;

test("429 with Retry-After closes the whole host and only it, one probe opens it again, and everything is fetched in the end", async () => {
  const opensAt = 40_000;
  const world = await World.open({
    seeds: HOSTS.map((host) => `http://${host}/`),
    answer: (call) => {
      if (call.host !== "busy.test" || call.at < 15_000 || call.at >= opensAt) return tree(call, PAGES, 10, 400);
      return status(429, [["retry-after", String(Math.ceil((opensAt - call.at) / 1000))]], 100);
    },
  });
  const summary = await world.finish();

  const busy = world.startsOf("busy.test").map((call) => call.at);
  const refusedAt = busy.find((at) => at >= 15_000)! + 100;
  const duringGate = busy.filter((at) => at > refusedAt && at < opensAt);
  expect(duringGate, "starts after the first 429 was read").toEqual([]);
  const after = busy.filter((at) => at >= opensAt);
  expect(after[1] - after[0], "the second start waits for the probe's answer").toBeGreaterThanOrEqual(400);
  expect(
    Math.max(
      ...world
        .startsOf("busy.test")
        .filter((call) => call.at >= opensAt)
        .map((call) => call.inFlight),
    ),
  ).toBeGreaterThan(1);

  for (const host of HOSTS.slice(1)) {
    const times = world.startsOf(host).map((call) => call.at);
    const gaps = times.slice(1).map((at, index) => at - times[index]);
    expect(Math.max(...gaps), `${host} is not held`).toBeLessThanOrEqual(1_000);
    expect(times.at(-1)).toBeLessThan(opensAt);
  }
  expect(summary).toMatchObject({ pages: HOSTS.length * PAGES, failed: 0, left: 0, stopped: null });
  const settled = await world.settled();
  expect(new Set(settled.map((row) => row.url)).size).toBe(settled.length);
});

test("a host that goes on refusing gets one probe at a time, further and further apart", async () => {
  const world = await World.open({
    seeds: "http://shut.test/",
    config: { retries: 7, maxWait: "1h" },
    answer: (call) =>
      call.at < 200
        ? page(
            "start",
            Array.from({ length: 50 }, (_, index) => `/${index}`),
            50,
          )
        : status(429, [], 100),
  });
  await world.clock.advance(60_000);
  const probes = world.startsOf("shut.test").filter((call) => call.at > 600);
  expect(Math.max(...probes.map((call) => call.inFlight))).toBe(1);
  expect(probes.length).toBeLessThanOrEqual(8);
  world.run.stop();
  await world.finish();
});

test("a robots.txt that cannot be had closes its host for the pass, and no other", async () => {
  const world = await World.open({
    seeds: ["http://closed.test/", "http://broken.test/", "http://open.test/"],
    robots: (call) => (call.host === "closed.test" ? status(503) : call.host === "broken.test" ? status(500) : status(404)),
    answer: (call) => tree(call, 100, 10, 100),
  });
  const summary = await world.finish();
  for (const host of ["closed.test", "broken.test"])
    expect(world.startsOf(host).every((call) => call.url.endsWith("/robots.txt"))).toBe(true);
  expect(world.startsOf("closed.test").length).toBeLessThanOrEqual(3);
  expect(summary.pages).toBe(100);
  const failed = (await world.settled()).filter((row) => row.outcome === "failed");
  expect(failed.map((row) => row.code)).toEqual(["robots-unavailable", "robots-unavailable"]);
});

test("a Crawl-delay is never undercut, across redirects and retries", async () => {
  const world = await World.open({
    seeds: ["http://paced.test/", "http://other.test/"],
    robots: () => ({ ...page("robots"), headers: [["content-type", "text/plain"]], body: "User-agent: *\nCrawl-delay: 2\n" }),
    answer: (call) => {
      if (call.host === "other.test") return status(302, [["location", `http://paced.test/from${call.url.length}`]]);
      if (call.url.endsWith("/7") && call.nth === 1) return status(500);
      return tree(call, 20, 3, 300);
    },
  });
  await world.finish();
  for (const host of ["paced.test", "other.test"]) {
    const times = world.startsOf(host).map((call) => call.at);
    const gaps = times.slice(2).map((at, index) => at - times[index + 1]);
    expect(Math.min(...gaps, Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(2_000);
  }
  expect(world.startsOf("paced.test").length).toBeGreaterThan(20);
});

test("a dead host ends the pass when the next try is too far away, and its URLs wait for the next run", async () => {
  const world = await World.open({
    seeds: ["http://dead.test/", "http://alive.test/"],
    config: { maxWait: "30s", retries: 20 },
    address: (name) =>
      name === "dead.test" ? { kind: "failed", code: "dns", after: 20 } : { kind: "resolved", addresses: [name], after: 5 },
    answer: (call) => tree(call, 50, 10, 200),
  });
  const summary = await world.finish();
  expect(summary).toMatchObject({ pages: 50, stopped: "max-wait", left: 1 });
  expect(world.startsOf("dead.test")).toEqual([]);
  expect(world.clock.now()).toBeLessThan(10 * 60_000);
});

test("a closed gate far in the future does not end the pass while another host's rows are being read or looked up", async () => {
  const world = await World.open({
    seeds: ["http://gated.test/", "http://late.test/"],
    config: { maxWait: "10s" },
    address: (name) => ({ kind: "resolved", addresses: [name], after: name === "late.test" ? 3_000 : 0 }),
    answer: (call) => (call.host === "gated.test" ? status(429, [["retry-after", "600"]]) : tree(call, 300, 299, 100)),
  });
  const summary = await world.finish();
  expect(summary).toMatchObject({ pages: 300, stopped: "max-wait", left: 1 });
});

test("requests that time out cost attempts and close the gate; the URL fails when its attempts are used up", async () => {
  const world = await World.open({
    seeds: ["http://mute.test/"],
    config: { retries: 2, timeout: "10s", maxWait: "1h" },
    answer: () => ({ kind: "failure", code: "timeout", phase: "headers", after: 9_000 }),
    robots: () => status(404),
  });
  const summary = await world.finish();
  expect(summary).toMatchObject({ failed: 1, retries: 2, left: 0 });
  expect((await world.settled())[0]).toMatchObject({ code: "timeout", attempts: 3 });
});
