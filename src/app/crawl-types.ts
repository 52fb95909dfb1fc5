import type { Writable } from "node:stream";
import type { ByteCause } from "../kernel/byte-cause.ts";
import type { Outcome, SkipReason } from "../kernel/outcome.ts";
import type { Bytes, EpochMillis, Millis } from "../kernel/units.ts";
import type { WaitingHost } from "../pipeline/pressure.ts";
import type { Sink } from "../ports/sink.ts";

/** Why a run ended with work left; null when nothing was left. */
export type StopCause = "max-pages" | "max-bytes" | "max-time" | "max-wait" | "user" | "store" | "consumer";

/** What a run did. The names are the contract of `--json`. Plain JSON. */
export interface CrawlSummary {
  /** Fetched and understood: new, changed, unchanged or duplicate. */
  readonly pages: number;
  readonly failed: number;
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
  readonly boundBy: string;
  /** URLs known to the store. */
  readonly known: number;
  readonly hosts: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** Rows read of the start-up scan. */
  readonly scanned?: { readonly done: number; readonly total: number };
  /** The ten with most waiting. */
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
  status(): CrawlStatus;
  /** Starts nothing more and ends what is in flight, at most 25 s. */
  drain(): void;
  /** Ends at once; what was in flight is fetched again by the next run. */
  stop(): void;
}

/** Key of the store's text that holds the last `CrawlStatus` as JSON, written once a second. */
export const STATUS_META_KEY = "status";
