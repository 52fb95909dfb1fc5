// The goals of scheduling, on made-up pages: node bench/schedule.mjs [--seeds 5] [--pages 10000] [PART OF A NAME]. Ends with 1 below a bar.
import { parseArgs } from "node:util";
import { bestOf, oracleFreshness, runTrial } from "../dist/simulate/schedule-trial.js";

const { values, positionals } = parseArgs({
  options: { seeds: { type: "string", default: "5" }, pages: { type: "string", default: "10000" } },
  allowPositionals: true,
});
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
const pages = Number(values.pages);
const wanted = (name) => name.includes(positionals[0] ?? "");
const POPULATIONS = ["empirical", "lognormal", "gamma"];
let failed = false;

const percent = (share) => `${(100 * share).toFixed(2)}`;
function judged(share, bar) {
  if (!(100 * share >= bar)) failed = true;
  return `${percent(share)}${100 * share >= bar ? "" : ` **below ${bar}**`}`;
}

if (wanted("known")) {
  console.log(
    `\nknown rates, ${pages} pages, seed 1: % of the Lagrangian optimum, over two rounds of the budget that begin in its steady state\n`,
  );
  console.log(
    "| pages | objective | visits/page/day | index | bar | c5 | uniform | proportional | adaptive |\n|---|---|---|---|---|---|---|---|---|",
  );
  for (const population of POPULATIONS)
    for (const [objective, pace, bar] of [
      ["freshness", 1 / 30, 99.5],
      ["freshness", 1 / 7, 99.8],
      ["freshness", 1, 99.8],
      ["events", 1 / 7, 99.5],
      ["age", 1 / 7, 99],
    ]) {
      const trial = {
        population,
        pages,
        pace,
        objective,
        seed: 1,
        edges: [4 / pace ** 0.5, 4 / pace ** 0.5 + 2 / pace],
        settled: true,
        jumps: null,
      };
      const best = bestOf(trial);
      const share = (policy) => {
        const [got] = runTrial(trial, policy);
        return objective === "age" ? best / got : got / best;
      };
      const others = objective === "freshness" && pace < 1 ? ["c5", "uniform", "proportional", "adaptive"] : [];
      const cells = others.map((policy) => percent(share(policy)));
      console.log(`| ${[population, objective, pace.toFixed(3), judged(share("known"), bar), bar, ...cells].join(" | ")} |`);
    }
}

if (wanted("learned")) {
  const edges = [1, 3, 6, 12, 25, 40].map((visits) => visits * 7);
  const bars = { freshness: [97, 98, 98.6, 98.8, 99.1], events: [0, 97, 97, 97, 97] };
  console.log("\nlearned rates, 2000 pages, 1/7 visits per page and day: % of known rates after 1-3, 3-6, 6-12, 12-25, 25+ visits\n");
  console.log("| pages | objective | seed | 1-3 | 3-6 | 6-12 | 12-25 | 25+ |\n|---|---|---|---|---|---|---|---|");
  for (const objective of ["freshness", "events"])
    for (const population of POPULATIONS)
      for (const seed of seeds) {
        const trial = { population, pages: 2000, pace: 1 / 7, objective, seed, edges, settled: false, jumps: null };
        const known = runTrial(trial, "known");
        const got = runTrial(trial, "index").map((value, band) => judged(value / known[band], bars[objective][band]));
        console.log(`| ${[population, objective, seed, ...got].join(" | ")} |`);
      }
}

if (wanted("jumps")) {
  console.log("\nrates that jump every 60 days, 2000 pages, 1/7 visits per page and day, after 25 visits: % of the oracle (bar 97.3)\n");
  for (const population of ["empirical", "lognormal"])
    for (const seed of seeds) {
      const trial = { population, pages: 2000, pace: 1 / 7, objective: "freshness", seed, edges: [175, 280], settled: false, jumps: 60 };
      console.log(`${population}, seed ${seed}: ${judged(runTrial(trial, "index")[0] / oracleFreshness(trial), 97.3)}`);
    }
}
process.exit(failed ? 1 : 0);
