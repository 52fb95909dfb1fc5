// What a known URL costs: resident memory of a process that holds 0, 250,000, 500,000 and 1,000,000 of them, store open and committed.
// node bench/memory.mjs [--urls 1000000] [--hosts 1000]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openFrontier } from "./open-frontier.mjs";
import { options, printHeader, printTable } from "./report.mjs";

const { urls, hosts, measure } = options({ urls: 1_000_000, hosts: 1000, measure: 0 });

/** In a process of its own, so that one step's garbage is not the next one's memory. */
async function one(count) {
  const folder = mkdtempSync(join(tmpdir(), "weir-bench-"));
  try {
    const { store, stage, frontier } = openFrontier(join(folder, "store.db"));
    for (let i = 0; i < count; i++) {
      frontier.discoverText(`http://host-${i % hosts}.example/catalog/section-${i % 97}/item-${i}.html`, 1, "link");
      if ((i & 8191) === 8191) await stage.committed();
    }
    await stage.committed();
    globalThis.gc?.();
    const { rss, arrayBuffers, heapUsed } = process.memoryUsage();
    console.log(JSON.stringify({ rss, arrayBuffers, heapUsed, columns: frontier.urls.bytes }));
    await store.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (measure > 0) await one(measure);
else {
  printHeader(`memory: up to ${urls.toLocaleString("en")} known URLs on ${hosts} hosts`);
  const steps = [1, urls / 4, urls / 2, urls].map(Math.round);
  const results = steps.map((count) => ({
    count,
    ...JSON.parse(
      execFileSync(
        process.execPath,
        ["--expose-gc", fileURLToPath(import.meta.url), "--hosts", String(hosts), "--measure", String(count)],
        { encoding: "utf8" },
      ),
    ),
  }));
  printTable(
    results.map(({ count, rss, heapUsed, columns }, i) => ({
      "known URLs": count,
      "RSS MB": Math.round(rss / 1e6),
      "heap MB": Math.round(heapUsed / 1e6),
      "typed arrays MB": Math.round(columns / 1e6),
      "array bytes/URL": i === 0 ? "-" : columns / count,
      // The first rows fill fixed caches (SQLite's pages, the engine's own heap); from then on this is what one more URL costs.
      "RSS bytes/URL beyond the row above": i === 0 ? "-" : (rss - results[i - 1].rss) / (count - results[i - 1].count),
    })),
  );
}
