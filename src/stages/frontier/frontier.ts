import type { Fingerprinter } from "../../kernel/fingerprint.ts";
import { hostKey } from "../../kernel/host-key.ts";
import type { LinkResolver } from "../../kernel/link-resolver.ts";
import type { SkipReason, Via } from "../../kernel/outcome.ts";
import type { EpochMillis, HostId, Millis, UrlId } from "../../kernel/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NewHost, NewUrl, Rescheduled, ScanRow, Store, VisitRow } from "../../ports/store.ts";
import { DueHeap } from "../../schedule/due-heap.ts";
import type { Host, Lane } from "./host.ts";
import { type HostParts, HostRegistry } from "./host-registry.ts";
import { KnownUrls, LEASED, RETRYING, SETTLED, SKIPPED, WAITING } from "./known-urls.ts";
import { freshRow, ReadAhead } from "./read-ahead.ts";
import { type ContinuousParts, Recurring } from "./recurring.ts";

/** Of so many turns of a host one is the crowd's. */
const CROWD_TURNS = 4;

/** Where the frontier's changes go: the open batch of the store stage. Never waits. */
export interface FrontierLog {
  addHost(host: NewHost): void;
  addUrl(url: NewUrl): void;
  revise(id: UrlId, depth: number, skip: SkipReason | null): void;
  reschedule(row: Rescheduled): void;
  /** Resolves once everything logged so far is committed. */
  committed(): Promise<void>;
  /** True when something about the URL is logged and not committed. */
  isPending(id: UrlId): boolean;
}

/** What decides whether a URL met for the first time is followed. */
export interface AdmissionRules {
  /** @returns why the URL is not followed, or null. */
  judge(url: string, host: string, depth: number, via: Via): SkipReason | null;
  /** Counts a URL that is followed. @returns whether its part of the host has given many before: it waits in the lane of the crowd. */
  crowds(url: string, host: string): boolean;
}

export interface FrontierDeps extends HostParts {
  readonly clock: Clock;
  readonly store: Store;
  readonly log: FrontierLog;
  readonly resolver: LinkResolver;
  readonly fingerprinter: Fingerprinter;
  readonly rules: AdmissionRules;
  /** Settled URLs come back; null in a crawl, which ends. */
  readonly continuous: ContinuousParts | null;
  /** A host has work it did not have, or may be served again. */
  readonly onWork: (host: Host) => void;
  /** Rows that had to be waited for have come. */
  readonly onRead: (host: Host) => void;
  /** The store could not be read: nothing is lost, the rows are asked for again after the store has recovered. */
  readonly onStoreTrouble: (error: unknown) => void;
}

/**
 * The durable set of known URLs: who is known, what waits on which host, what comes back when.
 * Truth is in the store; here stands what each link needs ({@link KnownUrls}) and the few rows read ahead.
 * Ownership mode: a lease is the removal from the host's list; nothing is written for it.
 */
export class Frontier {
  readonly urls = new KnownUrls();
  readonly #deps: FrontierDeps;
  readonly #hosts: HostRegistry;
  readonly #ahead: ReadAhead;
  readonly #retries = new DueHeap();
  readonly #recurring: Recurring | null;
  #left = 0;
  /** URLs skipped at discovery in this run, by reason. */
  readonly skips = new Map<SkipReason, number>();

  constructor(deps: FrontierDeps) {
    this.#deps = deps;
    this.#hosts = new HostRegistry(deps);
    this.#ahead = new ReadAhead(this.urls, deps);
    this.#recurring = deps.continuous === null ? null : this.#newRecurring(deps.continuous);
  }

  #newRecurring(parts: ContinuousParts): Recurring {
    const { clock, onWork } = this.#deps;
    return new Recurring({
      ...parts,
      clock,
      urls: this.urls,
      ahead: this.#ahead,
      hostById: (id) => this.#hosts.byId(id),
      onWork,
      onDue: (more) => {
        this.#left += more;
      },
    });
  }

  /** URLs that this pass still has to settle, those in flight included. */
  get left(): number {
    return this.#left;
  }
  /** Visits of continuous work that are not due yet, the deferred ones among them. */
  get later(): number {
    return this.#recurring?.later ?? 0;
  }
  /** Hosts whose rows are on their way from the store. */
  get reads(): number {
    return this.#ahead.reads;
  }
  get retrying(): number {
    return this.#retries.size;
  }
  get nextRetryAt(): Millis {
    return Math.min(this.#retries.nextAt, this.#recurring?.nextAt ?? Number.POSITIVE_INFINITY);
  }
  knowsHost(key: string): boolean {
    return this.#hosts.knows(key);
  }
  get hostCount(): number {
    return this.#hosts.known;
  }
  /** Hosts that were ever given work, for display. */
  hosts(): IterableIterator<Host> {
    return this.#hosts.values();
  }

  /**
   * Enters the URL now in the resolver's scratch. The hot path: of 75 links on a page 74 are known.
   * @param length of the canonical URL in the scratch; more than 0.
   * @returns its id.
   */
  discover(length: number, depth: number, via: Via, nofollow: boolean): UrlId {
    const print = this.#deps.fingerprinter;
    print.of(length);
    const id = this.urls.find(print.a, print.b, print.c);
    if (id < 0) return this.#enter(print, this.#deps.resolver.text(), depth, via, nofollow);
    if (!this.urls.isSettledFor(id, depth)) this.#reconsider(id, depth, via, nofollow);
    return id;
  }

  /** A link that is too long to be kept: counted, and that is all. */
  refuseTooLong(): void {
    this.skips.set("url-too-long", (this.skips.get("url-too-long") ?? 0) + 1);
  }

  /** As `discover`, for a canonical URL at hand. */
  discoverText(url: string, depth: number, via: Via): UrlId {
    const length = this.#deps.resolver.resolveString(url);
    return length <= 0 ? -1 : this.discover(length, depth, via, false);
  }

  /** Enters the sitemap now in the resolver's scratch, which a robots.txt or an index names: wherever it lies, for the site itself says so. */
  discoverSitemap(length: number, depth: number): void {
    const { resolver, fingerprinter } = this.#deps;
    fingerprinter.of(length);
    const id = this.urls.find(fingerprinter.a, fingerprinter.b, fingerprinter.c);
    if (id < 0) this.#enter(fingerprinter, resolver.text(), depth, "sitemap", false, "exempt");
    else if (this.urls.state(id) >= SKIPPED) this.#revive(id, resolver.text());
  }

  /** @returns the id of a canonical URL, or -1 when it is not known. */
  find(url: string): UrlId {
    const length = this.#deps.resolver.resolveString(url);
    if (length <= 0) return -1;
    const print = this.#deps.fingerprinter;
    print.of(length);
    return this.urls.find(print.a, print.b, print.c);
  }

  /** Enters a URL that a redirect leads to and leases it at once. Only for URLs that `find` does not know. @returns its row, or the reason against it. */
  leaseNew(url: string, depth: number): VisitRow | SkipReason {
    const length = this.#deps.resolver.resolveString(url);
    if (length <= 0) return "url-too-long";
    const print = this.#deps.fingerprinter;
    print.of(length);
    const id = this.#enter(print, url, depth, "redirect", false, "lease");
    return this.urls.skipReason(id) ?? freshRow(id, url, depth, "redirect");
  }

  hostOf(url: string): Host {
    return this.#hosts.byKey(hostKey(url));
  }

  /**
   * Next row of a host, leased; undefined when none is read ahead (a read is then on its way if any waits).
   * @param retries whether rows that were tried before may be among them; they come first then.
   */
  take(host: Host, retries = true): VisitRow | undefined {
    const { main, crowd } = host;
    if (host.visits !== null) this.#recurring?.choose(host);
    if (retries && host.retries.length > 0) {
      const again = this.#takeOf(host, host.retries);
      if (again !== undefined) return again;
    }
    if (crowd.length === 0) return this.#takeOf(host, main);
    if (main.length === 0) return this.#takeOf(host, crowd);
    host.turns += 1;
    const [first, second] = host.turns % CROWD_TURNS === 0 ? [crowd, main] : [main, crowd];
    return this.#takeOf(host, first) ?? this.#takeOf(host, second);
  }

  #takeOf(host: Host, lane: Lane): VisitRow | undefined {
    const row = this.#ahead.take(host, lane);
    if (row !== undefined) this.urls.setState(row.id, LEASED);
    return row;
  }

  /** Puts a leased row back in front, as it was. What does not fit beside the rows read ahead is read again. */
  giveBack(host: Host, row: VisitRow, lane = row.attempts > 0 ? host.retries : host.main): void {
    this.urls.setState(row.id, WAITING);
    this.#ahead.giveBack(lane, row);
  }

  /** A leased URL is settled for this pass. */
  settled(id: UrlId, hasPage: boolean): void {
    this.urls.setState(id, SETTLED);
    this.urls.markRow(id);
    if (hasPage) this.urls.markPage(id);
    this.#left -= 1;
    this.#recurring?.settled(id);
  }

  /** A leased URL comes back after `wait`, its attempts counted. */
  reschedule(row: VisitRow, host: Host, retry: Pick<Rescheduled, "attempts" | "delay" | "code">, wait: Millis): void {
    const { clock, log } = this.#deps;
    this.urls.setState(row.id, RETRYING);
    this.urls.markRow(row.id);
    log.reschedule({ ...retry, id: row.id, token: row.token, dueAt: clock.epoch() + wait });
    this.#retries.push({ at: clock.now() + wait, id: row.id, host: host.id });
  }

  /** So many URLs more, or fewer, are on their way here: the pass is not over. */
  expect(change: number): void {
    this.#left += change;
  }

  /** Dead letters that were put back in the store wait again. */
  requeued(id: UrlId, hostId: HostId): void {
    const host = this.#hosts.byId(hostId);
    this.urls.setState(id, WAITING);
    this.#left += 1;
    host.main.list.append(this.urls, id);
    this.#deps.onWork(host);
  }

  /** Moves what is due to its hosts. */
  wake(now: Millis): void {
    this.#recurring?.wake(now);
    for (let due = this.#retries.popDue(now); due !== undefined; due = this.#retries.popDue(now)) {
      const host = this.#hosts.byId(due.host);
      this.urls.setState(due.id, WAITING);
      host.retries.list.append(this.urls, due.id);
      this.#deps.onWork(host);
    }
  }

  /** Takes one row of the start-up scan. @param waits whether this pass still has to settle it; a future `dueAt` is honoured. */
  load(row: ScanRow, waits: boolean, nowEpoch: EpochMillis, now: Millis): void {
    const { resolver, fingerprinter, rules } = this.#deps;
    const length = resolver.resolveString(row.url);
    fingerprinter.of(length);
    const state = row.skip !== null ? SKIPPED : waits ? WAITING : SETTLED;
    const id = this.urls.add(fingerprinter.a, fingerprinter.b, fingerprinter.c, state, row.depth, row.via);
    if (row.token > 0) this.urls.markRow(id);
    if (row.textHash !== null) this.urls.markPage(id);
    if (row.skip !== null) {
      this.urls.setSkipped(id, row.skip);
      return;
    }
    if (!waits) return;
    this.#left += 1;
    const host = this.#hosts.byId(row.host);
    if (row.attempts > 0 && row.dueAt !== null) {
      this.urls.setState(id, RETRYING);
      this.#retries.push({ at: now + Math.max(0, row.dueAt - nowEpoch), id, host: host.id });
    } else if (this.#recurring !== null) this.#recurring.enter(id, host);
    else laneOf(host, rules.crowds(row.url, host.key)).list.append(this.urls, id);
  }

  /** Makes a host of the store known under its stored id. Hosts come in id order. */
  loadHost(id: HostId, key: string): void {
    this.#hosts.load(id, key);
  }

  /** Host by id, made on first use. */
  hostById(id: HostId): Host {
    return this.#hosts.byId(id);
  }

  #enter(print: Fingerprinter, url: string, depth: number, via: Via, nofollow: boolean, how: "list" | "lease" | "exempt" = "list"): UrlId {
    const { rules, log } = this.#deps;
    const key = hostKey(url);
    const skip = how === "exempt" ? null : (rules.judge(url, key, depth, via) ?? (nofollow ? "nofollow" : null));
    const id = this.urls.add(print.a, print.b, print.c, WAITING, depth, via);
    const hostId = this.#hosts.idOf(key);
    log.addUrl({ id, url, host: hostId, depth, via, skip });
    if (skip !== null) {
      this.urls.setSkipped(id, skip);
      this.skips.set(skip, (this.skips.get(skip) ?? 0) + 1);
      return id;
    }
    this.#left += 1;
    if (how === "lease") this.urls.setState(id, LEASED);
    else if (this.#recurring !== null) this.#recurring.enter(id, this.#hosts.byId(hostId));
    else this.#admit(this.#hosts.byId(hostId), freshRow(id, url, depth, via));
    return id;
  }

  #admit(host: Host, row: VisitRow): void {
    const lane = laneOf(host, this.#deps.rules.crowds(row.url, host.key));
    this.#ahead.append(host, lane, row);
    if (host.heapIndex < 0) this.#deps.onWork(host);
  }

  /** A known URL is linked from nearer, or by a link that may be followed after all. */
  #reconsider(id: UrlId, depth: number, via: Via, nofollow: boolean): void {
    const { log, resolver, rules } = this.#deps;
    const reason = this.urls.skipReason(id);
    const nearer = depth < this.urls.depth(id);
    if (nearer) this.urls.setDepth(id, depth);
    const named = reason !== null && (via === "seed" || via === "redirect");
    const revivable = named || (reason === "nofollow" && !nofollow) || (reason === "depth" && nearer);
    const url = revivable ? resolver.text() : "";
    const still = revivable ? (rules.judge(url, hostKey(url), depth, via) ?? (nofollow ? "nofollow" : null)) : reason;
    if (reason !== null && still === null) return this.#revive(id, url);
    // What was visited is skipped in this pass alone: its row does not hear of it.
    if (nearer || still !== reason) log.revise(id, this.urls.depth(id), this.urls.isFresh(id) ? still : null);
    if (still !== null && still !== reason) this.urls.setSkipped(id, still);
  }

  /** A skipped URL is followed after all. */
  #revive(id: UrlId, url: string): void {
    const { log, rules } = this.#deps;
    const reason = this.urls.skipReason(id);
    if (reason !== null) this.skips.set(reason, Math.max(0, (this.skips.get(reason) ?? 0) - 1));
    log.revise(id, this.urls.depth(id), null);
    this.urls.setState(id, WAITING);
    this.#left += 1;
    const key = hostKey(url);
    const host = this.#hosts.byKey(key);
    laneOf(host, rules.crowds(url, key)).list.append(this.urls, id);
    this.#deps.onWork(host);
  }
}

function laneOf(host: Host, crowded: boolean): Lane {
  return crowded ? host.crowd : host.main;
}
