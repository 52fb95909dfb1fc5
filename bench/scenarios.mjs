// The overload scenarios on virtual time, seeds 1 to 5, as one table: least and most of each figure.
// node bench/scenarios.mjs [seeds, default 1,2,3,4,5]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "weir-scenarios-"));
const file = join(folder, "figures.jsonl");
const run = spawnSync(
  "npx",
  [
    "vitest",
    "run",
    "--project",
    "scenario",
    "test/scenario/overload",
    "test/scenario/metastability",
    "test/scenario/api-provider",
    "--testTimeout",
    "600000",
  ],
  {
    env: { ...process.env, WEIR_SEEDS: process.argv[2] ?? "1,2,3,4,5", WEIR_FIGURES: file },
    stdio: ["ignore", "inherit", "inherit"],
  },
);
const rows = new Map();
for (const line of readFileSync(file, "utf8")
  .split("\n")
  .filter((text) => text !== "")) {
  const { scenario, seed, values } = JSON.parse(line);
  const row = rows.get(scenario) ?? { seeds: new Set(), values: new Map() };
  row.seeds.add(seed);
  for (const [name, value] of Object.entries(values)) row.values.set(name, [...(row.values.get(name) ?? []), value]);
  rows.set(scenario, row);
}
rmSync(folder, { recursive: true });

const short = (value) => String(Number(value.toPrecision(3)));
const shown = (values) => {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(short);
  return least === most ? least : `${least} to ${most}`;
};
console.log("| scenario | seeds | figures (least to most) |\n|---|---|---|");
for (const [scenario, { seeds, values }] of [...rows].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))) {
  const figures = [...values].map(([name, all]) => `${name} ${shown(all)}`).join(", ");
  console.log(`| ${scenario} | ${[...seeds].sort().join(",")} | ${figures} |`);
}
process.exitCode = run.status ?? 1;
