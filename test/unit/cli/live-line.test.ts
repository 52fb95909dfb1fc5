import { expect, test } from "vitest";
import type { CrawlStatus } from "../../../src/app/crawl-types.ts";
import { liveLine } from "../../../src/cli/live-line.ts";
import { statusText } from "../../../src/cli/status.ts";

const status: CrawlStatus = {
  state: "running",
  pid: 42,
  startedAt: 1_000_000,
  at: 1_125_000,
  pages: 12_345,
  pagesPerSecond: 98.76,
  inFlight: 12,
  waiting: 3400,
  changedShare: 0.123,
  errors: 3,
  retryShare: 0.004,
  bytesWire: 45_200_000,
  timeLeft: 125_000,
  boundBy: "host limits: 3 hosts backing off",
  boundByCause: "host limits",
  helps: "adding workers does nothing",
  alarms: [],
  stages: null,
  refusals: {},
  successShare: null,
  sinceChange: null,
  deadLetters: 0,
  costPerPage: null,
  sheds: {},
  known: 20_000,
  hosts: 2,
  outcomes: { new: 12_000, failed: 3 },
  skipped: { robots: 7 },
  waitingHosts: [
    { host: "slow.example", waiting: 3000, inFlight: 1, reason: "gate", nextAt: 1_131_000, provider: null, providerRefusal: null },
  ],
};

test("the live line has what cli.md lists, in its order", () => {
  expect(liveLine(status)).toBe(
    "12,345 pages · 98.8/s · 12 in flight · 3,400 waiting · 12 % changed · 3 errors · <1 % retries · 45.2 MB · 2m 5s left · bound by: host limits: 3 hosts backing off",
  );
});

test("what is not known is left out", () => {
  const line = liveLine({ ...status, changedShare: null, timeLeft: null });
  expect(line).not.toContain("changed");
  expect(line).not.toContain("left");
});

test("a long start-up scan shows how far it is", () => {
  expect(liveLine({ ...status, state: "scanning", scanned: { done: 250_000, total: 1_000_000 } })).toBe(
    "reading the store: 250,000 of 1,000,000 URLs",
  );
});

test("status tells a running crawl from a snapshot and its age", () => {
  const running = statusText({ store: "s.db", running: true, age: 0, status }, 1_126_000);
  expect(running).toContain("s.db: running, process 42, for 2m 6s");
  expect(running).toContain("slow.example: 3,000 waiting, 1 in flight, gate, next in 5s");
  expect(running).toContain("settled: new 12,000, failed 3; skipped: robots 7");
  expect(statusText({ store: "s.db", running: false, age: 7_260_000, status }, 0)).toContain("last snapshot, 2h 1m old");
  expect(statusText({ store: "s.db", running: false, age: 0, status: null }, 0)).toContain("no crawl has run here yet");
});

test("a host's name can't drive the terminal", () => {
  const hostile = { ...status, waitingHosts: [{ ...status.waitingHosts[0], host: "a\u001b[2Jb" }] };
  expect(statusText({ store: "s.db", running: true, age: 0, status: hostile }, 1_126_000)).not.toContain("\u001b");
});
