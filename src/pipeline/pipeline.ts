import { CeilingLimiter } from "../flow/ceiling-limiter.ts";
import { CreditPool } from "../flow/credit-pool.ts";
import type { HostSignal } from "../flow/host-limiter.ts";
import { StoreUnavailable } from "../kernel/errors.ts";
import { Fingerprinter, type FingerprintSeed } from "../kernel/fingerprint.ts";
import { LinkResolver } from "../kernel/link-resolver.ts";
import type { SkipReason, Via } from "../kernel/outcome.ts";
import type { Bytes, EpochMillis, Millis, Seq, UrlId } from "../kernel/units.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { CancelTimer, Clock, Random } from "../ports/clock.ts";
import type { FetchResult, FetchRoute, HeaderView } from "../ports/fetch-route.ts";
import type { ScanRow, Store } from "../ports/store.ts";
import { Frontier } from "../stages/frontier/frontier.ts";
import type { Host } from "../stages/frontier/host.ts";
import { RobotsGate } from "../stages/frontier/robots-gate.ts";
import { PageParser } from "../stages/parse/page-parser.ts";
import { ContentIndex } from "../stages/store/content-index.ts";
import { StoreStage } from "../stages/store/store-stage.ts";
import { Dispatcher, type GlobalHold } from "./dispatcher.ts";
import { Errand } from "./errand.ts";
import { Pages } from "./pages.ts";
import { Robots } from "./robots.ts";
import { Tally } from "./tally.ts";
import { type Visit, Visits } from "./visits.ts";
import { Work } from "./work.ts";

/** Host state is written this often for hosts whose state moved. */
const HOST_STATE_EVERY: Millis = 1_000;

export interface PipelineOptions {
  readonly pass: number;
  readonly seed: FingerprintSeed;
  readonly concurrency: number;
  readonly ipCeiling: number;
  readonly parseItems: number;
  readonly parseBytes: Bytes;
  readonly maxBody: Bytes;
  readonly timeout: Millis;
  readonly retries: number;
  readonly cookies: "none" | "chain" | "host";
  readonly obeyRobots: boolean;
  readonly productToken: string;
  readonly sitemaps: "auto" | "probe" | "off";
  readonly own: { readonly headers: readonly (readonly [string, string])[]; readonly origins: ReadonlySet<string> };
  readonly wants: { readonly text: boolean; readonly headers: boolean; readonly html: boolean };
  /** Ceiling and least gap of a host, as the person set them. */
  readonly paceOf: (host: string) => { readonly ceiling: number; readonly gap: Millis };
  readonly maxPages: number | null;
}

export interface PipelineDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly route: FetchRoute;
  readonly store: Store;
  readonly blobs: BlobStore | null;
  readonly hashBody: (body: Uint8Array) => string;
  readonly inflate: (bytes: Uint8Array, cap: Bytes) => Uint8Array | null;
  readonly judge: (url: string, host: string, depth: number, via: Via) => SkipReason | null;
  readonly onSeedMoved: (from: string, to: string) => void;
  /** Pages that may still be started for the consumer's sake. */
  readonly consumerHasRoom: (inFlight: number, lastSeq: Seq) => boolean;
  readonly onCommitted: (seq: Seq) => void;
  readonly onTurn: () => void;
  readonly warn: (message: string) => void;
  readonly onFatal: (error: unknown) => void;
}

/**
 * The crawler, wired: frontier → host heap → fetch ⇒ parse ⇒ store, and back to the frontier. Everything it touches is passed
 * in, so the same object runs on real sockets and on virtual time.
 */
export class Pipeline {
  readonly tally = new Tally();
  readonly frontier: Frontier;
  readonly dispatcher: Dispatcher;
  readonly storeStage: StoreStage;
  readonly credits: CreditPool;
  readonly #deps: PipelineDeps;
  readonly #options: PipelineOptions;
  readonly #visits: Visits;
  readonly #pages: Pages;
  readonly #robots: Robots;
  readonly #work: Work;
  readonly #content = new ContentIndex();
  readonly #resolver = new LinkResolver();
  readonly #aborts = new AbortController();
  #stopping = false;
  #fatal = false;
  #hostTimer: CancelTimer | null = null;

  constructor(deps: PipelineDeps, options: PipelineOptions, start: { readonly lastSeq: Seq; readonly knownUrls: number }) {
    this.#deps = deps;
    this.#options = options;
    const { clock, random, route, store } = deps;
    const caps = { maxBody: options.maxBody, timeout: options.timeout };

    this.credits = new CreditPool({ items: options.parseItems, bytes: options.parseBytes });
    this.storeStage = new StoreStage(
      {
        store,
        clock,
        inFlight: () => this.#inFlightIds(),
        onCommitted: (seq, refused) => this.#committed(seq, refused),
        onTrouble: (error) => deps.warn(`${error.message}; fetching pauses until it can be written again`),
        onGivenUp: (error) => this.#giveUp(error),
      },
      start.lastSeq,
      start.knownUrls,
    );
    this.frontier = new Frontier({
      clock,
      store,
      log: this.storeStage,
      resolver: this.#resolver,
      fingerprinter: new Fingerprinter(this.#resolver.words, options.seed),
      rules: { judge: deps.judge },
      newLimiter: (host) => new CeilingLimiter(options.paceOf(host)),
      newRobots: () => new RobotsGate(options.obeyRobots, options.productToken),
      onWork: (host) => this.dispatcher.offer(host),
      onStoreTrouble: (error) => this.#giveUp(error),
    });
    this.#visits = new Visits({
      clock,
      random,
      frontier: this.frontier,
      store: this.storeStage,
      tally: this.tally,
      provider: route.name,
      pass: options.pass,
      retries: options.retries,
      cookies: options.cookies,
      onPage: (errand, visit, result) => this.#pages.take(errand, visit, result),
      follow: (errand, visit, url, host) => this.#work.follow(errand, visit, url, host),
      onSeedMoved: deps.onSeedMoved,
    });
    this.#pages = new Pages({
      clock,
      frontier: this.frontier,
      parser: new PageParser({ resolver: this.#resolver, inflate: deps.inflate, agent: options.productToken, isKnownHost: (host) => this.frontier.knowsHost(host) }),
      content: this.#content,
      blobs: deps.blobs,
      hashBody: deps.hashBody,
      wants: options.wants,
      followLists: options.sitemaps !== "off",
      settle: (visit, errand, result, ending) => {
        this.#visits.keepCookies(visit, errand, result);
        this.#visits.settle(visit, errand, result, ending);
      },
      release: (errand) => this.dispatcher.release(errand),
      onArchiveTrouble: (error) => this.#giveUp(error),
    });
    this.#robots = new Robots({ clock, frontier: this.frontier, store: this.storeStage, tally: this.tally, sitemaps: options.sitemaps, paceOf: options.paceOf, follow: (errand, host) => this.#work.queue(errand, host), onWork: (host) => this.dispatcher.offer(host) });
    this.#work = new Work({ clock, frontier: this.frontier, visits: this.#visits, robots: this.#robots, credits: this.credits, caps, own: options.own, policy: (errand, status, headers) => decideBody(errand, status, headers), onWork: (host) => this.dispatcher.offer(host) });
    this.dispatcher = new Dispatcher(
      {
        clock,
        random,
        route,
        frontier: this.frontier,
        credits: this.credits,
        signal: this.#aborts.signal,
        hold: () => this.#hold(),
        next: (host) => this.#work.next(host),
        unresolved: (host, code, message) => this.#work.unresolved(host, code, message, random),
        ended: (errand, result) => this.#ended(errand, result),
        onTurn: deps.onTurn,
      },
      options,
    );
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
    this.#saveHosts();
    this.dispatcher.pump();
  }

  /** Looks again at what may start: a consumer has taken something, a limit has moved. */
  pump(): void {
    this.dispatcher.pump();
  }

  /** Nothing waits, nothing is in flight: the pass is over. */
  get isIdle(): boolean {
    return this.frontier.left === 0 && this.dispatcher.inFlight === 0 && this.dispatcher.lookups === 0 && this.#work.queued === 0;
  }
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Starts nothing more. */
  stop(): void {
    this.#stopping = true;
    this.dispatcher.stopTimer();
  }

  /** Ends what is in flight at once. */
  abort(): void {
    this.stop();
    this.#aborts.abort();
    this.dispatcher.abortAll();
  }

  /** Everything so far is durable. Rejects when the store was given up. */
  async flush(): Promise<void> {
    this.#hostTimer?.();
    for (const host of this.frontier.hosts()) if (host.starts > 0 || host.dirty) this.#saveHost(host);
    await this.storeStage.committed();
  }

  #ended(errand: Errand, result: FetchResult): HostSignal {
    const { purpose } = errand;
    if (purpose.kind === "robots") {
      const signal = this.#robots.ended(errand, purpose, result);
      this.dispatcher.release(errand);
      return signal;
    }
    const parsing = result.kind === "response" && result.status >= 200 && result.status < 300;
    try {
      return this.#visits.ended(errand, purpose, result);
    } catch (error) {
      return this.#parserFailed(errand, purpose, result, error);
    } finally {
      if (!parsing) this.dispatcher.release(errand);
    }
  }

  /** A page that breaks the parser is that page's failure, not the crawl's. */
  #parserFailed(errand: Errand, visit: Visit, result: FetchResult, error: unknown): HostSignal {
    const message = error instanceof Error ? error.message : String(error);
    if (this.frontier.urls.state(visit.row.id) === 1) this.#visits.settle(visit, errand, result, { outcome: "failed", code: "parse", message });
    this.dispatcher.release(errand);
    this.#deps.warn(`${errand.url}: the page could not be parsed (${message})`);
    return { kind: "neutral" };
  }

  #hold(): GlobalHold | null {
    const { maxPages } = this.#options;
    if (this.#stopping || this.#fatal) return "stopping";
    if (maxPages !== null && this.tally.pages + this.dispatcher.inFlight >= maxPages) return "stopping";
    if (!this.storeStage.hasRoom) return "storage";
    return this.#deps.consumerHasRoom(this.dispatcher.inFlight, this.storeStage.lastSeq) ? null : "consumer";
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
    this.#deps.onFatal(error instanceof StoreUnavailable ? error : error);
  }

  #inFlightIds(): UrlId[] {
    const ids: UrlId[] = [];
    for (const errand of this.dispatcher.active) if (errand.rowId >= 0) ids.push(errand.rowId);
    return ids;
  }

  #saveHosts(): void {
    this.#hostTimer = this.#deps.clock.after(HOST_STATE_EVERY, () => {
      for (const host of this.frontier.hosts()) if (host.dirty) this.#saveHost(host);
      if (!this.#stopping) this.#saveHosts();
    });
  }

  #saveHost(host: Host): void {
    const { clock } = this.#deps;
    host.dirty = false;
    const now = clock.now();
    const gate = host.limiter.gateUntil;
    this.storeStage.hostState({ id: host.id, limiter: host.limiter.state(now), gateUntil: gate > now ? clock.epoch() + (gate - now) : null, robots: null });
  }
}

/** Types that are never a page, known from the header alone. Everything else is read and looked at. */
const NOT_PAGES = /^(?:image|audio|video|font)\/|^application\/(?:pdf|zip|wasm|javascript|x-javascript|msword|vnd\.|x-tar|x-bzip|x-7z|x-rar|java-archive)|^text\/(?:css|javascript)/i;
/** Except these, which hold links or text. */
const PAGES_ALL_THE_SAME = /^image\/svg|\+(?:xml|json)/i;

/** Reads what may be a page, a list of URLs or a rule file; a redirect's and an error's body is not worth its bytes. */
function decideBody(errand: Errand, status: number, headers: HeaderView): "read" | "discard" {
  if (status < 200 || status >= 300) return "discard";
  if (errand.purpose.kind === "robots") return "read";
  const { via } = errand.purpose.row;
  if (via === "sitemap" || via === "feed") return "read";
  const type = headers.get("content-type") ?? "";
  return NOT_PAGES.test(type) && !PAGES_ALL_THE_SAME.test(type) ? "discard" : "read";
}
