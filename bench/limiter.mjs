// Both limiters before every simulated site: `node bench/limiter.mjs [--seeds 5] [--further] [PART OF A NAME]`.
import { parseArgs } from "node:util";
import { newHostLimiter } from "../dist/flow/new-host-limiter.js";
import { closedLoop } from "../dist/simulate/closed-loop.js";
import { FURTHER_TARGETS, REFERENCE_TARGETS } from "../dist/simulate/reference-targets.js";

const { values, positionals } = parseArgs({
  options: { seeds: { type: "string", default: "5" }, further: { type: "boolean", default: false } },
  allowPositionals: true,
});
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
const targets = (values.further ? [...REFERENCE_TARGETS, ...FURTHER_TARGETS] : REFERENCE_TARGETS).filter(({ name }) =>
  name.includes(positionals[0] ?? ""),
);

/** Mean goodput, most refusals and largest p95 over the seeds. */
function measure(policy, spec) {
  const runs = seeds.map((seed) =>
    closedLoop(newHostLimiter(policy, { ceiling: 32, gap: 0 }), spec, { seed, span: 3_600_000, from: 300_000 }),
  );
  return {
    goodput: runs.reduce((sum, run) => sum + run.goodput, 0) / runs.length,
    refusals: Math.max(...runs.map((run) => run.refusals)),
    p95: Math.round(Math.max(...runs.map((run) => run.p95))),
  };
}

console.log(
  `| target (${seeds.length} seeds, 1 h) | ideal/s | weir/s | of ideal | refusals/h | p95 ms | aimd/s | of ideal | refusals/h | p95 ms |`,
);
console.log("|---|---|---|---|---|---|---|---|---|---|");
for (const { name, spec, ideal } of targets) {
  const cells = ["weir", "aimd"].flatMap((policy) => {
    const { goodput, refusals, p95 } = measure(policy, spec);
    return [goodput.toPrecision(3), `${((100 * goodput) / ideal).toFixed(0)} %`, refusals, p95];
  });
  console.log(`| ${[name, ideal.toPrecision(3), ...cells].join(" | ")} |`);
}
