import type { SkipReason } from "../kernel/outcome.ts";
import type { Bytes, EpochMillis, Millis } from "../kernel/units.ts";
import { waitingHosts } from "../pipeline/host-view.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import { boundCause, boundWords, type ConsumerPressure, HELP, stagePressures } from "../pipeline/pressure.ts";
import { providerReports } from "../pipeline/provider-report.ts";
import type { StoreTotals } from "../ports/store.ts";
import type { CrawlStatus, CrawlSummary, StopCause } from "./crawl-types.ts";

export interface RunFacts {
  readonly pipeline: Pipeline | null;
  readonly state: CrawlStatus["state"];
  readonly pid: number;
  readonly startedAt: EpochMillis;
  readonly now: Millis;
  readonly epoch: EpochMillis;
  readonly scanned: { readonly done: number; readonly total: number };
  readonly consumer: ConsumerPressure | null;
  /** How many hosts are to be shown. */
  readonly hosts: number;
}

/** Hosts shown in a status. */
export const STATUS_HOSTS = 10;

const NOTHING_YET = {
  pages: 0,
  pagesPerSecond: 0,
  inFlight: 0,
  waiting: 0,
  changedShare: null,
  errors: 0,
  retryShare: 0,
  bytesWire: 0,
  timeLeft: null,
  boundBy: "starting",
  boundByCause: null,
  helps: "",
  alarms: [],
  stages: null,
  refusals: {},
  successShare: null,
  sinceChange: null,
  deadLetters: 0,
  costPerPage: null,
  sheds: {},
  known: 0,
  hosts: 0,
  outcomes: {},
  skipped: {},
  waitingHosts: [],
} as const;

/** The moment a status shows. Bounded: counts, and ten hosts. */
export function statusOfRun(facts: RunFacts): CrawlStatus {
  const { pipeline, state, pid, startedAt, now, epoch } = facts;
  const base = { state, pid, startedAt, at: epoch };
  if (pipeline === null) return { ...base, ...NOTHING_YET };
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
    retryShare: pipeline.retries.share.share(now),
    bytesWire: tally.bytesWire,
    timeLeft: rate > 0 && waiting > 0 ? (waiting / rate) * 1000 : null,
    ...boundOf(facts, pipeline),
    alarms: pipeline.gauges.alarms,
    stages: stagePressures(pipeline, facts.consumer, now),
    refusals: pipeline.gauges.refusals,
    successShare: tally.successShare,
    sinceChange: tally.sinceChange(now),
    deadLetters: tally.count("failed") + tally.count("blocked"),
    costPerPage: costPerPage(pipeline),
    sheds: Object.fromEntries(tally.sheds),
    known: frontier.urls.size,
    hosts: pipeline.dispatcher.hostsAsked,
    outcomes: tally.outcomes,
    skipped: skippedCounts(pipeline),
    ...(state === "scanning" ? { scanned: { ...facts.scanned } } : {}),
    providers: providerReports(pipeline.providers),
    waitingHosts: facts.hosts === 0 ? [] : waitingHosts(pipeline, facts.hosts, now, epoch),
  };
}

/** In currency micro-units; null without a priced provider. */
function costPerPage({ providers, tally }: Pipeline): number | null {
  const cost = Object.values(providerReports(providers)).reduce((sum, provider) => sum + provider.cost, 0);
  return cost === 0 || tally.pages === 0 ? null : cost / tally.pages;
}

function boundOf(facts: RunFacts, pipeline: Pipeline): Pick<CrawlStatus, "boundBy" | "boundByCause" | "helps"> {
  if (facts.state === "scanning") return { boundBy: "reading the store", boundByCause: null, helps: "" };
  const cause = boundCause(pipeline, facts.consumer, facts.now);
  return { boundBy: boundWords(pipeline, cause, facts.now), boundByCause: cause, helps: HELP[cause] };
}

function skippedCounts(pipeline: Pipeline): Partial<Record<SkipReason, number>> {
  const counts: Record<string, number> = Object.fromEntries(pipeline.tally.skips);
  for (const [reason, count] of pipeline.frontier.skips) if (count > 0) counts[reason] = (counts[reason] ?? 0) + count;
  return counts;
}

/** What a pass has left by the store's own counts, for a run that ends before it has read them all. Nothing known: the seeds. */
export function leftOf(totals: StoreTotals, seeds: number): number {
  const sum = (counts: Readonly<Partial<Record<string, number>>>): number =>
    Object.values(counts).reduce<number>((all, count) => all + (count ?? 0), 0);
  const { known, outcomes, skips } = totals;
  if (known === 0) return seeds;
  // URLs that were skipped when they came up stand in both counts.
  return Math.max(0, known - sum(outcomes) - sum(skips) + (outcomes.skipped ?? 0));
}

/** The last line of a run. */
export function summaryOfRun(
  pipeline: Pipeline,
  run: { readonly seconds: number; readonly peakRss: Bytes; readonly stopped: StopCause | null; readonly left: number },
): CrawlSummary {
  const { tally } = pipeline;
  const { seconds, peakRss, stopped, left } = run;
  const providers = providerReports(pipeline.providers);
  return {
    pages: tally.pages,
    failed: tally.count("failed"),
    blocked: tally.count("blocked"),
    skipped: skippedCounts(pipeline),
    changed: tally.count("changed"),
    unchanged: tally.count("unchanged"),
    new: tally.count("new"),
    fetches: tally.fetches,
    retries: tally.retriesStarted,
    retryShare: tally.retryShare,
    bytesWire: tally.bytesWire,
    bytesByCause: tally.bytes.byCause,
    cost: Object.values(providers).reduce((sum, { cost }) => sum + cost, 0),
    providers,
    hosts: pipeline.dispatcher.hostsAsked,
    sheds: Object.fromEntries(tally.sheds),
    seconds,
    pagesPerSecond: seconds > 0 ? tally.pages / seconds : 0,
    peakRssBytes: peakRss,
    boundBy: Object.fromEntries(tally.boundSeconds),
    stopped,
    left,
  };
}
