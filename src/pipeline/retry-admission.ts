import { HOST_RETRIES, OVERALL_RETRIES, RetryBudget } from "../flow/retry-budget.ts";
import { OVERALL_PARTS, RetryAlarm, RetryShare } from "../flow/retry-share.ts";
import type { Millis } from "../kernel/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { Errand } from "./errand.ts";

const NEVER = Number.POSITIVE_INFINITY;

/**
 * What a retry needs besides what every start needs: a token of its host and one of the crawl as a whole (a job's share takes its
 * place between the two). Both are taken when it starts. A host of which only retries wait stands in the heap under the instant
 * of its own token; while the crawl has none, it stands here in line, and is offered again as tokens come.
 *
 * What counts as what: the first request for a URL is a first attempt, and earns. A request for what was asked before in the
 * same incident is a retry: a row with attempts behind it, a robots.txt that gave no answer, and each hop by which a chain of a
 * retried row comes back to that row (it must go on, so its token may become a debt). Everything else (the first robots.txt of a
 * host, a hop to another URL) is neither: it earns nothing and costs nothing, and counts among the starts.
 */
export class RetryAdmission {
  readonly share = new RetryShare(OVERALL_PARTS);
  readonly #clock: Clock;
  readonly #overall: RetryBudget;
  readonly #alarm = new RetryAlarm();
  /** Hosts that have a token of their own and wait for one of the crawl. In order of arrival; bounded by the hosts known. */
  readonly #line = new Set<Host>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#overall = new RetryBudget(OVERALL_RETRIES, clock.now());
  }

  /** The budget of one host. */
  newBudget(): RetryBudget {
    return new RetryBudget(HOST_RETRIES, this.#clock.now());
  }

  /** Steps by which too large a share of retries raises the shed level now. */
  get shedLevel(): 0 | 1 {
    return this.#alarm.level;
  }

  /** When may a host that its limiter admits at `at` start what comes next? `Infinity`: it stands in line here. */
  admitAt(host: Host, at: Millis, now: Millis): Millis {
    if (at === NEVER || !host.nextIsRetry) return at;
    const earliest = Math.max(at, this.#ownAt(host, now));
    if (earliest > now || this.#overall.has(now)) return earliest;
    this.#line.add(host);
    return NEVER;
  }

  /** May the host start a retry now, tokens alone considered? */
  allows(host: Host, now: Millis): boolean {
    return this.#overall.has(now) && this.#ownAt(host, now) <= now;
  }

  /** The host has nothing else to do and lacks a token; for display. */
  holds(host: Host, now: Millis): boolean {
    return host.nextIsRetry && !host.robots.wants && !this.allows(host, now);
  }

  /** An errand starts: its token is taken, or its share earned. */
  started(errand: Errand, now: Millis): void {
    const { host, kind } = errand;
    const isRetry = kind === "retry";
    host.started(now, isRetry);
    this.share.started(now, isRetry);
    if (isRetry) {
      host.budget.take(now);
      this.#overall.take(now);
    } else if (kind === "first") {
      host.budget.first();
      this.#overall.first();
    }
  }

  /** It turned out to be no attempt: a provider's refusal, a fault of our own, an abort. */
  wasNoAttempt(errand: Errand): void {
    const { host, kind } = errand;
    const now = this.#clock.now();
    if (kind === "retry") {
      host.budget.refund(now);
      this.#overall.refund(now);
    } else if (kind === "first") {
      host.budget.unfirst();
      this.#overall.unfirst();
    }
  }

  /** Calls back for as many hosts in line as there are tokens. */
  recall(now: Millis, offer: (host: Host) => void): void {
    if (this.#line.size === 0) return;
    let tokens = Math.floor(this.#overall.tokens(now) + 1e-6);
    for (const host of this.#line) {
      if (tokens-- <= 0) return;
      this.#line.delete(host);
      offer(host);
    }
  }

  /** When `recall` will have something; `Infinity` when nothing is in line. */
  get nextAt(): Millis {
    return this.#line.size === 0 ? NEVER : this.#overall.readyAt(this.#clock.now());
  }

  /** Once a second. @returns what to tell the person, once an episode. */
  tick(now: Millis): string | null {
    const share = this.share.share(now);
    if (this.#alarm.tick(now, share, this.share.retries(now)) !== "raised") return null;
    return `Retries are ${Math.round(share * 100)} % of all requests and have been too many for a minute; see weir status for the hosts`;
  }

  #ownAt(host: Host, now: Millis): Millis {
    return Math.max(host.robots.wants ? host.robots.askAt : 0, host.budget.readyAt(now));
  }
}
