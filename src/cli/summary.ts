import type { CrawlSummary, StopCause } from "../app/crawl-types.ts";
import { count, counted, rate, share, size, span } from "./format.ts";

/** Exit codes of every command; `docs/exit-codes.md` explains them. */
export const EXIT = { done: 0, failed: 1, usage: 2, left: 3, user: 130 } as const;

/** The exit code of a crawl that ended by itself or was stopped. */
export function exitCodeOf(summary: CrawlSummary): number {
  switch (summary.stopped) {
    case "user":
      return EXIT.user;
    case "store":
    case "consumer":
      return EXIT.failed;
    case null:
      return nothingFetched(summary) ? EXIT.failed : EXIT.done;
    default:
      return EXIT.left;
  }
}

/** Something was tried and no page came of it: a wrong address, a host that is down, robots that forbid the seed. */
export function nothingFetched(summary: CrawlSummary): boolean {
  return summary.pages === 0 && summary.left === 0 && (summary.failed > 0 || summary.fetches > 0 || sum(summary.skipped) > 0);
}

function sum(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce<number>((total, value) => total + (value ?? 0), 0);
}

const STOPPED: Readonly<Record<StopCause, string>> = {
  "max-pages": "Stopped by --max-pages",
  "max-bytes": "Stopped by --max-bytes",
  "max-time": "Stopped by --max-time",
  "max-wait": "Stopped by --max-wait: the next start that anything allows is further away",
  user: "Stopped by you",
  store: "Stopped: the store could not be written",
  consumer: "Stopped: the output could not be written",
};

/** The end of a crawl for a person: what was done, what is left, and what to do next. */
export function summaryText(summary: CrawlSummary, store: string): string {
  const lines: string[] = [];
  const ending = summary.stopped === null ? "Done" : STOPPED[summary.stopped];
  lines.push(
    `${ending}: ${counted(summary.pages, "page")} from ${counted(summary.hosts, "host")} in ${span(summary.seconds * 1000)} (${rate(summary.pagesPerSecond)}/s, ${size(summary.bytesWire)})`,
  );
  lines.push(
    `  new ${count(summary.new)}, changed ${count(summary.changed)}, unchanged ${count(summary.unchanged)}, failed ${count(summary.failed)}${summary.blocked > 0 ? `, blocked ${count(summary.blocked)}` : ""}; ${counted(summary.fetches, "request")}, ${share(summary.retryShare)} retries`,
  );
  if (summary.failed + summary.blocked > 0) lines.push("  weir export --what failed names what failed or was blocked, and why");
  lines.push(...refusedByProviders(summary));
  const skipped = Object.entries(summary.skipped).filter(([, value]) => value > 0);
  if (skipped.length > 0) lines.push(`  skipped: ${skipped.map(([reason, value]) => `${reason} ${count(value)}`).join(", ")}`);
  const bytes = mainBytes(summary);
  if (bytes !== "") lines.push(`  bytes: ${bytes}`);
  const bound = mainBounds(summary);
  if (bound !== "") lines.push(`  bound by: ${bound}`);
  if (summary.left > 0) lines.push(`  ${counted(summary.left, "URL")} left; the same command goes on with them`);
  if (summary.pages > 0) lines.push(`  kept in ${store}; weir export --format jsonl prints it`);
  return lines.join("\n");
}

/** A proxy or an API that only refuses must be named, or the end looks as if the sites were slow. */
function refusedByProviders(summary: CrawlSummary): string[] {
  return Object.entries(summary.providers ?? {})
    .filter(([, provider]) => provider.refused > 0)
    .map(
      ([name, provider]) =>
        `  ${name} itself refused or was not reached: ${counted(provider.refused, "time")}${provider.lastRefusal === null ? "" : `; ${provider.lastRefusal}`}`,
    );
}

/** The four causes that took most of the bytes, with their share. */
function mainBytes(summary: CrawlSummary): string {
  if (summary.bytesWire === 0) return "";
  return Object.entries(summary.bytesByCause)
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([cause, bytes]) => `${cause} ${share(bytes / summary.bytesWire)}`)
    .join(", ");
}

/** The three causes that held the crawl back longest, with their share of the time. */
function mainBounds(summary: CrawlSummary): string {
  if (summary.seconds <= 0) return "";
  return Object.entries(summary.boundBy)
    .filter(([, seconds]) => seconds > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([cause, seconds]) => `${cause} ${share(Math.min(1, seconds / summary.seconds))}`)
    .join(", ");
}
