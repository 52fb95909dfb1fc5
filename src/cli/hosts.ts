import { type HostLine, type HostReason, type HostsQuestion, type HostsReport, hostsOf, TOP_MOST } from "../app/hosts.ts";
import { shown } from "../config/shown.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import type { RunInput } from "./command-spec.ts";
import { count, counted, printable, share, span } from "./format.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";
import { show } from "./watch.ts";

/** Rows shown unless `--top` says otherwise. */
const TOP = 20;
/** A longer name of a host is cut for the table. */
const NAME_WIDTH = 40;

/** `weir hosts`: each host's limit, gate, pace and health, and why it is not served. */
export async function runHosts(input: RunInput): Promise<number> {
  const problems: ConfigProblem[] = [];
  const asked = askedFor(input, problems);
  const { settings } = await settingsOf(input, { problems });
  await show(input.own.watch === true, settings.json, async () => {
    const now = Date.now();
    const report = await hostsOf(settings.store, asked, now);
    return { running: report.running, json: report, text: () => hostsText(report, asked, now) };
  });
  return EXIT.done;
}

function askedFor(input: RunInput, problems: ConfigProblem[]): HostsQuestion {
  const { top, by, host } = input.own;
  const number = top === undefined ? TOP : Number(top);
  if (!Number.isInteger(number) || number < 1 || number > TOP_MOST)
    problems.push({ path: "--top", got: shown(top), expected: `a whole number from 1 to ${count(TOP_MOST)}` });
  if (by !== undefined && by !== "waiting" && by !== "trouble")
    problems.push({ path: "--by", got: shown(by), expected: "one of waiting, trouble" });
  return { top: number, by: by === "trouble" ? "trouble" : "waiting", ...(typeof host === "string" ? { host: host.toLowerCase() } : {}) };
}

/** Exported for its test. */
export function hostsText(report: HostsReport, asked: HostsQuestion, now: number): string {
  const { view, store } = report;
  if (view === null) return `${store}: no crawl has run here yet`;
  const source = report.running ? "" : ` (not running; this is its last snapshot, ${span(report.age)} old)`;
  const reasons = Object.entries(view.reasons).sort(([, a], [, b]) => b - a);
  const waiting = reasons.reduce((sum, [, hosts]) => sum + hosts, 0);
  const by = reasons.map(([reason, hosts]) => `${count(hosts)} ${reason}`).join(", ");
  const lines = [`${store}: ${counted(view.hosts, "host")}, ${count(waiting)} with work${by === "" ? "" : `: ${by}`}${source}`];
  if (view.rows.length > 0) lines.push(...table(view.rows, now));
  else if (asked.host !== undefined) lines.push(`  ${asked.host} was never given any work`);
  const more = asked.host === undefined ? view.hosts - view.rows.length : 0;
  if (more > 0) lines.push(`  and ${count(more)} more; --top N shows more of them, --by trouble those in trouble first`);
  return printable(lines.join("\n"));
}

function table(rows: readonly HostLine[], now: number): string[] {
  const head = ["host", "waiting", "in flight", "limit", "why not served"];
  const cells = rows.map((row) => [
    row.host.length > NAME_WIDTH ? `${row.host.slice(0, NAME_WIDTH - 1)}…` : row.host,
    count(row.waiting),
    count(row.inFlight),
    `${limit(row.limit)} of ${count(row.ceiling)}`,
    whyText(row, now),
  ]);
  const widths = head.map((name, column) => Math.max(name.length, ...cells.map((cell) => cell[column].length)));
  const line = (cell: readonly string[]): string =>
    `  ${cell.map((text, column) => (column === 0 || column === 4 ? text.padEnd(widths[column]) : text.padStart(widths[column]))).join("  ")}`.trimEnd();
  return [line(head), ...cells.map(line)];
}

function limit(value: number): string {
  return Number.isInteger(value) ? count(value) : value < 1 ? value.toPrecision(1) : value.toFixed(1);
}

/** What each reason means, in the words of the one who waits. */
const WHY: Readonly<Record<HostReason, string>> = {
  gate: "gate: backing off",
  "half-open": "half-open: one request tries whether it is well again",
  "parked until": "parked until much later",
  limit: "limit: has as much as it bears now",
  ceiling: "ceiling: --host-ceiling is reached",
  delay: "delay: --delay between two starts",
  "crawl-delay": "crawl-delay: its robots.txt asks for it",
  robots: "robots: its robots.txt is on its way",
  resolving: "resolving: its address is looked up",
  "address ceiling": "address ceiling: --ip-ceiling of its address is reached",
  reading: "reading: its URLs are read from the store",
  "retry budget": "retry budget: only retries wait, and they are rationed",
  "provider plan": "provider plan: its provider takes no more calls at once",
  credits: "credits: its provider has no credits left",
  "provider closed": "provider closed: its provider refuses every call",
  "provider down": "provider down: its provider lets nothing through and is tried again",
  "parse share": "parse share: its pages are heavy, and the parser is at one of them",
  "new host": "new host: one at a time until it has answered a few times",
  yields: "yields: it is slow, and others want the slots",
  local: "local: this machine is at fault, one request a second tries whether it is well again",
  concurrency: "concurrency: --concurrency is reached",
  parse: "parse: the parser is behind",
  storage: "storage: the store is behind",
  consumer: "consumer: whoever reads the results is behind",
  stopping: "stopping: nothing more is started",
  unit: "unit: waits for its turn among the hosts it is limited with",
  "its turn": "its turn: it may start now",
};

/** Exported for its test. */
export function whyText(row: HostLine, now: number): string {
  const parts: string[] = [];
  if (row.reason === null) parts.push("nothing waits");
  else {
    const until = row.gateUntil ?? row.nextAt;
    const left = until === null || until <= now ? "" : ` for ${span(until - now)}`;
    const cause = row.gateUntil !== null && row.gateCause !== null ? ` after ${row.gateCause}` : "";
    const why = row.provider === null ? WHY[row.reason] : WHY[row.reason].replace("its provider", row.provider);
    parts.push(`${why}${left}${cause}`);
  }
  if (row.providerRefusal !== null) parts.push(`${row.provider} said last: ${row.providerRefusal}`);
  if (row.cuts > 0) parts.push(counted(row.cuts, "cut"));
  if (row.healthState !== "healthy") parts.push(`health ${row.health.toFixed(2)}: ${row.healthState}`);
  if (row.retryShare > 0) parts.push(`${share(row.retryShare)} retries`);
  return parts.join("; ");
}
