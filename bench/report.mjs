// What every bench prints besides its figures: machine, versions, commit. And the few sums that all of them need.
import { execFileSync } from "node:child_process";
import { cpus, totalmem } from "node:os";

const git = (...args) => {
  try {
    return execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
};

/** Machine, Node version and commit, on one line each. */
export function printHeader(title) {
  const commit = git("rev-parse", "--short", "HEAD") || "unknown";
  const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : " with changes";
  console.log(`# ${title}`);
  console.log(`machine  ${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`);
  console.log(`versions Node ${process.version}, V8 ${process.versions.v8}, ${process.platform} ${process.arch}`);
  console.log(`commit   ${commit}${changed}`);
}

/** Prints rows of equal keys as a table; numbers to the right. */
export function printTable(rows) {
  if (rows.length === 0) return;
  const keys = Object.keys(rows[0]);
  const cell = (value) =>
    typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : 0 }) : String(value);
  const width = keys.map((key) => Math.max(key.length, ...rows.map((row) => cell(row[key]).length)));
  const line = (cells, row) =>
    cells.map((text, i) => (row && typeof row[keys[i]] === "string" ? text.padEnd(width[i]) : text.padStart(width[i]))).join("  ");
  console.log(line(keys, rows[0]));
  for (const row of rows)
    console.log(
      line(
        keys.map((key) => cell(row[key])),
        row,
      ),
    );
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Options of a bench: `--name value` pairs, numbers where the default is one; `--name` alone is true. */
export function options(defaults, argv = process.argv.slice(2)) {
  const found = { ...defaults };
  for (let i = 0; i < argv.length; i++) {
    const name = argv[i].replace(/^--/, "");
    if (!argv[i].startsWith("--") || !(name in defaults)) {
      console.error(
        `Unknown option ${argv[i]}; there are: ${Object.keys(defaults)
          .map((key) => `--${key}`)
          .join(" ")}`,
      );
      process.exit(2);
    }
    if (typeof defaults[name] === "boolean") found[name] = true;
    else found[name] = typeof defaults[name] === "number" ? Number(argv[++i]) : argv[++i];
  }
  return found;
}

/** CPU seconds (user and system, all threads) that `work` takes in this process, and its wall seconds. */
export async function timed(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const wall = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  return { value, wall, cpu: (used.user + used.system) / 1e6 };
}
