import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openWeb } from "../../../src/app/simulation/open-web.ts";
import { ConfigError } from "../../../src/kernel/errors.ts";
import type { Web } from "../../../src/simulate/web.ts";

function problemsOf(value: unknown): readonly string[] {
  try {
    openWeb(value, "web.json");
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path }) => path);
  }
}

test("a name and a time are enough", () => {
  const web: Web = openWeb({ hosts: [{ name: "a.example", service: { ms: 300 } }] }, "web.json");
  expect(web).toMatchObject({ hours: 1, seed: 1, faults: [] });
  expect(web.hosts[0].target.service).toMatchObject({ ms: 300, jitter: 0, workers: 0, slow: null, fails: null });
  expect(web.hosts[0].target.tolerance).toMatchObject({ concurrent: null, perSecond: null, answer: 429 });
});

test("the file of the manual is read as it stands", () => {
  const manual = readFileSync(new URL("../../../docs/simulation.md", import.meta.url), "utf8");
  const file = JSON.parse(/```json\n([\s\S]*?)```/.exec(manual)?.[1] ?? "");
  const web = openWeb(file, "web.json");
  expect(web.crawler).toEqual({ concurrency: 64, hostCeiling: 32, limiter: "weir" });
  expect(web.hosts[0].target.timeline).toEqual([{ atMinutes: 10, tolerance: { concurrent: 4 } }]);
  expect(web.hosts[0].target.service.slow).toEqual({ share: 0.1, ms: 4000 });
});

test("every example is usable", () => {
  const folder = new URL("../../../examples/simulate/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) openWeb(JSON.parse(readFileSync(new URL(name, folder), "utf8")), name);
});

test("what is wrong is told at once, each with its path", () => {
  const file = {
    hours: -1,
    crawler: { limiter: "x", speed: 1, timeout: "soon" },
    hosts: [
      { service: { ms: "x" }, tolerance: { answer: 400, concurrent: { from: 1 } }, timeline: [{ service: { bytes: 0.5 } }] },
      { name: "A b", service: { ms: 1, fails: { as: "odd" } }, more: 1 },
    ],
    faults: [{ kind: "x", atMinutes: 1 }],
  };
  expect(problemsOf(file)).toEqual([
    "hours",
    "crawler.limiter",
    "crawler.speed",
    "hosts[0].name",
    "hosts[0].service.ms",
    "hosts[0].tolerance.concurrent.to",
    "hosts[0].tolerance.concurrent.periodMinutes",
    "hosts[0].tolerance.answer",
    "hosts[0].timeline[0].atMinutes",
    "hosts[0].timeline[0].service.bytes",
    "hosts[1].name",
    "hosts[1].service.fails.as",
    "hosts[1].more",
    "faults[0].kind",
    "faults[0].seconds",
  ]);
  expect(problemsOf({ crawler: { timeout: "soon" }, hosts: [{ name: "a.example", service: { ms: 1 } }] })).toEqual(["crawler.timeout"]);
});

test("no host, two of one name, something else: told", () => {
  const host = { name: "a.example", service: { ms: 1 } };
  expect(problemsOf({})).toEqual(["hosts"]);
  expect(problemsOf({ hosts: [host, host] })).toEqual(["hosts"]);
  expect(problemsOf([])).toEqual(["(file)"]);
  expect(problemsOf({ hosts: {} })).toContain("hosts");
});

test("in a timeline null lifts a bound and an absent field stays", () => {
  const timeline = [{ atMinutes: 1, tolerance: { concurrent: null }, service: { slow: null } }];
  const web = openWeb({ hosts: [{ name: "a.example", service: { ms: 1 }, timeline }] }, "web.json");
  expect(web.hosts[0].target.timeline).toEqual([{ atMinutes: 1, tolerance: { concurrent: null }, service: { slow: null } }]);
});

test("the command line counts for the file", () => {
  const file = { hours: 2, seed: 7, hosts: [{ name: "a.example", service: { ms: 1 } }] };
  expect(openWeb(file, "web.json", { hours: 0.5, seed: 3, limiter: "aimd" })).toMatchObject({
    hours: 0.5,
    seed: 3,
    crawler: { limiter: "aimd" },
  });
});
