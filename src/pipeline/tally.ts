import type { ShedReason } from "../flow/shedder.ts";
import type { Outcome } from "../kernel/outcome.ts";
import type { Bytes, Millis } from "../kernel/units.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import { type BytePurpose, ByteTally } from "./byte-tally.ts";

/** Window of the rates shown. */
const WINDOW_SECONDS = 10;
const MINUTE = 60;

/** What holds the crawl back; the closed list of the live line and the summary (cli.md). */
export const BOUND_BY = [
  "host limits",
  "parse",
  "storage",
  "consumer",
  "provider plan",
  "credits",
  "budget",
  "concurrency",
  "local",
  "nothing left",
] as const;
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
  /** Visits deferred, by reason. */
  readonly sheds = new Map<ShedReason, number>();
  readonly boundSeconds = new Map<BoundBy, number>();
  fetches = 0;
  retriesStarted = 0;
  bytesWire: Bytes = 0;
  readonly bytes = new ByteTally();
  /** Settled URLs that hold a page: new, changed, unchanged, duplicate. */
  pages = 0;
  /** Any answer came, of whatever status. */
  answered = false;
  readonly #pagesAt: number[] = [];
  /** Answered well and not, at each of the last sixty seconds. */
  readonly #endingsAt: { readonly good: number; readonly bad: number }[] = [];
  #changes = 0;
  #changedAt: Millis | null = null;

  fetched(result: FetchResult, isRetry: boolean, purpose: BytePurpose): void {
    this.fetches += 1;
    if (isRetry) this.retriesStarted += 1;
    this.bytesWire += result.measure.bytesIn + result.measure.bytesOut;
    this.bytes.add(result, purpose);
    if (result.kind === "response") this.answered = true;
  }

  settled(outcome: Outcome, code: string | null): void {
    this.#outcomes[outcome] += 1;
    if (outcome === "new" || outcome === "changed" || outcome === "unchanged" || outcome === "duplicate") this.pages += 1;
    if (outcome === "skipped" && code !== null) this.skips.set(code, (this.skips.get(code) ?? 0) + 1);
  }

  shed(reason: ShedReason): void {
    this.sheds.set(reason, (this.sheds.get(reason) ?? 0) + 1);
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
  tick(span: Millis, bound: BoundBy, now: Millis): void {
    const { new: fresh, changed, failed, blocked, redirect, gone, missing } = this.#outcomes;
    if (fresh + changed > this.#changes) this.#changedAt = now;
    this.#changes = fresh + changed;
    this.#endingsAt.push({ good: this.pages + redirect + gone + missing, bad: failed + blocked });
    if (this.#endingsAt.length > MINUTE + 1) this.#endingsAt.shift();
    this.boundSeconds.set(bound, (this.boundSeconds.get(bound) ?? 0) + span / 1000);
    this.#pagesAt.push(this.pages);
    if (this.#pagesAt.length > WINDOW_SECONDS + 1) this.#pagesAt.shift();
  }

  /** Of what was settled in the last minute, the share that was answered well; null when nothing was. */
  get successShare(): number | null {
    const [first, last] = [this.#endingsAt[0], this.#endingsAt.at(-1)];
    if (first === undefined || last === undefined) return null;
    const [good, bad] = [last.good - first.good, last.bad - first.bad];
    return good + bad === 0 ? null : good / (good + bad);
  }

  /** Since a page was last new or changed, to a second; null when none was. */
  sinceChange(now: Millis): Millis | null {
    return this.#changedAt === null ? null : now - this.#changedAt;
  }

  /** Over the last ten seconds. */
  get pagesPerSecond(): number {
    const samples = this.#pagesAt;
    return samples.length < 2 ? 0 : (samples[samples.length - 1] - samples[0]) / (samples.length - 1);
  }
}
