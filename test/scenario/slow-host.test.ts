import { expect, test } from "vitest";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { page, tree, World } from "./world.ts";

const FAST = Array.from({ length: 20 }, (_, index) => `fast${index}.test`);
const SLOW_URLS = 20_000;

/** Starts of the fast hosts in the minute after the seed page, which names the slow host's URLs first. */
async function fastStarts(withSlow: boolean): Promise<number> {
  const slow = Array.from({ length: withSlow ? SLOW_URLS : 0 }, (_, index) => `http://slow.test/story/${index}`);
  const world = await World.open({
    seeds: "http://start.test/",
    config: { concurrency: 256 },
    answer: (call: ScriptedCall): ScriptedAnswer => {
      if (call.host === "start.test") return page("start", [...slow, ...FAST.map((host) => `http://${host}/`)]);
      if (call.host === "slow.test") return page(call.url, [], 2_000);
      return tree(call, 5_000, 20, 1_000);
    },
  });
  await world.clock.advance(60_000);
  const count = world.starts.filter((call) => call.host.startsWith("fast")).length;
  world.run.stop();
  await world.finish();
  return count;
}

test("a slow host with 20,000 URLs first in the frontier takes nothing from twenty fast ones", async () => {
  const alone = await fastStarts(false);
  const beside = await fastStarts(true);
  expect(alone).toBeGreaterThan(6_000);
  expect(beside / alone).toBeGreaterThanOrEqual(0.98);
}, 90_000);
