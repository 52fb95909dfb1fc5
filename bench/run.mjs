// node bench/run.mjs [name …]: all benches, or those named, one after the other, in a form that fits a machine shared with others.
// Options of a bench are given to it directly: node bench/crawl.mjs --pages 50000
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { elsewhere, pinned } from "./measure.mjs";

const benches = {
  scanner: [["scanner.mjs"]],
  frontier: [
    ["frontier.mjs", "--urls", "100000"],
    ["frontier.mjs", "--urls", "1000000"],
  ],
  memory: [["memory.mjs"]],
  "gateway-bytes": [["gateway-bytes.mjs"]],
  crawl: [
    ["crawl.mjs", "--pages", "5000", "--hosts", "10"],
    ["crawl.mjs", "--pages", "50000", "--hosts", "200"],
    ["crawl.mjs", "--pages", "50000", "--hosts", "1", "--kb", "3", "--links", "10"],
  ],
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benches);
for (const name of names) {
  if (!(name in benches)) {
    console.error(`There is no bench ${name}; there are: ${Object.keys(benches).join(", ")}`);
    process.exit(2);
  }
}
let failed = false;
for (const name of names) {
  for (const [file, ...args] of benches[name]) {
    console.log(`\n$ node bench/${[file, ...args].join(" ")}`);
    // crawl pins its own programs, and keeps itself off their core.
    const pin = !pinned ? [] : name === "crawl" ? elsewhere : ["taskset", "-c", "1"];
    const [program, ...rest] = [...pin, process.execPath, join(import.meta.dirname, file), ...args];
    failed = spawnSync(program, rest, { stdio: "inherit" }).status !== 0 || failed;
  }
}
process.exit(failed ? 1 : 0);
