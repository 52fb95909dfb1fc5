import type { CreditPool } from "../flow/credit-pool.ts";
import type { Bytes, Millis } from "../kernel/units.ts";
import type { Clock, Random } from "../ports/clock.ts";
import { type OwnHeaders, requestHeaders } from "../stages/fetch/request-headers.ts";
import type { Frontier } from "../stages/frontier/frontier.ts";
import type { Host } from "../stages/frontier/host.ts";
import { ROBOTS_MAX_BYTES } from "../stages/frontier/robots.ts";
import { Errand, type HeaderPolicy } from "./errand.ts";
import type { RetryAdmission } from "./retry-admission.ts";
import type { Robots } from "./robots.ts";
import { type Crashes, Suspects } from "./suspects.ts";
import { LIFE_ATTEMPTS_MOST, type Visit, type Visits } from "./visits.ts";

/** A robots.txt is read to this size whatever `--max-body` says: as much as counts, and a byte that shows that there is more. */
const ROBOTS_BODY: Bytes = ROBOTS_MAX_BYTES + 1;

export interface WorkDeps {
  readonly clock: Clock;
  readonly frontier: Frontier;
  readonly visits: Visits;
  readonly robots: Robots;
  readonly retries: RetryAdmission;
  readonly credits: CreditPool;
  readonly caps: { readonly maxBody: Bytes; readonly timeout: Millis };
  readonly own: OwnHeaders;
  readonly crashes: Crashes;
  readonly policy: HeaderPolicy;
  readonly onWork: (host: Host) => void;
}

/**
 * Decides what a host is asked next: its robots.txt when that is wanted, then chains that lead here, then its own queue.
 * Rows that robots.txt refuses are settled on the way, without a request.
 */
export class Work {
  readonly suspects: Suspects;
  readonly #deps: WorkDeps;
  /** Errands that wait on a host's queue between two hops. */
  #queued = 0;

  constructor(deps: WorkDeps) {
    this.#deps = deps;
    this.suspects = new Suspects(deps.crashes);
  }

  get queued(): number {
    return this.#queued;
  }

  /** @returns the errand to start, `settled` when a row ended without a request, null when there is nothing to start now. */
  next(host: Host): Errand | "settled" | null {
    if (host.robots.wants) return this.#askRobots(host);
    return this.#nextContinuation(host) ?? this.#nextRow(host);
  }

  /** An errand has come to its end. */
  released(errand: Errand): void {
    const next = this.suspects.ended(errand.purpose);
    if (next === undefined) return;
    this.#deps.frontier.giveBack(next.host, next.row, next.host.main);
    this.#deps.onWork(next.host);
  }

  /** Puts the next hop of a visit's chain on its host's queue. */
  follow(errand: Errand, visit: Visit, url: string, host: Host): void {
    const next = new Errand(visit, url, host, this.#deps.caps, this.#deps.credits, this.#deps.policy);
    // A chain that comes back to its own row asks for it once more in the same attempt.
    next.kind = visit.row.attempts > 0 ? "retry" : "other";
    this.queue(next, host);
    errand.abort = null;
  }

  queue(errand: Errand, host: Host): void {
    host.continuations.push(errand);
    this.#queued += 1;
    this.#deps.onWork(host);
  }

  /** The host has no address: its next row ends as that; a private address refuses every row, an unknown one closes the gate first. */
  unresolved(host: Host, code: "dns" | "private-address", message: string, random: Random): void {
    const { clock, frontier, visits, robots } = this.#deps;
    const now = clock.now();
    if (host.robots.wants) robots.unanswered(host, code, message);
    const continuation = host.continuations.shift();
    if (continuation instanceof Errand) {
      this.#queued -= 1;
      const { purpose } = continuation;
      if (purpose.kind === "visit")
        visits.settle(purpose, null, null, code === "dns" ? { outcome: "failed", code, message } : { outcome: "skipped", code, message });
      else robots.unanswered(purpose.host, code, message);
      return;
    }
    if (code === "dns") {
      // As a refused connection: the whole host backs off, and each try costs one row one attempt.
      host.own.end(host.own.start(now, random), { kind: "congestion", cause: "timeout", retryAfter: null }, now, random);
      const row = frontier.take(host);
      if (row !== undefined) visits.unanswered({ row, host }, code, message);
      return;
    }
    for (let row = frontier.take(host); row !== undefined; row = frontier.take(host))
      visits.settleUnasked({ row, host }, "skipped", code, message);
  }

  #askRobots(host: Host): Errand | null {
    const { clock, retries } = this.#deps;
    if (!host.robots.wants) return null;
    const { isRepeat } = host.robots;
    if (isRepeat && !retries.allows(host, clock.now())) return null;
    const scheme = host.robots.begin();
    const errand = new Errand(
      { kind: "robots", host, hops: 0 },
      `${scheme}://${host.key}/robots.txt`,
      host,
      { ...this.#deps.caps, maxBody: ROBOTS_BODY },
      this.#deps.credits,
      this.#deps.policy,
    );
    errand.kind = isRepeat ? "retry" : "other";
    return errand;
  }

  #nextContinuation(host: Host): Errand | "settled" | null {
    const { clock, visits, own } = this.#deps;
    const errand = host.continuations[0];
    if (!(errand instanceof Errand)) return null;
    const { purpose } = errand;
    if (purpose.kind === "visit") {
      const verdict = host.robots.verdict(errand.url, clock.epoch());
      if (verdict === "ask") return this.#askRobots(host);
      if (verdict !== "allow") {
        host.continuations.shift();
        this.#queued -= 1;
        visits.settle(purpose, null, null, refusal(verdict, host, errand.url));
        return "settled";
      }
      errand.headers = requestHeaders(errand.url, originOf(errand.url), own, null, visits.cookies.of(purpose, host));
    }
    host.continuations.shift();
    this.#queued -= 1;
    return errand;
  }

  #nextRow(host: Host): Errand | "settled" | null {
    const { clock, frontier, visits, own, crashes, caps, credits, policy, retries } = this.#deps;
    const again = host.retries.length > 0 && retries.allows(host, clock.now());
    const row = frontier.take(host, again);
    if (row === undefined) return null;
    if (crashes.givenUp.size > 0 && crashes.givenUp.has(row.id)) {
      visits.settleUnasked({ row, host }, "failed", "crashed", "weir ended too often while it was in flight");
      return "settled";
    }
    if (row.tries + row.attempts >= LIFE_ATTEMPTS_MOST) {
      visits.settleDead({ row, host });
      return "settled";
    }
    const verdict = host.robots.verdict(row.url, clock.epoch());
    if (verdict === "ask") {
      frontier.giveBack(host, row, this.suspects.has(row.id) ? host.main : undefined);
      return this.#askRobots(host);
    }
    if (verdict !== "allow") {
      const { outcome, code, message } = refusal(verdict, host, row.url);
      visits.settleUnasked({ row, host }, outcome, code, message);
      return "settled";
    }
    const suspected = this.suspects.has(row.id);
    if (suspected && !this.suspects.admit(row, host)) return "settled";
    const visit: Visit = { kind: "visit", row, rowHost: host, passed: [], hops: [], seen: null, cookies: null, bytesWire: 0 };
    const errand = new Errand(visit, row.url, host, caps, credits, policy);
    if (suspected) this.suspects.started(visit);
    else if (again && row.attempts > 0) errand.kind = "retry";
    errand.headers = requestHeaders(row.url, own.headers.length === 0 ? "" : originOf(row.url), own, row, visits.cookies.of(visit, host));
    return errand;
  }
}

function refusal(
  verdict: "deny" | "unavailable",
  host: Host,
  url: string,
): { readonly outcome: "skipped" | "failed"; readonly code: string; readonly message: string } {
  if (verdict === "deny") return { outcome: "skipped", code: "robots", message: "robots.txt disallows it" };
  return { outcome: "failed", ...host.robots.troubleOf(url) };
}

function originOf(url: string): string {
  const slash = url.indexOf("/", 8);
  return slash < 0 ? url : url.slice(0, slash);
}
