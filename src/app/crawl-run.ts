import { FIXED } from "../config/fixed.ts";
import type { Settings } from "../config/settings.ts";
import { StoreUnavailable } from "../kernel/errors.ts";
import type { EpochMillis, Millis, Seq } from "../kernel/units.ts";
import { Delivery } from "../pipeline/delivery.ts";
import { type HostsAsked, type HostsView, viewHosts } from "../pipeline/host-view.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import type { ProviderReport } from "../pipeline/provider-report.ts";
import { requeueRunning } from "../pipeline/requeue.ts";
import type { Crashes } from "../pipeline/suspects.ts";
import type { CancelTimer } from "../ports/clock.ts";
import type { DeadLetters } from "../ports/store.ts";
import { CLEAN_RUN, crashCount, RUN_META_KEY } from "./crash-count.ts";
import { leftOf, STATUS_HOSTS, statusOfRun, summaryOfRun } from "./crawl-report.ts";
import type { CrawlHandle, CrawlStatus, CrawlSummary, StopCause } from "./crawl-types.ts";
import { toSettledUrl } from "./output/settled-url.ts";
import { movedKey, PASS_META_KEY, type Pass } from "./pass.ts";
import { pipelineOptions, type RunStart } from "./pipeline-options.ts";
import { restoreProviders, topUpRun } from "./provider-state.ts";
import type { RunDeps } from "./run-deps.ts";
import { limitReached } from "./run-limits.ts";
import { Snapshots } from "./snapshots.ts";
import { loadStore } from "./start-up-scan.ts";

/** Status snapshots, bound-by samples and limits are taken this often. Source: cli.md (live line). */
const TICK: Millis = 1_000;
/**
 * One run of a pass.
 *
 * States: *starting* → *scanning* (the store's URLs are read) → *running* → *draining* (nothing more starts; what is in flight
 * ends, at most 25 s) → *done*. It ends by itself when nothing in scope waits (the pass is finished), when a limit of the run
 * is reached, or when it is told to.
 */
export class CrawlRun implements CrawlHandle {
  readonly done: Promise<CrawlSummary>;
  readonly #deps: RunDeps;
  readonly #settings: Settings;
  readonly #start: RunStart;
  readonly #aborts = new AbortController();
  #pipeline: Pipeline | null = null;
  #delivery: Delivery | null = null;
  #delivered: Promise<void> = Promise.resolve();
  #state: CrawlStatus["state"] = "starting";
  #scanned = { done: 0, total: 0 };
  /** What is left as the store says, until it has been read; null from then on. */
  #leftUnread: number | null = null;
  #startedAt: Millis = 0;
  #startedEpoch: EpochMillis = 0;
  #endedAt: Millis | null = null;
  #tickedAt: Millis = 0;
  readonly #snapshots: Snapshots;
  #ticker: CancelTimer | null = null;
  #drainTimer: CancelTimer | null = null;
  #timeLimit: CancelTimer | null = null;
  #cause: StopCause | null = null;
  #finishing = false;
  /** Seeds that were found to lead elsewhere, in all passes of this identity. */
  #moved = 0;
  #failure: unknown = null;
  #resolve: (summary: CrawlSummary) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(deps: RunDeps, settings: Settings, start: RunStart) {
    this.#deps = deps;
    this.#snapshots = new Snapshots(deps.clock);
    this.#settings = settings;
    this.#start = start;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever never looks at `done` must not be ended by an unhandled rejection; whoever does still gets it.
    this.done.catch(() => undefined);
  }

  start(): void {
    const { clock } = this.#deps;
    this.#startedAt = clock.now();
    this.#startedEpoch = clock.epoch();
    this.#tickedAt = this.#startedAt;
    this.#tick();
    const { maxTime } = this.#settings;
    if (maxTime !== undefined) this.#timeLimit = clock.after(maxTime, () => this.#stopFor("max-time"));
    this.#run().catch((error: unknown) => this.#fail(error));
  }

  /** What it runs, for whoever measures it; null until the store has been read. */
  get pipeline(): Pipeline | null {
    return this.#pipeline;
  }

  status(hosts = true): CrawlStatus {
    const { clock, pid } = this.#deps;
    return statusOfRun({
      pipeline: this.#pipeline,
      state: this.#state,
      pid,
      startedAt: this.#startedEpoch,
      now: clock.now(),
      epoch: clock.epoch(),
      scanned: this.#scanned,
      consumer: this.#delivery?.pressure(clock.now()) ?? null,
      hosts: hosts ? STATUS_HOSTS : 0,
    });
  }

  /** Looks at every host: only when somebody asks. */
  hosts(asked: HostsAsked): HostsView {
    const { clock } = this.#deps;
    if (this.#pipeline === null) return { at: clock.epoch(), hosts: 0, reasons: {}, rows: [] };
    return viewHosts(this.#pipeline, asked, clock.now(), clock.epoch());
  }

  /** Dead letters of this pass wait again. @returns how many. */
  async retry(which: DeadLetters): Promise<number> {
    if (this.#pipeline === null || this.#state !== "running" || this.#finishing)
      throw new Error(`it is ${this.#state} and takes no URLs back; ask again when it has ended`);
    return requeueRunning(this.#deps.store, this.#pipeline, which, this.#start.pass.number);
  }

  drain(): void {
    if (this.#cause === null) this.#stopFor("user");
  }

  stop(): void {
    this.#cause ??= "user";
    this.#aborts.abort();
    this.#delivery?.stop();
    this.#pipeline?.abort();
    this.#turn();
  }

  async #run(): Promise<void> {
    const { store } = this.#deps;
    const { pass, lastSeq } = this.#start;
    this.#state = "scanning";
    const totals = await store.totals(pass.number);
    this.#scanned.total = totals.known;
    this.#leftUnread = leftOf(totals, this.#start.seeds.length);
    const { crashes, running } = await crashCount(store);
    const pipeline = this.#makePipeline(crashes);
    pipeline.storeStage.meta(RUN_META_KEY, running);
    await restoreProviders(pipeline, this.#deps.providers, store, this.#deps.clock.epoch());
    this.#pipeline = pipeline;
    this.#makeDelivery(pass.number, lastSeq);
    const deps = { store, clock: this.#deps.clock, signal: this.#aborts.signal, crashes };
    this.#moved = await loadStore(pipeline, this.#start, deps, () => {
      this.#scanned.done += 1;
    });
    pipeline.storeStage.meta(PASS_META_KEY, JSON.stringify(pass));
    if (this.#cause !== null) return this.#finish();
    this.#state = "running";
    this.#leftUnread = null;
    this.#delivered = this.#delivery?.run() ?? Promise.resolve();
    this.#delivered.catch((error: unknown) => this.#consumerFailed(error));
    pipeline.start(this.#start.seeds);
  }

  #makePipeline(crashes: Crashes): Pipeline {
    return new Pipeline(
      {
        ...this.#deps,
        admission: this.#start.admission,
        onSeedMoved: (from, to) => this.#seedMoved(from, to),
        consumerHasRoom: (inFlight, lastSeq) =>
          this.#delivery === null || lastSeq - this.#delivery.cursor + inFlight < this.#delivery.window,
        onCommitted: (seq) => this.#delivery?.committed(seq),
        onTurn: () => this.#turn(),
        onFatal: (error) => {
          this.#failure = error;
          this.#stopFor(error instanceof StoreUnavailable ? "store" : "consumer");
        },
      },
      { ...pipelineOptions(this.#settings, this.#start), crashes },
      { lastSeq: this.#start.lastSeq, knownUrls: this.#scanned.total },
    );
  }

  /** A person has paid. @throws Error when there is no such provider, or nothing runs. */
  topUp(name: string, amount: number | null): ProviderReport {
    return topUpRun(this.#pipeline, name, amount);
  }

  #makeDelivery(pass: number, lastSeq: Seq): void {
    const { store, clock } = this.#deps;
    const { consumer } = this.#start;
    if (consumer === null) return;
    const options = { optional: consumer.optional, page: "visit" as const };
    this.#delivery = new Delivery(
      {
        store,
        clock,
        sink: consumer.sink,
        consumer: consumer.name,
        pass,
        toSettledUrl: (row) => toSettledUrl(row, (ids) => store.urlTexts(ids), options),
        onTaken: () => this.#taken(),
      },
      { from: Math.max(consumer.from, this.#start.pass.firstSeq - 1), committed: lastSeq, grain: consumer.grain },
    );
  }

  #taken(): void {
    if (this.#state === "running") this.#pipeline?.pump();
  }

  #seedMoved(from: string, to: string): void {
    const host = this.#start.admission.seedMoved(to);
    if (host === null) return;
    this.#pipeline?.storeStage.meta(movedKey(this.#start.pass, this.#moved++), to);
    this.#deps.warn(`${from} redirects to ${host}, which is now in scope too`);
  }

  /** Once a second: what it was bound by, the snapshot for other processes. */
  #tick(): void {
    const { clock } = this.#deps;
    this.#ticker = clock.after(TICK, () => {
      const now = clock.now();
      if (this.#pipeline !== null && this.#state === "running") {
        this.#snapshots.take(this.#pipeline, this.#delivery?.pressure(now) ?? null, now - this.#tickedAt, () => this.status(false));
        const alarm = this.#pipeline.retries.tick(now);
        if (alarm !== null) this.#deps.warn(alarm);
        this.#turn();
      }
      this.#tickedAt = now;
      if (this.#state !== "done") this.#tick();
    });
  }

  /** After every change: is it over? */
  #turn(): void {
    const pipeline = this.#pipeline;
    if (pipeline === null || this.#finishing || this.#state === "scanning") return;
    const limit = this.#cause === null ? limitReached(pipeline, this.#settings, this.#deps.clock) : null;
    if (limit !== null) this.#stopFor(limit);
    const over = this.#cause === null ? pipeline.isIdle : pipeline.isQuiet;
    if (!over) return;
    this.#finishing = true;
    this.#finish().catch((error: unknown) => this.#fail(error));
  }

  #stopFor(cause: StopCause): void {
    this.#cause ??= cause;
    if (this.#state === "done") return;
    if (this.#state === "running") this.#state = "draining";
    else if (this.#state === "scanning") this.#aborts.abort();
    this.#pipeline?.stop();
    this.#drainTimer ??= this.#deps.clock.after(FIXED.drain, () => {
      this.#pipeline?.abort();
      this.#delivery?.stop();
    });
    this.#turn();
  }

  #consumerFailed(error: unknown): void {
    // A loop that was left on purpose has asked for a drain first; what it did not take comes again.
    if (this.#cause === "user") return;
    this.#failure ??= error;
    this.#stopFor("consumer");
  }

  async #finish(): Promise<void> {
    const pipeline = this.#pipeline;
    if (pipeline === null) return;
    pipeline.stop();
    this.#endedAt = this.#deps.clock.now();
    this.#ticker?.();
    if (this.#cause !== "store") {
      // One that has not read the store through would tell less than the last one told.
      if (this.#leftUnread === null) this.#snapshots.last(pipeline, this.status());
      pipeline.storeStage.meta(RUN_META_KEY, CLEAN_RUN);
      await pipeline.flush();
      this.#delivery?.committed(pipeline.storeStage.lastSeq);
    }
    this.#delivery?.finish();
    await this.#delivered.catch(() => undefined);
    if (this.#isComplete(pipeline)) {
      pipeline.storeStage.meta(PASS_META_KEY, JSON.stringify({ ...this.#start.pass, state: "done" } satisfies Pass));
      await pipeline.flush();
    }
    await this.#close();
    if (this.#failure !== null) this.#reject(this.#failure);
    else this.#resolve(this.#summary(pipeline));
  }

  /** All is settled and taken. Before that the pass stays open, so that the next run brings its consumer the rest and begins no new one. */
  #isComplete(pipeline: Pipeline): boolean {
    if (this.#cause !== null || this.#failure !== null) return false;
    return this.#delivery === null || this.#delivery.cursor >= pipeline.storeStage.lastSeq;
  }

  async #close(): Promise<void> {
    this.#state = "done";
    this.#ticker?.();
    this.#drainTimer?.();
    this.#timeLimit?.();
    await this.#deps.close();
  }

  #fail(error: unknown): void {
    if (this.#aborts.signal.aborted && this.#pipeline !== null && !this.#finishing) {
      this.#finishing = true;
      this.#finish().catch((second: unknown) => this.#reject(second));
      return;
    }
    this.#pipeline?.abort();
    this.#close().then(
      () => this.#reject(error),
      () => this.#reject(error),
    );
  }

  #summary(pipeline: Pipeline): CrawlSummary {
    return summaryOfRun(pipeline, {
      seconds: ((this.#endedAt ?? this.#deps.clock.now()) - this.#startedAt) / 1000,
      peakRss: this.#deps.peakRss(),
      stopped: this.#cause,
      left: this.#leftUnread ?? pipeline.frontier.left,
    });
  }
}
