import { expect, test } from "vitest";
import { FairShare, type Pacemark } from "../../../src/flow/fair-share.ts";

const mark = (): Pacemark => ({ fetches: 0, meanTime: 0 });

test("a host far slower than the others keeps one slot and leaves the rest", () => {
  const share = new FairShare();
  const fast = mark();
  const slow = mark();
  for (let i = 0; i < 50; i++) share.ended(fast, 50);
  for (let i = 0; i < 3; i++) share.ended(slow, 2_000);
  expect([share.yields(slow, 0), share.yields(slow, 1), share.yields(slow, 7)]).toEqual([false, true, true]);
  expect(share.yields(fast, 8)).toBe(false);
});

test("a host alone, and one of many alike, yields nothing", () => {
  const share = new FairShare();
  const hosts = [mark(), mark(), mark()];
  for (let i = 0; i < 100; i++) for (const [at, host] of hosts.entries()) share.ended(host, 1_000 + 500 * at);
  expect(hosts.some((host) => share.yields(host, 8))).toBe(false);
});

test("two fetches are no evidence", () => {
  const share = new FairShare();
  const fast = mark();
  const slow = mark();
  for (let i = 0; i < 50; i++) share.ended(fast, 10);
  share.ended(slow, 5_000);
  share.ended(slow, 5_000);
  expect(share.yields(slow, 2)).toBe(false);
});
