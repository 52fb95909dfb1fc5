import { newHostLimiter } from "../flow/new-host-limiter.ts";
import { Fingerprinter } from "../kernel/fingerprint.ts";
import { LinkResolver } from "../kernel/link-resolver.ts";
import type { LocalCause, Signal } from "../kernel/signal.ts";
import type { EpochMillis, Millis, Seq, UrlId } from "../kernel/units.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import type { ScanRow } from "../ports/store.ts";
import { Frontier } from "../stages/frontier/frontier.ts";
import type { Host } from "../stages/frontier/host.ts";
import { RobotsGate } from "../stages/frontier/robots-gate.ts";
import { ContentIndex } from "../stages/store/content-index.ts";
import { StoreStage } from "../stages/store/store-stage.ts";
import { bodyPolicy } from "./body-policy.ts";
import { Continuous } from "./continuous.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { GlobalHold } from "./dispatcher-deps.ts";
import { type Errand, rowIds } from "./errand.ts";
import { Gauges } from "./gauges.ts";
import { heedHint } from "./heed-hint.ts";
import { HostStates, restoreState } from "./host-states.ts";
import { type HostUnits, hostUnitsOf } from "./host-units.ts";
import { localFaults } from "./local-faults.ts";
import { newPages } from "./new-pages.ts";
import type { Pages } from "./pages.ts";
import { openParseBoundary, type ParseBoundary } from "./parse-boundary.ts";
import type { PipelineDeps, PipelineOptions } from "./pipeline-deps.ts";
import { type Providers, providersOf } from "./providers.ts";
import { RetryAdmission } from "./retry-admission.ts";
import { Robots } from "./robots.ts";
import { Tally } from "./tally.ts";
import { Unreached } from "./unreached.ts";
import { type Visit, Visits } from "./visits.ts";
import { Work } from "./work.ts";

/**
 * The crawler, wired: frontier → host heap → fetch ⇒ parse ⇒ store, and back to the frontier. Everything it touches is passed
 * in, so the same object runs on real sockets and on virtual time.
 */
export class Pipeline {
  readonly tally = new Tally();
  readonly frontier: Frontier;
  readonly dispatcher: Dispatcher;
  readonly storeStage: StoreStage;
  readonly retries: RetryAdmission;
  readonly gauges = new Gauges();
  readonly providers: Providers;
  readonly parse: ParseBoundary;
  /** null: each host is limited by itself. */
  readonly units: HostUnits | null;
  readonly continuous: Continuous | null;
  readonly options: PipelineOptions;
  readonly #deps: PipelineDeps;
  readonly #visits: Visits;
  readonly #pages: Pages;
  readonly #robots: Robots;
  readonly #work: Work;
  readonly #hostStates: HostStates;
  readonly #content = new ContentIndex();
  readonly #unreached: Unreached | null;
  readonly #resolver = new LinkResolver();
  readonly #fingerprinter: Fingerprinter;
  readonly #aborts = new AbortController();
  #stopping = false;
  #fatal = false;

  constructor(deps: PipelineDeps, options: PipelineOptions, start: { readonly lastSeq: Seq; readonly knownUrls: number }) {
    this.#deps = deps;
    this.options = options;
    this.#unreached = options.retries > 0 ? new Unreached(deps.warn) : null;
    this.retries = new RetryAdmission(deps.clock);
    this.continuous = options.continuous === undefined ? null : new Continuous(deps.clock, deps.random, options.continuous);
    this.storeStage = this.#newStoreStage(start);
    this.providers = providersOf(deps, options, (key, state) => this.storeStage.meta(key, state));
    this.parse = openParseBoundary({ clock: deps.clock, store: this.storeStage, onRelaxed: () => this.pump() }, options);
    this.#fingerprinter = new Fingerprinter(this.#resolver.words, options.seed);
    this.units = hostUnitsOf(deps, options);
    this.frontier = this.#newFrontier();
    this.#hostStates = new HostStates(deps.clock, this.frontier, this.storeStage);
    this.#visits = this.#newVisits();
    this.#pages = this.#newPages();
    this.#robots = this.#newRobots();
    this.#work = this.#newWork();
    this.dispatcher = this.#newDispatcher();
  }

  #newStoreStage(start: { readonly lastSeq: Seq; readonly knownUrls: number }): StoreStage {
    const { store, clock, warn } = this.#deps;
    return new StoreStage(
      {
        store,
        clock,
        inFlight: () => [...rowIds(this.dispatcher.active), ...this.#pages.heldIds()],
        onCommitted: (seq, refused) => this.#committed(seq, refused),
        onTrouble: (error) => warn(this.gauges.storeRefused(error)),
        onGivenUp: (error) => this.#giveUp(error),
      },
      start.lastSeq,
      start.knownUrls,
    );
  }

  #newFrontier(): Frontier {
    const { units } = this;
    const { clock, store, admission } = this.#deps;
    const { limiter, paceOf, obeyRobots, productToken, retries } = this.options;
    return new Frontier({
      clock,
      store,
      log: this.storeStage,
      resolver: this.#resolver,
      fingerprinter: this.#fingerprinter,
      rules: admission,
      newLimiter: (host) => newHostLimiter(limiter, paceOf(host)),
      newRobots: (host) => new RobotsGate(obeyRobots, productToken, this.providers.retriesOf(host, retries)),
      newBudget: () => this.retries.newBudget(),
      ...(units === null ? {} : { made: (host: Host) => units.made(host) }),
      continuous: this.continuous?.parts((reason) => this.tally.shed(reason)) ?? null,
      onWork: (host) => this.dispatcher.offer(host),
      onRead: (host) => {
        this.dispatcher.offer(host);
        this.pump();
      },
      onStoreTrouble: (error) => this.storeStage.readFailed(error),
    });
  }

  #newVisits(): Visits {
    const { clock, random, admission, onSeedMoved } = this.#deps;
    const { pass, retries, cookies } = this.options;
    return new Visits({
      clock,
      random,
      frontier: this.frontier,
      store: this.storeStage,
      tally: this.tally,
      noAttempt: (errand) => this.retries.wasNoAttempt(errand),
      providers: this.providers,
      pass,
      retries,
      cookies,
      onPage: (errand, visit, result) => this.#pages.take(errand, visit, result),
      follow: (errand, visit, url, host) => this.#work.follow(errand, visit, url, host),
      onWork: (host) => this.dispatcher.offer(host),
      isSeed: (url) => admission.isSeed(url),
      onSeedMoved,
    });
  }

  #newPages(): Pages {
    return newPages(this.#deps, this.options, {
      frontier: this.frontier,
      resolver: this.#resolver,
      fingerprinter: this.#fingerprinter,
      needsWorker: (id) => this.#work.suspects.needsWorker(id),
      content: this.#content,
      visits: this.#visits,
      parse: this.parse,
      providers: this.providers,
      release: (errand) => this.dispatcher.release(errand),
      onArchiveTrouble: (error) => this.#giveUp(error),
      onBroken: (errand, visit, result, error) => this.#parserFailed(errand, visit, result, error),
      onGivenUp: (errand, message) => this.gauges.parserFailed(errand.url, message, this.#deps.warn),
      onLetGo: () => this.pump(),
    });
  }

  #newRobots(): Robots {
    const { sitemaps, paceOf } = this.options;
    return new Robots({
      clock: this.#deps.clock,
      frontier: this.frontier,
      store: this.storeStage,
      random: this.#deps.random,
      retries: this.retries,
      tally: this.tally,
      resolver: this.#resolver,
      sitemaps,
      paceOf,
      follow: (errand, host) => this.#work.queue(errand, host),
      onWork: (host) => this.dispatcher.offer(host),
    });
  }

  #newWork(): Work {
    return new Work({
      ...this.options,
      clock: this.#deps.clock,
      frontier: this.frontier,
      visits: this.#visits,
      robots: this.#robots,
      retries: this.retries,
      credits: this.parse.credits,
      caps: this.options,
      policy: bodyPolicy,
      onWork: (host) => this.dispatcher.offer(host),
    });
  }

  #newDispatcher(): Dispatcher {
    return new Dispatcher(
      {
        ...this.#deps,
        providers: this.providers,
        frontier: this.frontier,
        retries: this.retries,
        parse: this.parse.admission,
        units: this.units,
        signal: this.#aborts.signal,
        hold: () => this.#hold(),
        next: (host) => this.#work.next(host),
        unresolved: (host, code, message) => {
          if (code === "dns") this.#unreached?.note(host.key, message);
          this.#work.unresolved(host, code, message, this.#deps.random);
        },
        ended: (errand, result, local) => this.gauges.ended(this.#ended(errand, result, local), result),
        onLocal: localFaults(this.#deps.warn),
        released: (errand) => this.#work.released(errand),
      },
      this.options,
    );
  }

  /** Gives a host what the store kept of its limits. @param gateUntil until when it is closed. */
  restoreHost(host: Host, state: Uint8Array, gateUntil: EpochMillis | null): void {
    if (this.units !== null) this.units.restore(host, state, gateUntil);
    else restoreState(host, state, this.#deps.clock, gateUntil);
  }

  /** Takes one row of the start-up scan. */
  load(row: ScanRow, waits: boolean, epoch: EpochMillis, now: Millis): void {
    this.frontier.load(row, waits, epoch, now);
    if (row.textHash !== null && row.duplicateOf === null) this.#content.hold(row.host, row.textHash, row.id);
  }

  /** Enters the seeds and starts. */
  start(seeds: readonly string[]): void {
    for (const seed of seeds) this.frontier.discoverText(seed, 0, "seed");
    for (const host of this.frontier.hosts()) this.dispatcher.offer(host);
    this.#hostStates.start();
    this.parse.bounds.start();
    this.continuous?.start(this);
    this.dispatcher.pump();
  }

  /** Looks again at what may start: a consumer has taken something, a limit has moved. */
  pump(): void {
    this.dispatcher.pump();
  }

  /** Nothing waits, nothing is in flight: the pass is over. */
  get isIdle(): boolean {
    return this.continuous === null && this.frontier.left + this.dispatcher.inFlight + this.dispatcher.lookups + this.#work.queued === 0;
  }
  /** Nothing started is still on its way, in a fetch, in the parser or to the archive. */
  get isQuiet(): boolean {
    return this.dispatcher.inFlight === 0 && this.#pages.held === 0;
  }
  /** Nothing is on its way that may bring work which can start at once: a look-up, rows read from the store. */
  get isSettled(): boolean {
    return this.isQuiet && this.dispatcher.lookups === 0 && this.frontier.reads === 0;
  }

  /** Starts nothing more. */
  stop(): void {
    this.#stopping = true;
    this.dispatcher.stopTimer();
    this.#hostStates.stop();
    this.parse.bounds.stop();
    this.continuous?.stop();
  }

  /** Ends what is in flight at once. */
  abort(): void {
    this.stop();
    this.#aborts.abort();
    this.dispatcher.abortAll();
    this.#pages.abort();
  }

  /** Everything so far is durable. Rejects when the store was given up. */
  async flush(): Promise<void> {
    this.#hostStates.saveAll();
    await this.storeStage.committed();
  }

  #ended(errand: Errand, result: FetchResult, local: LocalCause | null): Signal {
    const { purpose } = errand;
    if (local === null) this.#unreached?.ended(errand.host.key, result);
    heedHint(errand, result, this.#deps.clock);
    if (purpose.kind === "robots") {
      const signal = this.#robots.ended(errand, purpose, result, local);
      this.dispatcher.release(errand);
      return signal;
    }
    try {
      return this.#visits.ended(errand, purpose, result, local);
    } catch (error) {
      return this.#parserFailed(errand, purpose, result, error);
    } finally {
      if (!this.#pages.holds(errand)) this.dispatcher.release(errand);
    }
  }

  /** A page that breaks the parser is that page's failure, not the crawl's. */
  #parserFailed(errand: Errand, visit: Visit, result: FetchResult, error: unknown): Signal {
    const message = error instanceof Error ? error.message : String(error);
    if (this.frontier.urls.state(visit.row.id) === 1)
      this.#visits.settle(visit, errand, result, { outcome: "failed", code: "parse", message });
    this.dispatcher.release(errand);
    this.gauges.parserFailed(errand.url, message, this.#deps.warn);
    return { kind: "page-fault" };
  }

  #hold(): GlobalHold | null {
    const { maxPages } = this.options;
    if (this.#stopping || this.#fatal) return "stopping";
    const underWay = this.dispatcher.inFlight + this.#pages.held;
    if (maxPages !== null && this.tally.pages + underWay >= maxPages) return "stopping";
    const held = this.storeStage.hasRoom ? this.parse.bounds.brake(this.dispatcher.inFlight) : "storage";
    if (held !== null) return held;
    if (this.#deps.consumerHasRoom(underWay, this.storeStage.lastSeq)) return null;
    this.storeStage.hurry();
    return "consumer";
  }

  #committed(seq: Seq, refused: readonly UrlId[]): void {
    for (const id of refused) this.#deps.warn(`A late result was refused (URL number ${id})`);
    if (seq > 0) this.#deps.onCommitted(seq);
    if (!this.#stopping) this.pump();
  }

  #giveUp(error: unknown): void {
    if (this.#fatal) return;
    this.#fatal = true;
    this.stop();
    this.#deps.onFatal(error);
  }
}
