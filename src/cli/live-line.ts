import type { CrawlStatus } from "../app/crawl-types.ts";
import { count, counted, rate, share, size, span } from "./format.ts";
import type { Reporter } from "./reporter.ts";

const ON_A_TERMINAL_MS = 1000;
const ELSEWHERE_MS = 10_000;

/** The live line of a moment. Pure; the order is that of cli.md, and what is not known is left out. */
export function liveLine(status: CrawlStatus): string {
  if (status.state === "starting") return "starting";
  if (status.state === "scanning") {
    const { done, total } = status.scanned ?? { done: 0, total: 0 };
    if (total === 0) return "starting";
    return `reading the store: ${count(done)} of ${count(total)} URLs`;
  }
  const parts = [
    counted(status.pages, "page"),
    `${rate(status.pagesPerSecond)}/s`,
    `${count(status.inFlight)} in flight`,
    `${count(status.waiting)} waiting`,
  ];
  if (status.changedShare !== null) parts.push(`${share(status.changedShare)} changed`);
  parts.push(`${count(status.errors)} errors`, `${share(status.retryShare)} retries`, size(status.bytesWire));
  if (status.state === "done") return parts.join(" · ");
  if (status.timeLeft !== null) parts.push(`${span(status.timeLeft)} left`);
  parts.push(status.state === "draining" ? "draining" : `bound by: ${status.boundBy}`);
  return parts.join(" · ");
}

/**
 * Shows the live line until stopped: rewritten once a second on a terminal, a plain line every 10 s elsewhere.
 * @returns the function that stops it and leaves the terminal clean.
 */
export function showLive(status: () => CrawlStatus, reporter: Reporter): () => void {
  const show = (): void => reporter.live(liveLine(status()), status);
  if (reporter.terminal) show();
  const timer = setInterval(show, reporter.terminal ? ON_A_TERMINAL_MS : ELSEWHERE_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    reporter.clearLive();
  };
}
