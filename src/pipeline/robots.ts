import { retryDelay } from "../flow/backoff.ts";
import type { Pace } from "../flow/host-limiter.ts";
import { canonicalUrl } from "../kernel/canonical-url.ts";
import { latin1ToText } from "../kernel/header-text.ts";
import type { LinkResolver } from "../kernel/link-resolver.ts";
import type { LocalCause, Signal } from "../kernel/signal.ts";
import type { Clock, Random } from "../ports/clock.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import { verdictOf } from "../stages/fetch/verdict.ts";
import type { Frontier } from "../stages/frontier/frontier.ts";
import type { Host } from "../stages/frontier/host.ts";
import { ROBOTS_HOPS_MOST, type RobotsAnswer } from "../stages/frontier/robots-gate.ts";
import type { StoreStage } from "../stages/store/store-stage.ts";
import type { Errand, Purpose } from "./errand.ts";
import { hostStateOf } from "./host-states.ts";
import type { RetryAdmission } from "./retry-admission.ts";
import type { Tally } from "./tally.ts";

const NO_BODY = new Uint8Array(0);

export interface RobotsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly retries: RetryAdmission;
  readonly frontier: Frontier;
  readonly store: StoreStage;
  readonly resolver: LinkResolver;
  readonly tally: Tally;
  readonly sitemaps: "auto" | "probe" | "off";
  readonly paceOf: (host: string) => Pace;
  /** Admits a hop on its host. */
  readonly follow: (errand: Errand, host: Host) => void;
  /** The host's own URLs may go on. */
  readonly onWork: (host: Host) => void;
}

/** What becomes of a robots.txt request: rules, pace and sitemaps for its host. */
export class Robots {
  readonly #deps: RobotsDeps;

  constructor(deps: RobotsDeps) {
    this.#deps = deps;
  }

  ended(errand: Errand, purpose: Purpose & { kind: "robots" }, result: FetchResult, local: LocalCause | null): Signal {
    const { clock, tally } = this.#deps;
    tally.fetched(result, errand.kind === "retry", "robots");
    const verdict = verdictOf(result, clock.epoch(), local);
    const { next } = verdict;
    // A protection in front of the robots.txt alone closes nothing: the page asked next says whether it is in front of all.
    const signal: Signal = verdict.signal.kind === "blocked" ? { kind: "forbidden" } : verdict.signal;
    if (result.kind === "refusal" || next.kind === "give-back" || signal.kind === "aborted") {
      purpose.host.robots.abandon();
      this.#deps.retries.wasNoAttempt(errand);
      return signal;
    }
    if (next.kind === "redirect") {
      const target = canonicalUrl(latin1ToText(next.location), errand.url);
      if (target !== null && purpose.hops < ROBOTS_HOPS_MOST) {
        purpose.hops += 1;
        errand.url = target;
        errand.host = this.#deps.frontier.hostOf(target);
        this.#deps.follow(errand, errand.host);
        return signal;
      }
      // Beyond five hops the file counts as unavailable in the sense of a 4xx: everything is allowed.
      this.#answer(purpose.host, { status: 404, body: NO_BODY, trouble: null }, errand.url);
      return signal;
    }
    // A body that was cut or too large says nothing that could be relied on: as good as no answer.
    const answer: RobotsAnswer =
      result.kind === "response"
        ? { status: result.status, body: result.body, trouble: null }
        : {
            status: null,
            body: NO_BODY,
            trouble: { code: result.code, message: `robots.txt could not be had: ${result.message}`, lasts: next.kind !== "retry" },
          };
    this.#answer(purpose.host, answer, errand.url);
    return signal;
  }

  /** The host could not even be asked. */
  unanswered(host: Host, code: string, message: string): void {
    if (host.robots.wants) host.robots.begin();
    this.#answer(host, { status: null, body: NO_BODY, trouble: { code, message } }, "");
  }

  #answer(host: Host, answer: RobotsAnswer, url: string): void {
    const { clock, random, frontier, store, resolver, sitemaps, paceOf } = this.#deps;
    const named = host.robots.end(answer, clock.epoch());
    // Asking again is a retry like any other: after a delay, and behind the host's gate.
    if (host.robots.isRepeat) host.robots.wait(retryDelay(host.robots.delay, random), clock.now());
    host.asked(paceOf(host.key));
    const saved = host.robots.save();
    if (saved !== null) store.hostState(hostStateOf(host, clock, saved));
    this.#deps.onWork(host);
    if (sitemaps === "off" || answer.status === null) return;
    const sitemapsToRead = sitemaps === "probe" && named.length === 0 ? ["/sitemap.xml"] : named;
    resolver.setBase(url);
    for (const sitemap of sitemapsToRead) {
      const length = resolver.resolveString(sitemap);
      if (length > 0) frontier.discoverSitemap(length, 0);
    }
  }
}
