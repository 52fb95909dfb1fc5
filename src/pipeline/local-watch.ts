import type { HostSignal } from "../flow/host-limiter.ts";
import { LocalGuard } from "../flow/local-guard.ts";
import type { LocalCause } from "../kernel/signal.ts";
import type { Millis } from "../kernel/units.ts";
import type { CancelTimer, Clock } from "../ports/clock.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import type { LoopLag } from "../ports/loop-lag.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { Errand } from "./errand.ts";

type Failure = FetchResult & { kind: "failure" };

/** Failures that something on this side of the net can cause as well as the host. The others are answers, if bad ones: a refused connection was refused by somebody. */
const SILENT_CODES: readonly string[] = ["timeout", "dns", "too-slow"];

/** Share of a measured time that our own delay may be before the rest says nothing of the host. Source: guess. */
const DELAY_MOST = 0.25;

/** Times that a page is excused by a stall of the loop, and pages of which that is remembered. Source: guess. */
const STALL_EXCUSES = 2;
const EXCUSED_MOST = 1_024;

export interface LocalWatchDeps {
  readonly clock: Clock;
  readonly lag: LoopLag;
  readonly concurrency: number;
  /** Errands under way. */
  readonly active: ReadonlySet<Errand>;
  /** Ends an errand. @param local why it is nobody's fault but ours; null when it is not. */
  readonly end: (errand: Errand, result: FetchResult, local: LocalCause | null) => void;
  readonly onTrip: (cause: LocalCause) => void;
}

interface Held {
  readonly errand: Errand;
  readonly result: Failure;
  readonly until: Millis;
}

/**
 * Stands between the route and the end of each errand: an answer passes, a silence is held back for as long as it may turn out to
 * be everybody's (`flow/local-guard.ts`), so that no host is slowed for what this machine did. An errand held back keeps its places; there
 * are no more of them than errands.
 */
export class LocalWatch {
  readonly guard: LocalGuard<Host>;
  readonly #deps: LocalWatchDeps;
  #held: Held[] = [];
  readonly #excused = new Map<string, number>();
  #timer: CancelTimer | null = null;

  constructor(deps: LocalWatchDeps) {
    this.#deps = deps;
    this.guard = new LocalGuard(deps.concurrency);
  }

  started(errand: Errand, now: Millis): void {
    const { lag } = this.#deps;
    errand.delayedBefore = lag.delayed(now);
    errand.stalledBefore = lag.stalled(now);
    this.guard.started(now);
  }

  /** The host's time to first byte without what our own loop added to it; none where the delay outweighs it. */
  withoutDelay(heard: HostSignal, errand: Errand, endedAt: Millis): HostSignal {
    if (heard.kind !== "ok" || heard.ttfb === null) return heard;
    const delay = this.#deps.lag.delayed(endedAt) - errand.delayedBefore;
    if (delay === 0) return heard;
    return { kind: "ok", ttfb: delay <= DELAY_MOST * heard.ttfb ? heard.ttfb - delay : null };
  }

  ended(errand: Errand, result: FetchResult): void {
    const { clock, end } = this.#deps;
    // What a provider's call ends as says nothing of our way to the host.
    if (result.kind === "failure" && errand.call === null) return this.#failed(errand, result, clock.now());
    if (result.kind === "response") this.guard.answered(errand.host, errand.startedAt, clock.now());
    end(errand, result, null);
  }

  /** Ends what is held back, for the crawl stops. */
  abortHeld(): void {
    const held = this.#held;
    this.#held = [];
    this.#timer?.();
    this.#timer = null;
    for (const { errand, result } of held) this.#deps.end(errand, { ...result, phase: "aborted" }, null);
  }

  #failed(errand: Errand, result: Failure, now: Millis): void {
    const { lag, active, end } = this.#deps;
    const { host, startedAt } = errand;
    if (result.phase === "aborted") return end(errand, result, null);
    if (result.phase === "local")
      return result.code === "protocol" ? end(errand, result, null) : this.#trip(errand, result, "resources", now);
    if (!SILENT_CODES.includes(result.code)) {
      this.guard.answered(host, startedAt, now);
      return end(errand, result, null);
    }
    if (this.guard.isStall(lag.stalled(now) - errand.stalledBefore, now - startedAt) && this.#excuses(errand.url))
      return this.#trip(errand, result, "event-loop", now);
    const before = this.guard.cause;
    const judged = this.guard.judge(
      { host, known: host.memory.answered, startedAt, inBody: result.phase === "body" },
      hostsOf(active),
      now,
    );
    if (judged === "host") return end(errand, result, null);
    if (judged === "local") {
      if (before === null && this.guard.cause !== null) this.#deps.onTrip(this.guard.cause);
      end(errand, result, this.guard.cause ?? "many-hosts");
      return this.#endHeld(true);
    }
    this.#held.push({ errand, result, until: judged.until });
    this.#arm(judged.until - now);
  }

  /** On a machine that stalls all the time nothing would ever be the page's own: it is excused so often, and then judged. */
  #excuses(url: string): boolean {
    const times = this.#excused.get(url) ?? 0;
    if (times >= STALL_EXCUSES) return false;
    this.#excused.delete(url);
    this.#excused.set(url, times + 1);
    for (const oldest of this.#excused.keys()) {
      if (this.#excused.size <= EXCUSED_MOST) break;
      this.#excused.delete(oldest);
    }
    return true;
  }

  #trip(errand: Errand, result: Failure, cause: LocalCause, now: Millis): void {
    const isNew = this.guard.cause === null;
    this.guard.trip(cause, now);
    if (isNew) this.#deps.onTrip(cause);
    this.#deps.end(errand, result, cause);
    this.#endHeld(true);
  }

  /** @param local all of them are ours; else those whose time is over are the hosts'. */
  #endHeld(local: boolean): void {
    const now = this.#deps.clock.now();
    const due = local ? this.#held : this.#held.filter(({ until }) => until <= now);
    this.#held = local ? [] : this.#held.filter(({ until }) => until > now);
    for (const { errand, result } of due) this.#deps.end(errand, result, local ? (this.guard.cause ?? "many-hosts") : null);
  }

  #arm(delay: Millis): void {
    if (this.#timer !== null) return;
    this.#timer = this.#deps.clock.after(delay, () => {
      this.#timer = null;
      this.#endHeld(false);
      const next = this.#held.reduce((least, { until }) => Math.min(least, until), Number.POSITIVE_INFINITY);
      if (next !== Number.POSITIVE_INFINITY) this.#arm(next - this.#deps.clock.now());
    });
  }
}

function* hostsOf(active: ReadonlySet<Errand>): Generator<Host> {
  for (const errand of active) yield errand.host;
}
