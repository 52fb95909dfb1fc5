import type { HealthState } from "../flow/health.ts";
import type { EpochMillis, Millis } from "../kernel/units.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { Pipeline } from "./pipeline.ts";

/** Why a host that has work is not served at this moment. Closed list; `docs/metrics.md` explains each. */
export const WHY_WAITING = [
  "gate",
  "half-open",
  "parked until",
  "limit",
  "ceiling",
  "delay",
  "crawl-delay",
  "robots",
  "resolving",
  "address ceiling",
  "reading",
  "retry budget",
  "provider plan",
  "credits",
  "provider closed",
  "provider down",
  "parse share",
  "new host",
  "yields",
  "local",
  "concurrency",
  "parse",
  "storage",
  "consumer",
  "stopping",
  "unit",
  "its turn",
] as const;
export type WhyWaiting = (typeof WHY_WAITING)[number];

/** Closed for longer than this it is not waited for, it is parked. Source: flow-control.md §3. */
const PARKED_FROM: Millis = 3_600_000;
/** So is one whose own delay is longer. */
const PARKED_DELAY: Millis = 600_000;
/** Fetches that have ended before a host is asked more than one thing at a time. Source: flow-control.md §8. */
const KNOWN_FROM = 5;
/** The limiter stretches a delay by up to a tenth. */
const STRETCH = 1.1;
/** Hosts shown at most, whatever is asked for. */
export const HOSTS_MOST = 1_000;

/** One host, as `weir hosts` shows it. Plain JSON. */
export interface HostRow {
  readonly host: string;
  /** URLs that wait. */
  readonly waiting: number;
  readonly inFlight: number;
  /** Requests at once that the limiter allows now; below 1 it is a pace. */
  readonly limit: number;
  /** What a person allows at most. */
  readonly ceiling: number;
  /** Nothing starts before; null when open. */
  readonly gateUntil: EpochMillis | null;
  /** What closed the gate last: throttle, reset, block, forbidden, timeout, dribble or errors; null when nothing did. */
  readonly gateCause: string | null;
  readonly halfOpen: boolean;
  /** Least time between two starts that the person or robots.txt asks for. */
  readonly delay: Millis;
  /** Times the limiter was cut. */
  readonly cuts: number;
  /** Score from 0 to 1. */
  readonly health: number;
  readonly healthState: HealthState;
  /** What it last refused or failed with: a status, a mark, a silence; null when nothing. */
  readonly lastRefusal: string | null;
  readonly lastRefusalAt: EpochMillis | null;
  /** Retries ÷ requests over the last minute. */
  readonly retryShare: number;
  /** Requests started. */
  readonly starts: number;
  /** Mean time of a fetch; null before one ended. */
  readonly meanTime: Millis | null;
  /** Why it is not served; null when nothing waits there. */
  readonly reason: WhyWaiting | null;
  /** The provider it goes by; null when it is asked directly. */
  readonly provider: string | null;
  /** What that refused with last, or why it was not reached; null as soon as an answer comes through. */
  readonly providerRefusal: string | null;
  /** Next possible start; null when that is now, or not known. */
  readonly nextAt: EpochMillis | null;
}

/** A host of the status: the few fields a line has room for. */
export type WaitingHost = Pick<HostRow, "host" | "waiting" | "inFlight" | "reason" | "nextAt" | "provider" | "providerRefusal">;

/** Which hosts are asked for. */
export interface HostsAsked {
  readonly top: number;
  /** Most URLs waiting first, or most trouble first. */
  readonly by: "waiting" | "trouble";
  /** Only this one, by its authority or its name. */
  readonly host?: string;
}

/** What is known of hosts at one moment. */
export interface HostsView {
  readonly at: EpochMillis;
  /** Hosts that were ever given work. */
  readonly hosts: number;
  /** Of these, how many wait, by reason. */
  readonly reasons: Readonly<Partial<Record<WhyWaiting, number>>>;
  readonly rows: readonly HostRow[];
}

/** Looks at every host once: made when somebody asks, and only then. */
export function viewHosts(pipeline: Pipeline, asked: HostsAsked, now: Millis, epoch: EpochMillis): HostsView {
  const top = Math.max(0, Math.min(HOSTS_MOST, asked.top));
  const reasons: Partial<Record<WhyWaiting, number>> = {};
  const best: Host[] = [];
  const rank = asked.by === "trouble" ? (host: Host) => troubleOf(host, now) : (host: Host) => host.waiting;
  let hosts = 0;
  for (const host of pipeline.frontier.hosts()) {
    hosts += 1;
    if (host.hasWork) {
      const why = whyWaiting(pipeline, host, now);
      reasons[why] = (reasons[why] ?? 0) + 1;
    }
    if (asked.host !== undefined && !isNamed(host, asked.host)) continue;
    best.push(host);
    if (best.length > 4 * top + 64) keepBest(best, rank, top);
  }
  keepBest(best, rank, top);
  return { at: epoch, hosts, reasons, rows: best.map((host) => rowOf(pipeline, host, now, epoch)) };
}

/** The hosts with most waiting, for a status. */
export function waitingHosts(pipeline: Pipeline, most: number, now: Millis, epoch: EpochMillis): WaitingHost[] {
  const best: Host[] = [];
  const rank = (host: Host): number => host.waiting;
  for (const host of pipeline.frontier.hosts()) {
    if (!host.hasWork) continue;
    best.push(host);
    if (best.length > 4 * most) keepBest(best, rank, most);
  }
  keepBest(best, rank, most);
  return best.map((host) => {
    const { reason, nextAt, waiting, inFlight, provider, providerRefusal } = rowOf(pipeline, host, now, epoch);
    return { host: host.key, waiting, inFlight, reason, nextAt, provider, providerRefusal };
  });
}

/** Why a host that has work is not served at this moment: what it lacks itself first, then what all lack. */
export function whyWaiting(pipeline: Pipeline, host: Host, now: Millis): WhyWaiting {
  if (host.hold !== null) return host.hold;
  if (host.robots.wants && host.robots.isRepeat && host.robots.askAt > now) return "robots";
  const { limiter, own } = host;
  const gateUntil = Math.max(limiter.gateUntil, own.gateUntil);
  if (gateUntil > now) return gateUntil - now > PARKED_FROM ? "parked until" : "gate";
  if (pipeline.providers.isDown(host, now)) return "provider down";
  if (host.lined) return "unit";
  const at = limiter.admitAt(now);
  if (at === Number.POSITIVE_INFINITY) return fullBy(pipeline, host);
  if (at > now) return delayedBy(pipeline, host, at);
  if (pipeline.retries.holds(host, now)) return "retry budget";
  return pipeline.dispatcher.held ?? (pipeline.dispatcher.yields(host) ? "yields" : "its turn");
}

/** What keeps an open host from having more under way. */
function fullBy(pipeline: Pipeline, host: Host): WhyWaiting {
  const { limiter, unit } = host;
  if (limiter.halfOpen) return "half-open";
  if (limiter.inFlight >= (unit?.pace ?? pipeline.options.paceOf(host.key)).ceiling) return "ceiling";
  return (unit ?? host).fetches < KNOWN_FROM ? "new host" : "limit";
}

/** Which of its gaps keeps an open host with room: what robots.txt asks for, what the person does, or the limiter's own pace. */
function delayedBy(pipeline: Pipeline, host: Host, at: Millis): WhyWaiting {
  const own = pipeline.options.paceOf(host.key).gap;
  // The largest delay of any of its hosts is the unit's.
  const shared = host.unit?.pace.gap ?? 0;
  const crawlDelay = shared > own ? shared : host.robots.crawlDelay;
  const gap = Math.max(crawlDelay, own);
  if (gap === 0 || at - (host.unit ?? host).lastStart > gap * STRETCH + 1) return "limit";
  if (gap > PARKED_DELAY) return "parked until";
  return crawlDelay >= own ? "crawl-delay" : "delay";
}

function rowOf(pipeline: Pipeline, host: Host, now: Millis, epoch: EpochMillis): HostRow {
  const { limiter } = host;
  const refusal = host.memory.lastRefusal;
  const pace = host.unit?.pace ?? pipeline.options.paceOf(host.key);
  const mark = host.unit ?? host;
  const lane = pipeline.providers.of(host);
  const wall = (instant: Millis): EpochMillis | null =>
    instant > now && Number.isFinite(instant) ? Math.round(epoch + instant - now) : null;
  return {
    host: host.key,
    waiting: host.waiting,
    inFlight: limiter.inFlight,
    limit: limiter.limit,
    ceiling: pace.ceiling,
    gateUntil: wall(limiter.gateUntil),
    gateCause: host.lastCut,
    halfOpen: limiter.halfOpen,
    delay: Math.max(pace.gap, host.robots.crawlDelay),
    cuts: limiter.cuts,
    health: Math.round(host.health.score(now) * 100) / 100,
    healthState: host.health.state(now),
    lastRefusal: refusal?.what ?? null,
    lastRefusalAt: refusal === null ? null : Math.round(epoch + refusal.at - now),
    retryShare: host.share?.share(now) ?? 0,
    starts: host.starts,
    meanTime: mark.fetches === 0 ? null : mark.meanTime,
    provider: lane.spec.kind === "direct" ? null : lane.spec.name,
    providerRefusal: lane.lastRefusal,
    reason: host.hasWork ? whyWaiting(pipeline, host, now) : null,
    nextAt: host.hasWork ? wall(nextStartOf(pipeline, host, now)) : null,
  };
}

/** As far as the host's own limits and its provider's ways go. */
function nextStartOf({ providers }: Pipeline, host: Host, now: Millis): Millis {
  const at = Math.max(host.limiter.admitAt(now), host.nextIsRetry ? host.budget.readyAt(now) : now);
  return providers.routeAt(host, at, now);
}

/** Closed longest first, then half-open, then by cuts. */
function troubleOf(host: Host, now: Millis): number {
  const closed = Math.max(0, host.limiter.gateUntil - now);
  return closed * 1_000 + (host.limiter.halfOpen ? 1_000 : 0) + Math.min(999, host.limiter.cuts);
}

function keepBest(hosts: Host[], rank: (host: Host) => number, most: number): void {
  hosts.sort((a, b) => rank(b) - rank(a));
  hosts.length = Math.min(hosts.length, most);
}

function isNamed(host: Host, name: string): boolean {
  return host.key === name || (host.key.startsWith(name) && host.key[name.length] === ":");
}
