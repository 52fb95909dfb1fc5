// Pages per CPU-second of the built program over a synthetic site, durable store, against a bare fetch loop in the same run.
// node bench/crawl.mjs [--pages 20000] [--kb 30] [--hosts 200] [--links 75] [--repeat 1] [--concurrency 64] [--profile]
// --profile: where the CPU time of one further run goes, by stage. Profiling itself costs a tenth.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measure, pinned } from "./measure.mjs";
import { stagesOf } from "./profile.mjs";
import { median, options, printHeader, printTable } from "./report.mjs";
import { startSite } from "./site.mjs";

const given = options({ pages: 20_000, kb: 30, hosts: 200, links: 75, repeat: 1, concurrency: 64, seed: 1, profile: false });
const shape = { pages: given.pages, bytes: given.kb * 1000, hosts: given.hosts, links: given.links, seed: given.seed, port: 0 };
const program = join(import.meta.dirname, "../dist/cli/main.js");

printHeader(`crawl: ${given.pages} pages of ${given.kb} KB, ${given.links} links, on ${given.hosts} hosts, ${given.concurrency} in flight`);
if (!pinned) console.log("note     one core, or no taskset: client and server share, the figures are lower than they could be");

const site = await startSite(shape);
const folder = mkdtempSync(join(tmpdir(), "weir-bench-"));
const runs = { weir: [], limit: [] };
let summary = {};
let stages = [];

/** One crawl of the whole site into a new store. */
async function crawlOnce(name, nodeOptions = []) {
  const ceiling = String(given.concurrency);
  const crawl = await measure([
    process.execPath,
    ...nodeOptions,
    program,
    ...["crawl", site.url(0), "--store", join(folder, `${name}.db`), "--scope", "any", "--allow-private", "--sitemaps", "off"],
    ...["--concurrency", ceiling, "--host-ceiling", ceiling, "--ip-ceiling", ceiling, "--quiet", "--json"],
  ]);
  if (crawl.code !== 0) throw new Error(`weir ended with ${crawl.code}: ${crawl.stderr}`);
  const found = JSON.parse(crawl.stdout.trim().split("\n").at(-1));
  if (found.pages !== given.pages) throw new Error(`weir stored ${found.pages} of ${given.pages} pages`);
  return { ...crawl, summary: found };
}

try {
  for (let i = 0; i < given.repeat; i++) {
    const limit = await measure([
      process.execPath,
      join(import.meta.dirname, "limit-fetch.mjs"),
      JSON.stringify({ site: { ...shape, port: site.port }, inFlight: given.concurrency }),
    ]);
    const fetched = JSON.parse(limit.stdout);
    if (fetched.pages !== given.pages) throw new Error(`The bare loop got ${fetched.pages} of ${given.pages} pages`);
    runs.limit.push({ cpu: limit.cpu, wall: limit.wall });

    const crawl = await crawlOnce(String(i));
    summary = crawl.summary;
    runs.weir.push({ cpu: crawl.cpu, wall: crawl.wall, rss: summary.peakRssBytes });
  }
  if (given.profile) {
    await crawlOnce("profiled", ["--cpu-prof", "--cpu-prof-interval", "500", "--cpu-prof-dir", join(folder, "profile")]);
    stages = stagesOf(join(folder, "profile"));
  }
} finally {
  site.stop();
  rmSync(folder, { recursive: true, force: true });
}

const row = (name, list) => ({
  what: name,
  "pages/CPU s": given.pages / median(list.map((run) => run.cpu)),
  "µs CPU/page": (median(list.map((run) => run.cpu)) / given.pages) * 1e6,
  "pages/s": given.pages / median(list.map((run) => run.wall)),
  "peak RSS MB": list[0].rss === undefined ? "-" : Math.round(median(list.map((run) => run.rss)) / 1e6),
});
const rows = [row("weir crawl", runs.weir), row("bare undici dispatch", runs.limit)];
printTable(rows);
console.log(`ratio to the limit ${(rows[0]["pages/CPU s"] / rows[1]["pages/CPU s"]).toFixed(2)}`);
console.log(`bound by ${JSON.stringify(summary.boundBy)}`);
if (stages.length > 0) {
  console.log("\nwhere a page's CPU time goes");
  printTable(stages.map(({ stage, share, µs, dearest }) => ({ stage, share, "µs/page": µs / given.pages, dearest })));
}
