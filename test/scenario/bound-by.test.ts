import { expect, test } from "vitest";
import type { ScriptedAnswer } from "../../src/simulate/scripted-web.ts";
import { page, status, World } from "./world.ts";

// What the live line says holds the crawl back, where a person could take it for a standstill.

const REFUSED: ScriptedAnswer = { kind: "failure", code: "connect", phase: "connect", after: 10 };

test("a host that does not answer for its robots.txt is named as what is waited for", async () => {
  const world = await World.open({ seeds: "http://a.test/", answer: ({ url }) => page(url), robots: () => status(404, [], 5_000) });
  await world.clock.advance(1_000);
  expect(world.run.status()).toMatchObject({ inFlight: 1, boundBy: "host limits: 1 host waiting for robots.txt" });
  await world.finish();
});

test("URLs that wait for their retry are counted as that, not as no hosts at all", async () => {
  const world = await World.open({
    seeds: "http://a.test/",
    answer: ({ nth }) => (nth < 3 ? status(500) : page("a")),
    config: { retries: 5 },
  });
  for (let i = 0; i < 20; i++) {
    await world.clock.advance(100);
    expect(world.run.status().boundBy).not.toMatch(/\b0 hosts/);
  }
  await world.finish();
});

test("a host that cannot be reached is told at its first failure, once, and how it ends comes later", async () => {
  const world = await World.open({ seeds: "http://a.test/", answer: () => REFUSED, robots: () => REFUSED });
  await world.clock.advance(500);
  expect(world.warnings).toEqual([expect.stringMatching(/^a\.test cannot be reached: .+; it is tried again$/)]);
  await world.finish();
  expect(world.warnings).toHaveLength(1);
});

test("of many hosts that cannot be reached a few are told", async () => {
  const seeds = Array.from({ length: 30 }, (_, index) => `http://h${index}.test/`);
  const world = await World.open({ seeds, answer: () => REFUSED, robots: () => REFUSED, config: { retries: 1 } });
  await world.finish();
  expect(world.warnings).toHaveLength(5);
});

test("a host with a certificate that is refused is asked once, for it stays refused", async () => {
  const refused: ScriptedAnswer = { kind: "failure", code: "tls", phase: "tls", after: 10 };
  const world = await World.open({ seeds: "https://a.test/", answer: () => refused, robots: () => refused });
  expect(await world.finish()).toMatchObject({ failed: 1, fetches: 1 });
});
