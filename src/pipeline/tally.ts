import type { Outcome } from "../kernel/outcome.ts";
import type { Bytes, Millis } from "../kernel/units.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import { type BytePurpose, ByteTally } from "./byte-tally.ts";

/** Window of the rates shown. */
const WINDOW_SECONDS = 10;

/** What holds the crawl back; the closed list of the live line and the summary (cli.md). */
export const BOUND_BY = ["host limits", "concurrency", "parse", "storage", "consumer", "nothing left"] as const;
export type BoundBy = (typeof BOUND_BY)[number];

/** Counts of one run, and what it was bound by. Bounded by the closed lists it counts over. */
export class Tally {
  readonly #outcomes: Record<Outcome, number> = {
    new: 0,
    changed: 0,
    unchanged: 0,
    duplicate: 0,
    redirect: 0,
    gone: 0,
    missing: 0,
    blocked: 0,
    skipped: 0,
    failed: 0,
  };
  readonly skips = new Map<string, number>();
  readonly boundSeconds = new Map<BoundBy, number>();
  fetches = 0;
  retries = 0;
  retriesStarted = 0;
  bytesWire: Bytes = 0;
  readonly bytes = new ByteTally();
  /** Settled URLs that hold a page: new, changed, unchanged, duplicate. */
  pages = 0;
  /** Any answer came, of whatever status. */
  answered = false;
  readonly #pagesAt: number[] = [];

  fetched(result: FetchResult, isRetry: boolean, purpose: BytePurpose): void {
    this.fetches += 1;
    if (isRetry) this.retriesStarted += 1;
    this.bytesWire += result.measure.bytesIn + result.measure.bytesOut;
    this.bytes.add(result, purpose);
    if (result.kind === "response") this.answered = true;
  }

  retried(): void {
    this.retries += 1;
  }

  settled(outcome: Outcome, code: string | null): void {
    this.#outcomes[outcome] += 1;
    if (outcome === "new" || outcome === "changed" || outcome === "unchanged" || outcome === "duplicate") this.pages += 1;
    if (outcome === "skipped" && code !== null) this.skips.set(code, (this.skips.get(code) ?? 0) + 1);
  }

  count(outcome: Outcome): number {
    return this.#outcomes[outcome];
  }

  /** Those that occurred. */
  get outcomes(): Partial<Record<Outcome, number>> {
    return Object.fromEntries(Object.entries(this.#outcomes).filter(([, count]) => count > 0));
  }

  /** Retries started ÷ all requests. */
  get retryShare(): number {
    return this.fetches === 0 ? 0 : this.retriesStarted / this.fetches;
  }

  /** Called once a second with what the crawl was bound by in it. */
  tick(span: Millis, bound: BoundBy): void {
    this.boundSeconds.set(bound, (this.boundSeconds.get(bound) ?? 0) + span / 1000);
    this.#pagesAt.push(this.pages);
    if (this.#pagesAt.length > WINDOW_SECONDS + 1) this.#pagesAt.shift();
  }

  /** Over the last ten seconds. */
  get pagesPerSecond(): number {
    const samples = this.#pagesAt;
    return samples.length < 2 ? 0 : (samples[samples.length - 1] - samples[0]) / (samples.length - 1);
  }
}
