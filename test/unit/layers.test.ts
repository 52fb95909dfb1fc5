import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// The checks are checked: a copy of their configuration beside a small tree with one fault of each kind.
const root = resolve(import.meta.dirname, "../..");
let copy = "";

const planted: Readonly<Record<string, string>> = {
  "src/stages/parse/p.ts": [
    'import { request } from "libsql";',
    'import { w } from "../../schedule/w.ts";',
    'import { f } from "../fetch/f.ts";',
    "export const p = [f, w, request];",
  ].join("\n"),
  "src/stages/fetch/f.ts": 'import type { G } from "./g.ts";\nexport const f = 1;\nexport type F = G;',
  "src/stages/fetch/g.ts": 'import type { F } from "./f.ts";\nexport type G = F | 1;',
  "src/stages/frontier/s.ts": 'import { w } from "../../schedule/w.ts";\nexport const s = w;',
  "src/schedule/w.ts": "export const w = 1;",
  "src/flow/x.ts": 'import { readFileSync } from "node:fs";\nimport { request } from "libsql";\nexport const x = [readFileSync, request];',
  "src/flow/time.ts": [
    "export const times = [Date.now(), new Date(), performance.now(), process.hrtime()];",
    "setTimeout(() => {}, Math.random());",
    "export const key = process.env.KEY;",
    "console.log(AbortSignal.timeout(1), fetch, crypto);",
  ].join("\n"),
  "src/flow/fine.ts": "export const fine = [new Date(5), Date.UTC(2000, 1), Math.max(1, 2)];",
  "src/adapters/a/a.ts": "export const a = Date.now();\nsetTimeout(() => console.log(process.env.A), 1);",
  "src/adapters/b/b.ts": 'import { a } from "../a/a.ts";\nexport const b = a;',
  "src/pipeline/z.ts": 'import { b } from "../adapters/b/b.ts";\nexport const z = b;',
};

const run = (program: string, args: readonly string[]): string => {
  try {
    return execFileSync(join(root, "node_modules/.bin", program), args, {
      cwd: copy,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
};

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "weir-layers-"));
  for (const name of ["biome.json", ".dependency-cruiser.cjs", "tsconfig.json", "package.json", "tools"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const [path, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), `${text}\n`);
  }
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("every planted fault between layers is reported, and nothing else", () => {
  const report = JSON.parse(run("depcruise", ["--config", ".dependency-cruiser.cjs", "--output-type", "json", "src"]));
  const found = report.summary.violations
    .filter((violation: { rule: { severity: string } }) => violation.rule.severity === "error")
    .map((violation: { rule: { name: string }; from: string }) => `${violation.rule.name} ${violation.from}`);
  expect([...new Set(found)].sort()).toEqual([
    "adapters-do-not-meet src/adapters/b/b.ts",
    "layer-pipeline src/pipeline/z.ts",
    "no-cycles src/stages/fetch/f.ts",
    "only-frontier-schedules src/stages/parse/p.ts",
    "packages-without-io src/stages/parse/p.ts",
    "pure-core-flow src/flow/x.ts",
    "stages-do-not-meet src/stages/parse/p.ts",
  ]);
});

test("ambient time, randomness, environment and console are errors outside adapters and cli", () => {
  const report = JSON.parse(run("biome", ["lint", "--reporter=json", "--max-diagnostics=none", "src"]));
  const lines = report.diagnostics
    .filter((diagnostic: { severity: string }) => diagnostic.severity === "error")
    .map((diagnostic: { location: { path: unknown; start: { line: number } } }) => {
      const { path, start } = diagnostic.location;
      return `${typeof path === "string" ? path : (path as { file: string }).file}:${start.line}`;
    });
  const perLine = Object.fromEntries(
    [...new Set<string>(lines)].sort().map((line) => [line, lines.filter((l: string) => l === line).length]),
  );
  expect(perLine).toEqual({ "src/flow/time.ts:1": 4, "src/flow/time.ts:2": 2, "src/flow/time.ts:3": 1, "src/flow/time.ts:4": 4 });
});
