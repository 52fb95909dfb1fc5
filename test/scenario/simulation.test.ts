import { expect, test, vi } from "vitest";
import { simulate } from "./simulated.ts";

vi.setConfig({ testTimeout: 240_000 });

const CAP = {
  hours: 0.05,
  crawler: { hostCeiling: 8 },
  hosts: [
    { name: "cap.example", service: { ms: 300, jitter: 0.3 }, tolerance: { concurrent: 4 } },
    { name: "queue.example", service: { ms: 100, workers: 2 } },
  ],
};

test("the same seed gives the same result to the last byte, another seed another one", async () => {
  const [one, same, other] = [await simulate(CAP), await simulate(CAP), await simulate(CAP, { seed: 2 })];
  expect(JSON.stringify(same)).toBe(JSON.stringify(one));
  expect(JSON.stringify(other)).not.toBe(JSON.stringify(one));
});

test("the result counts what the sites have seen", async () => {
  const result = await simulate(CAP);
  const [cap, queue] = result.hosts;
  expect(result).toMatchObject({ seed: 1, seconds: 180, lost: 0 });
  expect(result.settled).toBeGreaterThan(0);
  for (const host of [cap, queue]) {
    expect(host.starts - host.ok - host.rejects - host.timeouts - host.errors).toBeLessThanOrEqual(8);
    expect(host.okPerSecond).toBeCloseTo(host.ok / 180, 3);
    expect(host.limit.length).toBe(18);
  }
  expect(cap.p50Ms).toBeGreaterThan(280);
  expect(cap.p50Ms).toBeLessThan(320);
  expect(queue.okPerSecond).toBeGreaterThan(14);
  for (const { peak, bound } of result.queues) expect(peak).toBeLessThanOrEqual(bound);
});

test("a site of a few pages is crawled to its end, each page once", async () => {
  const result = await simulate({ hours: 0.1, hosts: [{ name: "small.example", pages: 100, service: { ms: 50 } }] });
  expect(result.hosts[0]).toMatchObject({ starts: 100, ok: 100 });
  expect(result).toMatchObject({ settled: 100, waiting: 0, lost: 0 });
});

test("a host that refuses nearly all never runs out of pages to ask for", async () => {
  const file = { hours: 0.2, hosts: [{ name: "no.example", service: { ms: 100 }, tolerance: { concurrent: 0 } }] };
  const result = await simulate(file);
  expect(result.hosts[0].ok).toBe(0);
  expect(result.waiting).toBeGreaterThan(100);
  expect(result.lost).toBe(0);
});
