import { expect, test } from "vitest";
import type { ScriptedAnswer } from "../../src/simulate/scripted-web.ts";
import { openPipeline, page, pathOf, status, tree, World } from "./world.ts";

const MINUTE = 60_000;

/** A page of a protection, served as if it were the one asked for. */
const challenge: ScriptedAnswer = {
  kind: "response",
  status: 200,
  headers: [["content-type", "text/html"]],
  body: `<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={cvId:'3'}</script></body></html>`,
  ttfb: 50,
};

test("a host that answers with a challenge is asked at most three times in ten minutes, and no record is made of it", async () => {
  const seeds = Array.from({ length: 20 }, (_, n) => `https://guarded.example/${n}`);
  const world = await World.open({ answer: () => challenge, seeds, config: { maxWait: "1h" } });
  await world.clock.advance(10 * MINUTE);
  expect(world.startsOf("guarded.example").length).toBeLessThanOrEqual(3);
  const settled = await world.settled();
  expect(settled.length).toBeGreaterThan(0);
  for (const row of settled) expect(row).toMatchObject({ outcome: "blocked", code: "challenge", page: null });
  world.run.stop();
  await world.finish();
});

test("a host that turns to challenges is hostile, and its health is below 0.3", async () => {
  let served = 0;
  const { clock, pipeline } = await openPipeline({
    answer: (call) => (served++ < 3 ? tree(call, 500, 6, 50) : challenge),
    seeds: "https://turning.example/",
  });
  await clock.advance(10 * MINUTE);
  const [host] = pipeline.frontier.hosts();
  expect(host.health.state(clock.now())).toBe("hostile");
  expect(host.health.score(clock.now())).toBeLessThan(0.3);
  expect(host.memory.lastRefusal).toMatchObject({ cause: "block", what: "challenge-page" });
  pipeline.abort();
});

test("a challenge in place of a known page keeps its good copy", async () => {
  const before = await World.open({ answer: () => page("home"), seeds: "https://turning.example/" });
  await before.finish();
  const { store } = before;
  const world = await World.open({ answer: () => challenge, seeds: "https://turning.example/", store });
  await world.finish();
  const [row] = (await world.settled()).slice(-1);
  expect(row).toMatchObject({ outcome: "blocked", code: "challenge" });
  expect((await store.current("pages", -1, 10)).map(({ page: kept }) => kept?.title)).toEqual(["home"]);
});

test("a 403 among successes is that page's alone; a site that turns to 403 is left alone", async () => {
  const calm = await World.open({
    answer: (call) => (pathOf(call.url) === "/7" ? status(403) : tree(call, 60, 6, 50)),
    seeds: "https://calm.example/",
  });
  await calm.finish();
  expect((await calm.settled()).filter(({ outcome }) => outcome === "blocked").map(({ url }) => pathOf(url))).toEqual(["/7"]);
  expect(calm.clock.now()).toBeLessThan(MINUTE);

  let served = 0;
  const turning = await World.open({
    answer: (call) => (served++ < 30 ? tree(call, 500, 6, 50) : status(403)),
    seeds: "https://turning.example/",
    config: { maxWait: "1h" },
  });
  await turning.clock.advance(10 * MINUTE);
  const refused = turning.starts.length - 31;
  expect(refused).toBeLessThanOrEqual(3 + 8 + 12);
  turning.run.stop();
  await turning.finish();
});

test("a server that says that nothing is left is not asked before its window ends", async () => {
  let used = 0;
  const world = await World.open({
    answer: (call) => {
      const answer = tree(call, 40, 4, 50);
      if (answer.kind !== "response" || ++used !== 10) return answer;
      return { ...answer, headers: [...(answer.headers ?? []), ["ratelimit", '"default";r=0;t=60']] };
    },
    seeds: "https://measured.example/",
  });
  await world.finish();
  const at = world.startsOf("measured.example").map((call) => call.at);
  const pauses = at.slice(1).map((time, n) => time - at[n]);
  expect(Math.max(...pauses)).toBeGreaterThanOrEqual(MINUTE - 1_000);
});
