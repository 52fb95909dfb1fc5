import type { CrawlStatus } from "../app/crawl-types.ts";
import { type StatusReport, statusOf } from "../app/status.ts";
import type { RunInput } from "./command-spec.ts";
import { count, counted, printable, share, size, span } from "./format.ts";
import { liveLine } from "./live-line.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";
import { show } from "./watch.ts";

/** `weir status`: how a crawl is going; the running one answers itself, else the last snapshot is told with its age. */
export async function runStatus(input: RunInput): Promise<number> {
  const { settings } = await settingsOf(input);
  await show(input.own.watch === true, settings.json, async () => {
    const now = Date.now();
    const report = await statusOf(settings.store, now);
    return { running: report.running, json: report, text: () => statusText(report, now) };
  });
  return EXIT.done;
}

/** Exported for its test. */
export function statusText(report: StatusReport, now: number): string {
  const { status } = report;
  if (status === null) return `${report.store}: no crawl has run here yet`;
  const lines = [
    report.running
      ? `${report.store}: ${status.state}, process ${status.pid}, for ${span(now - status.startedAt)}`
      : `${report.store}: not running; this is its last snapshot, ${span(report.age)} old (${ending(status)})`,
    `  ${liveLine(status)}`,
    `  ${counted(status.known, "URL")} known on ${counted(status.hosts, "host")}${counts("; settled", status.outcomes)}${counts("; skipped", status.skipped)}`,
    ...health(status),
    ...stages(status),
    ...waitingHosts(status, now),
  ];
  return printable(lines.join("\n"));
}

function ending(status: CrawlStatus): string {
  if (status.state !== "done") return `it was ${status.state} and did not come to its end`;
  return status.waiting === 0 ? "done" : "stopped with work left";
}

function counts(title: string, values: Readonly<Record<string, number | undefined>>): string {
  const parts = Object.entries(values).filter(([, value]) => (value ?? 0) > 0);
  return parts.length === 0 ? "" : `${title}: ${parts.map(([name, value]) => `${name} ${count(value ?? 0)}`).join(", ")}`;
}

/** What a person should know beside the counts; nothing where nothing is to be said. */
function health(status: CrawlStatus): string[] {
  const lines = status.alarms.map((alarm) => `  ALARM: ${alarm}`);
  if (status.helps !== "" && status.state === "running") lines.push(`  what helps: ${status.helps}`);
  const parts: string[] = [];
  if (status.successShare !== null) parts.push(`${share(status.successShare)} of the last minute's URLs answered well`);
  if (status.sinceChange !== null) parts.push(`last new or changed page ${span(status.sinceChange)} ago`);
  if (status.deadLetters > 0) parts.push(`${count(status.deadLetters)} given up (weir export --what failed)`);
  const refusals = counts("refusals", status.refusals);
  const sheds = counts("deferred", status.sheds);
  if (parts.length > 0) lines.push(`  ${parts.join(" · ")}`);
  for (const line of [refusals, sheds]) if (line !== "") lines.push(`  ${line}`);
  return lines;
}

/** Each stage with something in it: how much, of how much, and since when. */
function stages(status: CrawlStatus): string[] {
  if (status.stages === null || status.state === "done") return [];
  const rows = Object.entries(status.stages)
    .filter(([, stage]) => stage.depth > 0 || stage.refusals > 0)
    .map(([name, { depth, depthBound, bytes, bytesBound, oldestAge, blocked, refusals }]) => {
      const parts = [depthBound === null ? `${count(depth)} wait` : `${count(depth)} of ${count(depthBound)}`];
      if (bytesBound !== null) parts.push(`${size(bytes)} of ${size(bytesBound)}`);
      if (oldestAge > 0) parts.push(`oldest ${span(oldestAge)}`);
      if (blocked > 0) parts.push(`${counted(blocked, "wait")} for room`);
      if (refusals > 0) parts.push(counted(refusals, "refusal"));
      return `    ${name}: ${parts.join(", ")}`;
    });
  return rows.length === 0 ? [] : ["  stages:", ...rows];
}

function waitingHosts(status: CrawlStatus, now: number): string[] {
  if (status.waitingHosts.length === 0) return [];
  const rows = status.waitingHosts.map((host) => {
    const next = host.nextAt === null || host.nextAt <= now ? "" : `, next in ${span(host.nextAt - now)}`;
    return `    ${host.host}: ${count(host.waiting)} waiting, ${host.inFlight} in flight, ${host.reason}${next}${host.providerRefusal === null ? "" : ` (${host.provider}: ${host.providerRefusal})`}`;
  });
  return ["  hosts with most waiting (weir hosts shows more):", ...rows];
}
