import type { Bytes, EpochMillis, Millis } from "../kernel/units.ts";
import type { SkipReason } from "../kernel/outcome.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import type { BoundBy } from "../pipeline/tally.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { CrawlStatus, CrawlSummary, StopCause, WaitingHost } from "./crawl-types.ts";

/** Hosts shown in a status. */
const HOSTS_SHOWN = 10;

/** What holds the crawl back at this moment: the cause for the sum, and the words for a person. */
export function boundNow(pipeline: Pipeline, now: Millis): { readonly cause: BoundBy; readonly words: string } {
  const { dispatcher, frontier, storeStage } = pipeline;
  if (storeStage.troubled) return { cause: "storage", words: "storage: the store cannot be written" };
  switch (dispatcher.held) {
    case "concurrency":
    case "parse":
    case "storage":
    case "consumer":
      return { cause: dispatcher.held, words: dispatcher.held };
    case "stopping":
      return { cause: "nothing left", words: "stopping" };
    case null:
      break;
    default:
      dispatcher.held satisfies never;
  }
  if (frontier.left <= dispatcher.inFlight) return { cause: "nothing left", words: "nothing left" };
  let backingOff = 0;
  let paced = 0;
  for (const host of frontier.hosts()) {
    if (!host.hasWork) continue;
    if (host.limiter.gateUntil > now) backingOff += 1;
    else if (host.limiter.admitAt(now) > now) paced += 1;
  }
  const words = backingOff > 0 ? `host limits: ${backingOff} ${backingOff === 1 ? "host" : "hosts"} backing off` : `host limits: ${paced} ${paced === 1 ? "host" : "hosts"} at ceiling or pace`;
  return { cause: "host limits", words };
}

export interface RunFacts {
  readonly pipeline: Pipeline | null;
  readonly state: CrawlStatus["state"];
  readonly pid: number;
  readonly startedAt: EpochMillis;
  readonly now: Millis;
  readonly epoch: EpochMillis;
  readonly scanned: { readonly done: number; readonly total: number };
}

/** The moment a status shows. Bounded: counts, and ten hosts. */
export function statusOfRun(facts: RunFacts): CrawlStatus {
  const { pipeline, state, pid, startedAt, now, epoch } = facts;
  const base = { state, pid, startedAt, at: epoch };
  if (pipeline === null) {
    return { ...base, pages: 0, pagesPerSecond: 0, inFlight: 0, waiting: 0, changedShare: null, errors: 0, retryShare: 0, bytesWire: 0, timeLeft: null, boundBy: "starting", known: 0, hosts: 0, outcomes: {}, skipped: {}, waitingHosts: [] };
  }
  const { tally, dispatcher, frontier } = pipeline;
  const again = tally.count("changed") + tally.count("unchanged");
  const waiting = Math.max(0, frontier.left - dispatcher.inFlight);
  const rate = tally.pagesPerSecond;
  return {
    ...base,
    pages: tally.pages,
    pagesPerSecond: rate,
    inFlight: dispatcher.inFlight,
    waiting,
    changedShare: again === 0 ? null : tally.count("changed") / again,
    errors: tally.count("failed"),
    retryShare: tally.retryShare,
    bytesWire: tally.bytesWire,
    timeLeft: rate > 0 && waiting > 0 ? (waiting / rate) * 1000 : null,
    boundBy: state === "scanning" ? "reading the store" : boundNow(pipeline, now).words,
    known: frontier.urls.size,
    hosts: frontier.hostCount,
    outcomes: Object.fromEntries(tally.outcomes),
    skipped: skippedCounts(pipeline),
    ...(state === "scanning" ? { scanned: { ...facts.scanned } } : {}),
    waitingHosts: waitingHosts(pipeline, now, epoch),
  };
}

function skippedCounts(pipeline: Pipeline): Partial<Record<SkipReason, number>> {
  const counts: Record<string, number> = Object.fromEntries(pipeline.tally.skips);
  for (const [reason, count] of pipeline.frontier.skips) if (count > 0) counts[reason] = (counts[reason] ?? 0) + count;
  return counts;
}

function waitingHosts(pipeline: Pipeline, now: Millis, epoch: EpochMillis): WaitingHost[] {
  const most: Host[] = [];
  for (const host of pipeline.frontier.hosts()) {
    if (!host.hasWork) continue;
    most.push(host);
    if (most.length > 4 * HOSTS_SHOWN) keepMost(most);
  }
  keepMost(most);
  return most.map((host) => {
    const at = host.limiter.admitAt(now);
    return { host: host.key, waiting: host.waiting, inFlight: host.limiter.inFlight, reason: reasonOf(host, at, now), nextAt: at > now && Number.isFinite(at) ? Math.round(epoch + (at - now)) : null };
  });
}

function keepMost(hosts: Host[]): void {
  hosts.sort((a, b) => b.waiting - a.waiting);
  hosts.length = Math.min(hosts.length, HOSTS_SHOWN);
}

/** Why a host that has work is not served at this moment. */
function reasonOf(host: Host, at: Millis, now: Millis): string {
  if (host.hold !== null) return host.hold;
  if (host.limiter.gateUntil > now) return "gate";
  if (host.limiter.halfOpen) return "half-open";
  if (!Number.isFinite(at)) return "ceiling";
  return at > now ? "delay" : "its turn";
}

/** The last line of a run. */
export function summaryOfRun(pipeline: Pipeline, run: { readonly seconds: number; readonly peakRss: Bytes; readonly stopped: StopCause | null }): CrawlSummary {
  const { tally, frontier } = pipeline;
  const { seconds, peakRss, stopped } = run;
  return {
    pages: tally.pages,
    failed: tally.count("failed"),
    skipped: skippedCounts(pipeline),
    changed: tally.count("changed"),
    unchanged: tally.count("unchanged"),
    new: tally.count("new"),
    fetches: tally.fetches,
    retries: tally.retriesStarted,
    retryShare: tally.retryShare,
    bytesWire: tally.bytesWire,
    cost: 0,
    hosts: frontier.hostCount,
    sheds: {},
    seconds,
    pagesPerSecond: seconds > 0 ? tally.pages / seconds : 0,
    peakRssBytes: peakRss,
    boundBy: Object.fromEntries(tally.boundSeconds),
    stopped,
    left: frontier.left,
  };
}
