import { expect, test } from "vitest";
import { MINUTE, play } from "./overload.ts";

const HOSTS = [{ name: "site.example", count: 12, service: { ms: 300, jitter: 0.3 } }];

test("a provider's plan that nobody has told is found out and kept, and no host pays for it", async () => {
  const played = await play({ provider: { concurrency: 8 }, hosts: HOSTS }, 1);
  await played.simulation.advance(10 * MINUTE);
  const result = await played.end();
  expect(result.provider?.mostInFlight).toBe(8);
  expect(result.provider?.busy).toBeGreaterThan(0);
  expect(result.provider?.busy).toBeLessThan(0.05 * (result.provider?.calls ?? 0));
  expect(result.hosts.every(({ rejects, timeouts }) => rejects + timeouts === 0)).toBe(true);
  expect(played.cutsOf("1.site.example")).toBe(0);
});

test.each(["provider", "credits"])(
  "a fault of kind %s for a minute: the crawl is back within a minute, and no URL is lost",
  async (kind) => {
    const file = { provider: { concurrency: 8, told: 8 }, hosts: HOSTS, faults: [{ kind, atMinutes: 2, seconds: 60 }] };
    const played = await play(file, 1);
    await played.simulation.advance(5 * MINUTE);
    const before = played.goodput(1 * MINUTE, 2 * MINUTE);
    expect(before).toBeGreaterThan(5);
    expect(played.goodput(2 * MINUTE + 1_000, 3 * MINUTE)).toBe(0);
    expect(played.goodput(4 * MINUTE, 5 * MINUTE) / before).toBeGreaterThanOrEqual(0.9);
    const result = await played.end();
    expect(result.retryShare).toBe(0);
    if (kind === "credits") expect(result.provider?.exhausted).toBeLessThanOrEqual(8);
  },
);
