import { retryDelay } from "../flow/backoff.ts";
import { canonicalUrl } from "../kernel/canonical-url.ts";
import { latin1ToText } from "../kernel/header-text.ts";
import type { Outcome, SkipReason } from "../kernel/outcome.ts";
import type { BlockMark, LocalCause, Signal } from "../kernel/signal.ts";
import type { Clock, Random } from "../ports/clock.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import type { Hop, Settlement, StoredPage, VisitRow } from "../ports/store.ts";
import { verdictOf } from "../stages/fetch/verdict.ts";
import type { Frontier } from "../stages/frontier/frontier.ts";
import type { Host } from "../stages/frontier/host.ts";
import { SETTLED, SKIPPED } from "../stages/frontier/known-urls.ts";
import type { StoreStage } from "../stages/store/store-stage.ts";
import type { Errand, Passed, Purpose } from "./errand.ts";
import type { Providers } from "./providers.ts";
import type { Tally } from "./tally.ts";
import { type CookieMode, VisitCookies } from "./visit-cookies.ts";

/** Redirects followed for one URL. Source: cli.md. */
const HOPS_MOST = 10;
/** Chains that may wait on one host; beyond it a chain ends where it stands and its target waits in the frontier as any URL. */
const CONTINUATIONS_MOST = 32;
/** Attempts since a URL's last success, over incidents, passes and restarts, whatever the setting. Source: flow-control.md §4. */
export const LIFE_ATTEMPTS_MOST = 8;

/** Attempts of an incident after which a page that ends its parser is given up. Source: flow-control.md §6, scenario 29. */
const CRASHES_MOST = 3;

/** Codes of `blocked`. */
const BLOCKED_CODES: ReadonlySet<string> = new Set(["http-401", "http-403", "http-429", "challenge"]);

export type Visit = Purpose & { kind: "visit" };

/** How a URL ended; the rest of a settlement is the same for all. */
export interface Ending {
  readonly outcome: Outcome;
  readonly code?: string | null;
  readonly message?: string | null;
  readonly finalUrl?: string | null;
  readonly duplicateOf?: number | null;
  readonly changed?: boolean | null;
  readonly page?: StoredPage | null;
  readonly extra?: string | null;
}

export interface VisitsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly frontier: Frontier;
  readonly store: StoreStage;
  readonly tally: Tally;
  /** The request was no attempt: the retry budgets have back what it took. */
  readonly noAttempt: (errand: Errand) => void;
  readonly providers: Providers;
  readonly pass: number;
  readonly retries: number;
  readonly cookies: CookieMode;
  /**
   * A complete 2xx body for the row the errand stands at: parses and settles it, now or (kept bodies) a little later.
   * @returns the mark of the challenge that it turned out to be, or null.
   */
  readonly onPage: (errand: Errand, visit: Visit, result: FetchResult & { kind: "response" }) => BlockMark | null;
  /** Admits the next hop on its host. */
  readonly follow: (errand: Errand, visit: Visit, url: string, host: Host) => void;
  /** A host has rows again that it had given. */
  readonly onWork: (host: Host) => void;
  readonly isSeed: (url: string) => boolean;
  /** A seed leads to another host: widens the scope. */
  readonly onSeedMoved: (from: string, to: string) => void;
}

/** What becomes of a URL after each answer: the state machine of a visit. */
export class Visits {
  readonly #deps: VisitsDeps;
  readonly cookies: VisitCookies;

  constructor(deps: VisitsDeps) {
    this.#deps = deps;
    this.cookies = new VisitCookies(deps.cookies);
  }

  /** Takes the answer of a visit's request. @returns what it says, and so about whom. */
  ended(errand: Errand, visit: Visit, result: FetchResult, local: LocalCause | null): Signal {
    const { clock, tally } = this.#deps;
    visit.bytesWire += result.measure.bytesIn + result.measure.bytesOut;
    const { via } = visit.row;
    const isRetry = errand.kind === "retry" && result.kind !== "refusal";
    tally.fetched(result, isRetry, via === "sitemap" || via === "feed" ? "sitemap" : "page");
    if (result.kind === "failure" && result.phase === "aborted") {
      this.#deps.noAttempt(errand);
      this.giveBack(visit);
      return { kind: "aborted" };
    }
    const verdict = verdictOf(result, clock.epoch(), local);
    const { next } = verdict;
    switch (next.kind) {
      case "parse":
        if (result.kind === "response") {
          const mark = this.#arrived(errand, visit, result);
          if (mark !== null) return { kind: "blocked", mark };
        }
        break;
      case "not-modified":
        if (this.#deps.frontier.urls.hasPage(visit.row.id)) this.settle(visit, errand, result, { outcome: "unchanged", changed: false });
        else this.settle(visit, errand, result, { outcome: "failed", code: "http-304", message: "304 for a page that is not kept" });
        break;
      case "give-back":
        this.#deps.noAttempt(errand);
        this.giveBack(visit);
        break;
      case "redirect":
        this.#redirect(errand, visit, result, next.location);
        break;
      case "retry":
        this.#retry(errand, visit, result, next);
        break;
      case "settle": {
        const known = this.#deps.frontier.urls.hasPage(visit.row.id);
        const outcome = next.outcome === "absent" ? (known ? "gone" : "missing") : next.outcome;
        this.settle(visit, errand, result, { outcome, code: next.code, message: next.message });
        break;
      }
      default:
        next satisfies never;
    }
    return verdict.signal;
  }

  /** Settles the row the visit stands at, and with it the rows its chain has passed. */
  settle(visit: Visit, errand: Errand | null, result: FetchResult | null, ending: Ending): void {
    const moved = visit.passed.length > 0;
    this.#write(visit, errand, result, visit.row, ending, moved ? [] : visit.hops);
    if (!moved) return;
    // The chain was followed to its end, unless the end itself could not be had.
    const broken = ending.outcome === "failed" || ending.outcome === "skipped";
    this.#settlePassed(
      visit,
      broken && ending.code !== "noindex" && ending.code !== "type" ? ending : { outcome: "redirect" },
      visit.row.url,
    );
  }

  /** Settles a row that was never asked for. */
  settleUnasked(row: Passed, outcome: "skipped" | "failed" | "blocked", code: string, message: string): void {
    const visit: Visit = { kind: "visit", row: row.row, rowHost: row.host, passed: [], hops: [], seen: null, cookies: null, bytesWire: 0 };
    this.settle(visit, null, null, { outcome, code, message });
  }

  /** A row that has used up the attempts of its life: it stays a dead letter, with its cause, until somebody puts it back. */
  settleDead(row: Passed): void {
    const code = row.row.code ?? "timeout";
    const message = `Not asked for again after ${row.row.tries + row.row.attempts} attempts; weir retry puts it back`;
    this.settleUnasked(row, BLOCKED_CODES.has(code) ? "blocked" : "failed", code, message);
  }

  /** A row whose host could not be reached at all: one attempt gone. */
  unanswered({ row, host }: Passed, code: string, message: string): void {
    const tried = { ...row, attempts: row.attempts + 1 };
    if (!this.#again(tried, host, host, code)) this.settleUnasked({ row: tried, host }, "failed", code, message);
  }

  /** Schedules another attempt of a row whose last one is counted, unless it was the last of its incident or of its life. */
  #again(row: VisitRow, rowHost: Host, asked: Host, code: string): boolean {
    const { clock, random, frontier, providers } = this.#deps;
    const retries = providers.retriesOn(asked, this.#deps.retries);
    const { attempts, tries } = row;
    if (attempts > retries || tries + attempts >= LIFE_ATTEMPTS_MOST) return false;
    const delay = retryDelay(row.delay, random);
    const closedUntil = Math.max(asked.limiter.gateUntil, asked.own.gateUntil);
    frontier.reschedule(row, rowHost, { attempts, delay, code }, Math.max(delay, closedUntil - clock.now()));
    return true;
  }

  #settlePassed(visit: Visit, ending: Ending, finalUrl: string): void {
    visit.passed.forEach(({ row }, index) => {
      const own =
        ending.outcome === "redirect"
          ? { ...ending, finalUrl }
          : { outcome: ending.outcome, code: ending.code ?? null, message: ending.message ?? null, finalUrl: null };
      this.#write(visit, null, null, row, own, visit.hops.slice(index));
    });
  }

  #write(
    visit: Visit,
    errand: Errand | null,
    result: FetchResult | null,
    row: Visit["row"],
    ending: Ending,
    redirects: readonly Hop[],
  ): void {
    const { clock, frontier, store, tally, providers, pass } = this.#deps;
    const provider = errand === null ? null : providers.of(errand.host).spec.name;
    const own = row === visit.row;
    // A provider that has followed redirects itself does not say which they were.
    const status = own ? statusOf(result) : redirects[0]?.status || null;
    const settlement: Settlement = {
      seq: store.nextSeq(),
      id: row.id,
      token: row.token,
      pass,
      outcome: ending.outcome,
      code: ending.code ?? null,
      message: ending.message ?? null,
      status,
      at: clock.epoch(),
      ms: errand === null ? null : Math.round(clock.now() - errand.startedAt),
      bytesWire: own ? visit.bytesWire : 0,
      bytesBody: own && result?.kind === "response" ? (result.weighs ?? result.body.length) : 0,
      provider: result === null && redirects.length === 0 ? null : (provider ?? providers.of(visit.rowHost).spec.name),
      // A row that was never asked for has only the attempts of before.
      attempts: row.attempts + (errand === null && redirects.length === 0 ? 0 : 1),
      finalUrl: ending.finalUrl ?? null,
      redirects,
      duplicateOf: ending.duplicateOf ?? null,
      changed: ending.changed ?? null,
      page: ending.page ?? null,
      extra: ending.extra ?? null,
    };
    store.settle(settlement);
    frontier.settled(row.id, settlement.page !== null);
    tally.settled(ending.outcome, settlement.code);
  }

  /**
   * A page ended the worker that parsed it: an attempt like any other, and at most `CRASHES_MOST` of them.
   * @returns whether it is asked for again.
   */
  crashed(errand: Errand, visit: Visit, result: FetchResult, message: string): boolean {
    const end = { outcome: "failed", code: "parse", message } as const;
    if (visit.row.attempts + 1 < CRASHES_MOST) return this.#retry(errand, visit, result, end);
    this.settle(visit, errand, result, end);
    return false;
  }

  /** @returns whether it is asked for again; otherwise it is settled. */
  #retry(
    errand: Errand,
    visit: Visit,
    result: FetchResult,
    end: { outcome: "failed" | "blocked"; code: string; message: string },
  ): boolean {
    const { outcome, code, message } = end;
    if (!this.#again({ ...visit.row, attempts: visit.row.attempts + 1 }, visit.rowHost, errand.host, code)) {
      this.settle(visit, errand, result, { outcome, code, message });
      return false;
    }
    // The rows before it have done their part: they led to a URL that is known and waits.
    if (visit.passed.length > 0) this.#settlePassed(visit, { outcome: "redirect" }, visit.row.url);
    return true;
  }

  #redirect(errand: Errand, visit: Visit, result: FetchResult, location: string): void {
    const { frontier } = this.#deps;
    if (result.kind === "response") this.cookies.take(visit, errand, result);
    visit.hops.push({ url: visit.row.url, status: statusOf(result) ?? 0 });
    const target = canonicalUrl(latin1ToText(location), errand.url);
    if (target === null)
      return this.#broken(
        visit,
        errand,
        result,
        "failed",
        "protocol",
        `Redirects to ${JSON.stringify(location.slice(0, 200))}, which is not an http or https URL`,
      );
    if (visit.hops.length > HOPS_MOST)
      return this.#broken(visit, errand, result, "failed", "redirect-loop", `More than ${HOPS_MOST} redirects`);
    const host = frontier.hostOf(target);
    const state = `${target}\n${this.cookies.of(visit, host)?.header(target) ?? ""}`;
    visit.seen ??= new Set([`${visit.row.url}\n`]);
    if (visit.seen.has(state)) return this.#broken(visit, errand, result, "failed", "redirect-loop", `Redirects in a circle to ${target}`);
    visit.seen.add(state);
    if (target === visit.row.url) return this.#deps.follow(errand, visit, target, host);
    // Before anything is looked up: what is known of that host may have been out of scope until now.
    if (this.#deps.isSeed((visit.passed[0]?.row ?? visit.row).url)) this.#deps.onSeedMoved(visit.row.url, target);
    const id = frontier.find(target);
    if (id >= 0) return this.#leadsToKnown(errand, visit, result, target, id);
    const leased = frontier.leaseNew(target, visit.row.depth);
    if (typeof leased === "string") return this.#broken(visit, errand, result, "skipped", leased, `Redirects to ${target}`);
    visit.passed.push({ row: visit.row, host: visit.rowHost });
    visit.row = leased;
    visit.rowHost = host;
    if (host.continuations.length < CONTINUATIONS_MOST) return this.#deps.follow(errand, visit, target, host);
    this.#settlePassed(visit, { outcome: "redirect" }, target);
    frontier.giveBack(host, leased);
  }

  /** A page has come. A provider that follows redirects itself may have ended at another URL of the host: the page is that one's. */
  #arrived(errand: Errand, visit: Visit, result: FetchResult & { kind: "response" }): BlockMark | null {
    const { frontier, clock, onPage } = this.#deps;
    const target = result.finalUrl === undefined ? null : canonicalUrl(result.finalUrl);
    if (target === null || target === errand.url) return onPage(errand, visit, result);
    const host = frontier.hostOf(target);
    // Elsewhere it is asked for anew, as every hop is: its own host admits it, and its own robots.txt.
    if (host !== errand.host || frontier.find(target) >= 0) {
      this.#redirect(errand, visit, result, result.finalUrl ?? "");
      return null;
    }
    visit.hops.push({ url: visit.row.url, status: 0 });
    if (host.robots.verdict(target, clock.epoch()) === "deny") {
      this.#broken(visit, errand, result, "skipped", "robots", `Leads to ${target}, which robots.txt disallows`);
      return null;
    }
    const leased = frontier.leaseNew(target, visit.row.depth);
    if (typeof leased === "string") {
      this.#broken(visit, errand, result, "skipped", leased, `Leads to ${target}`);
      return null;
    }
    visit.passed.push({ row: visit.row, host: visit.rowHost });
    visit.row = leased;
    return onPage(errand, visit, result);
  }

  #leadsToKnown(errand: Errand, visit: Visit, result: FetchResult, target: string, id: number): void {
    const { frontier } = this.#deps;
    frontier.discoverText(target, visit.row.depth, "redirect");
    const state = frontier.urls.state(id);
    const inChain = visit.passed.some(({ row }) => row.id === id);
    if (inChain) return this.#broken(visit, errand, result, "failed", "redirect-loop", `Redirects in a circle to ${target}`);
    const reason: SkipReason | null = state >= SKIPPED ? frontier.urls.skipReason(id) : null;
    if (reason !== null) return this.#broken(visit, errand, result, "skipped", reason, `Redirects to ${target}`);
    this.#write(visit, errand, result, visit.row, { outcome: "redirect", finalUrl: target }, visit.hops.slice(visit.passed.length));
    this.#settlePassed(visit, { outcome: "redirect" }, target);
  }

  /** The chain cannot be followed: every row of it says so. */
  #broken(visit: Visit, errand: Errand, result: FetchResult, outcome: "failed" | "skipped", code: string, message: string): void {
    this.#write(visit, errand, result, visit.row, { outcome, code, message, finalUrl: null }, visit.hops.slice(visit.passed.length));
    this.#settlePassed(visit, { outcome, code, message }, visit.row.url);
  }

  /** A visit that was aborted, or could not be kept, counts for nothing: its rows wait again, as they were. */
  giveBack(visit: Visit): void {
    const { frontier, onWork } = this.#deps;
    for (const { row, host } of visit.passed) {
      if (frontier.urls.state(row.id) === SETTLED) continue;
      frontier.giveBack(host, row);
      onWork(host);
    }
    frontier.giveBack(visit.rowHost, visit.row);
    onWork(visit.rowHost);
  }
}

function statusOf(result: FetchResult | null): number | null {
  return result === null ? null : result.kind === "response" ? result.status : (result.status ?? null);
}
