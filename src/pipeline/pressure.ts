import type { EpochMillis, Millis } from "../kernel/units.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Pipeline } from "./pipeline.ts";
import type { BoundBy } from "./tally.ts";

/** Hosts shown in a status. */
const HOSTS_SHOWN = 10;

/** A host that has work, and why it is not served at this moment. */
export interface WaitingHost {
  readonly host: string;
  readonly waiting: number;
  readonly inFlight: number;
  /** `gate`, `half-open`, `ceiling`, `delay`, `robots`, `retry budget`, `resolving`, `address ceiling`, `reading`, or `its turn`. */
  readonly reason: string;
  readonly nextAt: EpochMillis | null;
}

/** What holds the crawl back at this moment: the cause for the sum, and the words for a person. */
export function boundNow(pipeline: Pipeline, now: Millis): { readonly cause: BoundBy; readonly words: string } {
  const { dispatcher, frontier, storeStage } = pipeline;
  if (storeStage.troubled) return { cause: "storage", words: "storage: the store cannot be written" };
  switch (dispatcher.held) {
    case "concurrency":
    case "parse":
    case "storage":
    case "consumer":
      return { cause: dispatcher.held, words: dispatcher.held };
    case "stopping":
      return { cause: "nothing left", words: "stopping" };
    case null:
      break;
    default:
      dispatcher.held satisfies never;
  }
  if (frontier.left <= urlsInFlight(dispatcher)) return { cause: "nothing left", words: "nothing left" };
  return { cause: "host limits", words: hostLimits(pipeline, now) };
}

/** Those of robots.txt bring nothing to its end. */
function urlsInFlight(dispatcher: Dispatcher): number {
  let count = 0;
  for (const errand of dispatcher.active) if (errand.rowId >= 0) count += 1;
  return count;
}

function hostLimits(pipeline: Pipeline, now: Millis): string {
  const counts = {
    "backing off": 0,
    "looking up their address": 0,
    "waiting for robots.txt": 0,
    "waiting for their retry budget": 0,
    "at their ceiling or pace": 0,
  };
  for (const host of pipeline.frontier.hosts()) {
    if (!host.hasWork) continue;
    if (host.limiter.gateUntil > now) counts["backing off"] += 1;
    else if (host.resolving) counts["looking up their address"] += 1;
    else if (host.robots.busy || host.robots.isRepeat) counts["waiting for robots.txt"] += 1;
    else if (pipeline.retries.holds(host, now)) counts["waiting for their retry budget"] += 1;
    else counts["at their ceiling or pace"] += 1;
  }
  const [words, count] = Object.entries(counts).reduce((most, entry) => (entry[1] > most[1] ? entry : most));
  if (count === 0)
    return `host limits: ${pipeline.frontier.retrying} ${pipeline.frontier.retrying === 1 ? "URL" : "URLs"} to be tried again`;
  return `host limits: ${count} ${count === 1 ? "host" : "hosts"} ${count === 1 ? words.replace("their", "its") : words}`;
}

/** The hosts with most waiting: at most ten, whatever the number of hosts. */
export function waitingHosts(pipeline: Pipeline, now: Millis, epoch: EpochMillis): WaitingHost[] {
  const most: Host[] = [];
  for (const host of pipeline.frontier.hosts()) {
    if (!host.hasWork) continue;
    most.push(host);
    if (most.length > 4 * HOSTS_SHOWN) keepMost(most);
  }
  keepMost(most);
  return most.map((host) => {
    const at = host.limiter.admitAt(now);
    return {
      host: host.key,
      waiting: host.waiting,
      inFlight: host.limiter.inFlight,
      reason: pipeline.retries.holds(host, now) ? "retry budget" : reasonOf(host, at, now),
      nextAt: at > now && Number.isFinite(at) ? Math.round(epoch + (at - now)) : null,
    };
  });
}

function keepMost(hosts: Host[]): void {
  hosts.sort((a, b) => b.waiting - a.waiting);
  hosts.length = Math.min(hosts.length, HOSTS_SHOWN);
}

/** Why a host that has work is not served at this moment. */
function reasonOf(host: Host, at: Millis, now: Millis): string {
  if (host.hold !== null) return host.hold;
  if (host.limiter.gateUntil > now) return "gate";
  if (host.limiter.halfOpen) return "half-open";
  if (!Number.isFinite(at)) return "ceiling";
  return at > now ? "delay" : "its turn";
}
