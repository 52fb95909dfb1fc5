import { expect, test } from "vitest";
import type { HostLine, HostsReport } from "../../../src/app/hosts.ts";
import { hostsText, whyText } from "../../../src/cli/hosts.ts";
import { fitted } from "../../../src/cli/watch.ts";
import { WHY_WAITING } from "../../../src/pipeline/host-view.ts";

const row: HostLine = {
  host: "slow.example",
  waiting: 1_203,
  inFlight: 0,
  limit: 0.5,
  ceiling: 8,
  gateUntil: 20_000,
  gateCause: "throttle",
  halfOpen: false,
  delay: 0,
  health: 0.41,
  healthState: "straining",
  lastRefusal: null,
  lastRefusalAt: null,
  cuts: 3,
  retryShare: 0.12,
  starts: 40,
  meanTime: 250,
  provider: null,
  providerRefusal: null,
  reason: "gate",
  nextAt: 20_000,
};
const report: HostsReport = {
  store: "weir.db",
  running: true,
  age: 0,
  view: {
    at: 8_000,
    hosts: 3,
    reasons: { "its turn": 1, gate: 2 },
    rows: [row, { ...row, host: "b.example", reason: null, gateUntil: null, cuts: 0, retryShare: 0 }],
  },
};

test("a row says until when, why, how often cut and how much is tried again", () => {
  expect(whyText(row, 8_000)).toBe("gate: backing off for 12s after throttle; 3 cuts; health 0.41: straining; 12 % retries");
  expect(whyText({ ...row, reason: null, cuts: 0, retryShare: 0, healthState: "healthy" }, 8_000)).toBe("nothing waits");
});

test("every reason is explained in words, its name first", () => {
  for (const reason of WHY_WAITING)
    expect(whyText({ ...row, reason, gateUntil: null, nextAt: null }, 8_000)).toMatch(new RegExp(`^${reason}:? .{8,}`));
});

test("the first line counts hosts by reason, the table stands in columns, and what is not shown is counted", () => {
  const lines = hostsText(report, { top: 2, by: "waiting" }, 8_000).split("\n");
  expect(lines[0]).toBe("weir.db: 3 hosts, 3 with work: 2 gate, 1 its turn");
  expect(lines[2].indexOf("gate:")).toBe(lines[1].indexOf("why not served"));
  expect(lines.at(-1)).toContain("and 1 more");
});

test("a snapshot is told with its age, and a host that was never asked for as that", () => {
  expect(hostsText({ ...report, running: false, age: 65_000 }, { top: 2, by: "waiting" }, 73_000)).toContain(
    "its last snapshot, 1m 5s old",
  );
  const none = { ...report, view: { at: 0, hosts: 3, reasons: {}, rows: [] } };
  expect(hostsText(none, { top: 1, by: "waiting", host: "x.example" }, 0)).toContain("x.example was never given any work");
  expect(hostsText({ ...report, view: null }, { top: 1, by: "waiting" }, 0)).toContain("no crawl has run here yet");
});

test("control characters of a host's name do not reach the terminal", () => {
  const hostile = { ...report, view: { at: 0, hosts: 1, reasons: {}, rows: [{ ...row, host: "a\u001b[2Jb" }] } };
  expect(hostsText(hostile, { top: 1, by: "waiting" }, 0)).not.toContain("\u001b");
});

test("what is rewritten in place fits the terminal", () => {
  const text = Array.from({ length: 50 }, (_, n) => `${n} ${"x".repeat(200)}`).join("\n");
  const lines = fitted(text, 20, 80).split("\n");
  expect(lines).toHaveLength(19);
  expect(Math.max(...lines.map((line) => line.length))).toBe(80);
  expect(lines.at(-1)).toBe("… 32 lines more");
});
