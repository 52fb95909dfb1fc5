import { expect, test } from "vitest";
import type { CrawlSummary } from "../../../src/app/crawl-types.ts";
import { exitCodeOf, nothingFetched, summaryText } from "../../../src/cli/summary.ts";
import { BYTE_CAUSES, type ByteCause } from "../../../src/kernel/byte-cause.ts";

const NO_BYTES = Object.fromEntries(BYTE_CAUSES.map((cause) => [cause, 0])) as Record<ByteCause, number>;
const summary: CrawlSummary = {
  pages: 10,
  failed: 1,
  blocked: 0,
  skipped: { robots: 2 },
  changed: 0,
  unchanged: 0,
  new: 10,
  fetches: 13,
  retries: 1,
  retryShare: 1 / 13,
  bytesWire: 1_234_567,
  bytesByCause: { ...NO_BYTES, pages: 1_000_000, headers: 200_000, handshakes: 34_567 },
  cost: 0,
  hosts: 1,
  sheds: {},
  seconds: 2.5,
  pagesPerSecond: 4,
  peakRssBytes: 100_000_000,
  boundBy: { "host limits": 2, parse: 0.1 },
  stopped: null,
  left: 0,
};

test.each([
  [null, 0],
  ["max-pages", 3],
  ["max-bytes", 3],
  ["max-time", 3],
  ["max-wait", 3],
  ["user", 130],
  ["store", 1],
  ["consumer", 1],
] as const)("a crawl stopped by %s ends with %d", (stopped, code) => {
  expect(exitCodeOf({ ...summary, stopped })).toBe(code);
});

test("when nothing could be fetched the exit code says so", () => {
  const nothing = { ...summary, pages: 0, new: 0 };
  expect(exitCodeOf(nothing)).toBe(1);
  expect(exitCodeOf({ ...nothing, failed: 0, fetches: 1 })).toBe(1);
  expect(nothingFetched({ ...nothing, failed: 0, fetches: 0, skipped: {} })).toBe(false);
  expect(exitCodeOf({ ...nothing, stopped: "max-wait", left: 5 })).toBe(3);
});

test("the summary names what is left and how to go on", () => {
  const text = summaryText({ ...summary, stopped: "user", left: 1234 }, "/tmp/weir.db");
  expect(text).toContain("Stopped by you");
  expect(text).toContain("1,234 URLs left");
  expect(text).toContain("skipped: robots 2");
  expect(text).toContain("bytes: pages 81 %, headers 16 %, handshakes 3 %");
  expect(text).toContain("bound by: host limits 80 %, parse 4 %");
});

test("what was blocked, and a provider that refused, are named at the end", () => {
  const proxy = {
    calls: 6,
    refused: 6,
    credits: 0,
    bytes: 0,
    cost: 0,
    inFlight: 0,
    limit: 1,
    waiting: 1,
    shut: null,
    resetAt: null,
    left: null,
  };
  const text = summaryText({ ...summary, blocked: 4, providers: { proxy } as never }, "./s.db");
  expect(text).toContain("failed 1, blocked 4;");
  expect(text).toContain("weir export --what failed names");
  expect(text).toContain("proxy itself refused or was not reached: 6 times");
});
