import type { CrawlStatus } from "../app/crawl-types.ts";
import { type StatusReport, statusOf } from "../app/status.ts";
import type { RunInput } from "./command-spec.ts";
import { count, counted, printable, span } from "./format.ts";
import { liveLine } from "./live-line.ts";
import { printLine } from "./print-line.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";

/** `weir status`: how a crawl is going; the running one answers itself, else the last snapshot is told with its age. */
export async function runStatus(input: RunInput): Promise<number> {
  const { settings } = await settingsOf(input);
  const now = Date.now();
  const report = await statusOf(settings.store, now);
  await printLine(settings.json ? JSON.stringify(report) : statusText(report, now));
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

function waitingHosts(status: CrawlStatus, now: number): string[] {
  if (status.waitingHosts.length === 0) return [];
  const rows = status.waitingHosts.map((host) => {
    const next = host.nextAt === null || host.nextAt <= now ? "" : `, next in ${span(host.nextAt - now)}`;
    return `    ${host.host}: ${count(host.waiting)} waiting, ${host.inFlight} in flight, ${host.reason}${next}`;
  });
  return ["  hosts with most waiting:", ...rows];
}
