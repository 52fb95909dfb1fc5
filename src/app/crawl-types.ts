import type { Writable } from "node:stream";
import type { ByteCause } from "../kernel/byte-cause.ts";
import type { Outcome, SkipReason } from "../kernel/outcome.ts";
import type { Bytes, EpochMillis, Millis } from "../kernel/units.ts";
import type { RefusalCounts } from "../pipeline/gauges.ts";
import type { WaitingHost } from "../pipeline/host-view.ts";
import type { StageName, StagePressure } from "../pipeline/pressure.ts";
import type { ProviderReport } from "../pipeline/provider-report.ts";
import type { BoundBy } from "../pipeline/tally.ts";
import type { Sink } from "../ports/sink.ts";

/** Why a run ended with work left; null when nothing was left. */
export type StopCause = "max-pages" | "max-bytes" | "max-time" | "max-wait" | "user" | "store" | "consumer";

/** What a run did. The names are the contract of `--json`. Plain JSON. */
export interface CrawlSummary {
  /** Fetched and understood: new, changed, unchanged or duplicate. */
  readonly pages: number;
  readonly failed: number;
  /** The site refused: 401, 403, 429 after all retries, a challenge. */
  readonly blocked: number;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  readonly changed: number;
  readonly unchanged: number;
  readonly new: number;
  /** Requests sent: attempts, hops, robots.txt and sitemaps. */
  readonly fetches: number;
  readonly retries: number;
  /** `retries` ÷ `fetches`, 0–1. */
  readonly retryShare: number;
  readonly bytesWire: Bytes;
  /** The same bytes by what they were spent on; the parts sum to `bytesWire`. */
  readonly bytesByCause: Readonly<Record<ByteCause, Bytes>>;
  /** In currency micro-units; 0 without a priced provider. */
  readonly cost: number;
  /** By name; empty in a crawl that goes directly. */
  readonly providers?: Readonly<Record<string, ProviderReport>>;
  readonly hosts: number;
  readonly sheds: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly pagesPerSecond: number;
  readonly peakRssBytes: Bytes;
  /** Seconds by cause. */
  readonly boundBy: Readonly<Record<string, number>>;
  readonly stopped: StopCause | null;
  /** URLs in scope that wait. */
  readonly left: number;
}

/** A moment of a running crawl: the live line, the control socket's answer, and the store's snapshot. Plain JSON, bounded. */
export interface CrawlStatus {
  readonly state: "starting" | "scanning" | "running" | "draining" | "done";
  readonly pid: number;
  readonly startedAt: EpochMillis;
  readonly at: EpochMillis;
  /** Of this run, as in the summary. */
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly inFlight: number;
  readonly waiting: number;
  /** Of pages visited again, 0–1; null when there was none. */
  readonly changedShare: number | null;
  readonly errors: number;
  /** Retries ÷ requests started in the last 60 s, 0–1. */
  readonly retryShare: number;
  readonly bytesWire: Bytes;
  /** null where it can't be known. */
  readonly timeLeft: Millis | null;
  /** In words: the cause, and what of it. */
  readonly boundBy: string;
  /** The cause alone, from the closed list; null before anything runs. */
  readonly boundByCause: BoundBy | null;
  /** What would help, and what would not; empty when nothing is to be said. */
  readonly helps: string;
  /** Sudden changes that a person should know of now. */
  readonly alarms: readonly string[];
  /** Depth, bytes, age and refusals by stage; null before anything runs. */
  readonly stages: Readonly<Record<StageName, StagePressure>> | null;
  /** By who refused. */
  readonly refusals: RefusalCounts;
  /** Of the URLs settled in the last minute, those that were answered well, 0–1; null when none was. */
  readonly successShare: number | null;
  /** Since a page was last new or changed, to a second; null when none was. */
  readonly sinceChange: Millis | null;
  /** URLs that ended without a page after all their attempts. */
  readonly deadLetters: number;
  /** In currency micro-units a page; null without a priced provider, or a page. */
  readonly costPerPage: number | null;
  /** Visits deferred, by reason. */
  readonly sheds: Readonly<Record<string, number>>;
  /** URLs known to the store. */
  readonly known: number;
  readonly hosts: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** Rows read of the start-up scan. */
  readonly scanned?: { readonly done: number; readonly total: number };
  /** By name; empty in a crawl that goes directly. */
  readonly providers?: Readonly<Record<string, ProviderReport>>;
  /** The ten with most waiting; empty in the line of a moment that shows none. */
  readonly waitingHosts: readonly WaitingHost[];
}

/** What a crawl needs from whoever starts it, besides the settings. */
export interface CrawlIo {
  /** weir's own version. */
  readonly version: string;
  /** Where `-o -` writes. */
  readonly stdout: Writable;
  /** One line for a person: a bad seed's end, a host added to the scope, a trap. Called seldom. */
  warn(message: string): void;
  /** A consumer besides `-o`: the library's loop. `name` is its cursor in the store. */
  readonly consumer?: { readonly name: string; readonly sink: Sink };
}

/** A crawl under way. */
export interface CrawlHandle {
  /** Rejects with a `WeirError` when it could not go on. */
  readonly done: Promise<CrawlSummary>;
  /** @param hosts false leaves the hosts out, for which all hosts are looked at. */
  status(hosts?: boolean): CrawlStatus;
  /** Starts nothing more and ends what is in flight, at most 25 s. */
  drain(): void;
  /** Ends at once; what was in flight is fetched again by the next run. */
  stop(): void;
}

/** Key of the store's text that holds the last `HostsView` as JSON, written every few seconds. */
export const HOSTS_META_KEY = "hosts";

/** Key of the store's text that holds the last `CrawlStatus` as JSON, written once a second. */
export const STATUS_META_KEY = "status";
