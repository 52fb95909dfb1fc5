import { expect, test } from "vitest";
import { FairShare, type Pacemark } from "../../../src/flow/fair-share.ts";

const mark = (): Pacemark => ({ fetches: 0, meanTime: 0 });

test("a host far slower than the others leaves contended slots to them, and they none to it", () => {
  const share = new FairShare();
  const fast = mark();
  const slow = mark();
  for (let i = 0; i < 50; i++) share.ended(fast, 50);
  for (let i = 0; i < 3; i++) share.ended(slow, 2_000);
  expect([share.yields(slow), share.yields(fast)]).toEqual([true, false]);
});

test("a host alone, and one of many alike, yields nothing", () => {
  const share = new FairShare();
  const hosts = [mark(), mark(), mark()];
  for (let i = 0; i < 100; i++) for (const [at, host] of hosts.entries()) share.ended(host, 1_000 + 500 * at);
  expect(hosts.some((host) => share.yields(host))).toBe(false);
});
