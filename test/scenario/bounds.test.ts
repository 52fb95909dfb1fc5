import { expect, test } from "vitest";
import { openPipeline, page, pathOf, redirect, status, tree, World } from "./world.ts";

test("a site that redirects 5,000 URLs to one slow host keeps every queue at its bound", async () => {
  const { clock, pipeline, store } = await openPipeline({
    seeds: "http://many.test/",
    config: { hosts: { ceiling: 32 }, ipCeiling: 64 },
    answer: ({ url, host }) => {
      if (host === "slow.test") return page(url, [], 500);
      if (url.endsWith("/"))
        return page(
          "start",
          Array.from({ length: 5_000 }, (_, index) => `/${index}`),
        );
      return redirect(`http://slow.test${pathOf(url)}`, 20);
    },
  });
  let continuations = 0;
  let ready = 0;
  for (let step = 0; step < 4_000 && !pipeline.isIdle; step++) {
    await clock.advance(50);
    for (const host of pipeline.frontier.hosts()) {
      continuations = Math.max(continuations, host.continuations.length);
      ready = Math.max(ready, host.readyCount);
    }
  }
  expect(pipeline.isIdle).toBe(true);
  expect(continuations).toBeLessThanOrEqual(32);
  expect(ready, "64 a lane").toBeLessThanOrEqual(128);
  await clock.run(pipeline.flush(), 1_000);
  const settled = await store.settledAfter(0, 20_000);
  expect(settled.length).toBe(10_001);
  expect(new Set(settled.map((row) => row.id)).size).toBe(10_001);
});

test("forty bodies of 20 MB from twelve hosts at once: what is held stays within the bound and one body, and all are stored", async () => {
  const MiB = 1_048_576;
  const big = new Uint8Array(20_000_000).fill(0x20);
  const bound = 48 * MiB;
  const { clock, pipeline, route, store } = await openPipeline({
    seeds: Array.from({ length: 40 }, (_, index) => `http://host${index % 12}.test/${index}`),
    config: { maxBody: "32MiB", timeout: "60s" },
    parseBytes: bound,
    answer: () => ({ kind: "response", status: 200, headers: [["content-type", "text/html"]], body: big, ttfb: 100, transfer: 4_000 }),
  });
  let mostCharged = 0;
  let mostAtOnce = 0;
  for (let step = 0; step < 20_000 && !pipeline.isIdle; step++) {
    await clock.advance(20);
    mostCharged = Math.max(mostCharged, pipeline.parse.credits.heldBytes);
    mostAtOnce = Math.max(mostAtOnce, route.inFlight);
  }
  expect(pipeline.isIdle).toBe(true);
  expect(mostAtOnce, "they do come at once, from hosts not known yet one each").toBeGreaterThanOrEqual(12);
  expect(mostCharged).toBeLessThanOrEqual(bound + 4 * big.length);
  // Of each body, the first 256 KiB come on what the start has taken, whatever that is.
  expect(route.mostHeldBytes, "decoded bytes held").toBeLessThanOrEqual(bound / 4 + big.length + mostAtOnce * 262_144);
  expect(pipeline.parse.credits.heldItems).toBe(0);
  expect(pipeline.parse.credits.heldBytes).toBe(0);
  await clock.run(pipeline.flush(), 1_000);
  const settled = await store.settledAfter(0, 100);
  expect(settled.length).toBe(40);
  expect(
    settled.every((row) => row.bytesBody === big.length),
    "stored whole",
  ).toBe(true);
});

test("many hosts on one address: never more at once than the address may have, and every host gets its turn", async () => {
  const hosts = Array.from({ length: 60 }, (_, index) => `shared${index}.test`);
  let most = 0;
  let now = 0;
  const world = await World.open({
    // Those that will be refused have more to ask, so that they wait for the address when their gate closes.
    seeds: hosts.flatMap((host, index) =>
      index % 7 === 0 ? [`http://${host}/`, `http://${host}/1`, `http://${host}/2`] : [`http://${host}/`],
    ),
    config: { ipCeiling: 4, maxWait: "1h" },
    address: () => ({ kind: "resolved", addresses: ["192.0.2.1"], after: 1 }),
    answer: (call) => {
      now = Math.max(now, call.at);
      if (call.nth === 1 && Number(call.host.replace(/\D/g, "")) % 7 === 0) return status(429, [["retry-after", "90"]], 100);
      return tree(call, 12, 11, 100);
    },
  });
  for (let step = 0; step < 60_000 && world.run.status().state !== "done"; step += 10) {
    await world.clock.advance(10);
    most = Math.max(most, world.route.inFlight);
  }
  const calm = hosts.filter((_, index) => index % 7 !== 0);
  // 60 hosts × 13 requests of 100 ms, four at a time: 20 s. Those that wait for their gates hold nobody else.
  for (const host of calm) expect(world.startsOf(host).length, host).toBe(13);
  expect(world.starts.filter((call) => calm.includes(call.host)).at(-1)?.at).toBeLessThan(25_000);
  expect(most).toBeLessThanOrEqual(4);
  expect(await world.finish()).toMatchObject({ pages: 60 * 12, left: 0 });
});

test("a host whose gate closed while it waited for its address leaves the address to the others", async () => {
  const world = await World.open({
    seeds: ["http://gated.test/", "http://gated.test/1", "http://calm0.test/", "http://calm1.test/"],
    config: { ipCeiling: 1, maxWait: "1h" },
    address: () => ({ kind: "resolved", addresses: ["192.0.2.1"], after: 1 }),
    answer: (call) =>
      call.host === "gated.test" && call.at < 60_000 ? status(429, [["retry-after", "90"]], 100) : tree(call, 20, 19, 100),
  });
  await world.clock.advance(10_000);
  for (const host of ["calm0.test", "calm1.test"]) expect(world.startsOf(host).length, host).toBe(21);
  expect(await world.finish()).toMatchObject({ left: 0, failed: 0 });
});
