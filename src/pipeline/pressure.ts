import type { Bytes, Millis } from "../kernel/units.ts";
import type { Host } from "../stages/frontier/host.ts";
import { type WhyWaiting, whyWaiting } from "./host-view.ts";
import { LOCAL_WORDS } from "./local-faults.ts";
import type { Pipeline } from "./pipeline.ts";
import type { BoundBy } from "./tally.ts";

/** A queue whose oldest item is older than this is late, however few are in it. Source: flow-control.md §8 (W/10; the consumer's whole W). */
const LATE: Readonly<Record<"parse" | "storage" | "consumer", Millis>> = { parse: 1_000, storage: 1_000, consumer: 10_000 };
/** Hosts looked at for one line of words, at most. */
const HOSTS_COUNTED = 5_000;

/** One stage at one moment. Age outranks depth: deep and draining is healthy, shallow and old is not. */
export interface StagePressure {
  readonly depth: number;
  /** null: the known URLs themselves, which are the crawl's subject. */
  readonly depthBound: number | null;
  readonly bytes: Bytes;
  readonly bytesBound: Bytes | null;
  readonly oldestAge: Millis;
  /** Puts and draws that had to wait, so far. */
  readonly blocked: number;
  /** Times it said no, so far. */
  readonly refusals: number;
}

/** Stages in the order of the path. */
export const STAGES = ["frontier", "fetch", "parse", "store", "consumer"] as const;
export type StageName = (typeof STAGES)[number];

/** What the pipeline knows of whoever takes settled URLs; null without one. */
export interface ConsumerPressure {
  readonly depth: number;
  readonly bound: number;
  readonly oldestAge: Millis;
}

/** Depth, bytes, age and refusals of each stage. Every figure is at hand: nothing is counted for it. */
export function stagePressures(pipeline: Pipeline, consumer: ConsumerPressure | null, now: Millis): Record<StageName, StagePressure> {
  const { frontier, dispatcher, parse, storeStage, options, gauges } = pipeline;
  const { credits } = parse;
  return {
    frontier: {
      depth: Math.max(0, frontier.left - dispatcher.inFlight),
      depthBound: null,
      bytes: 0,
      bytesBound: null,
      oldestAge: dispatcher.oldestTurn(now),
      blocked: 0,
      refusals: 0,
    },
    fetch: {
      depth: dispatcher.inFlight,
      depthBound: options.concurrency,
      bytes: 0,
      bytesBound: null,
      oldestAge: oldestFetch(pipeline, now),
      blocked: 0,
      refusals: gauges.count("host") + gauges.count("provider") + gauges.count("account") + gauges.count("endpoint"),
    },
    parse: {
      depth: credits.heldItems,
      depthBound: credits.light.bound.items + credits.heavy.bound.items,
      bytes: credits.heldBytes,
      bytesBound: credits.light.bound.bytes + credits.heavy.bound.bytes,
      oldestAge: Math.max(parse.bounds.light.oldestAge(now), parse.bounds.heavy.oldestAge(now)),
      blocked: credits.blockedDraws,
      refusals: gauges.count("parse") + parse.admission.refusals,
    },
    store: {
      depth: storeStage.depth,
      depthBound: storeStage.bound.items,
      bytes: storeStage.bytes,
      bytesBound: storeStage.bound.bytes,
      oldestAge: storeStage.oldestAge,
      blocked: 0,
      refusals: gauges.count("storage"),
    },
    consumer: {
      depth: consumer?.depth ?? 0,
      depthBound: consumer?.bound ?? null,
      bytes: 0,
      bytesBound: null,
      oldestAge: consumer?.oldestAge ?? 0,
      blocked: 0,
      refusals: 0,
    },
  };
}

/** Age of the oldest request under way: they are kept in the order they were started in. */
function oldestFetch(pipeline: Pipeline, now: Millis): Millis {
  for (const errand of pipeline.dispatcher.active) return now - errand.startedAt;
  return 0;
}

/** What holds the crawl back at this moment. Cheap: asked every second, whatever the number of hosts. */
export function boundCause(pipeline: Pipeline, consumer: ConsumerPressure | null, now: Millis): BoundBy {
  const { dispatcher, frontier, storeStage } = pipeline;
  if (storeStage.troubled) return "storage";
  if (dispatcher.held === "stopping") return "nothing left";
  if ((consumer?.oldestAge ?? 0) > LATE.consumer) return "consumer";
  if (storeStage.oldestAge > LATE.storage) return "storage";
  const { bounds, admission } = pipeline.parse;
  if (bounds.light.oldestAge(now) > LATE.parse) return "parse";
  // Hosts with heavy pages wait for each other; when nobody else has anything to do, the parser is what all wait for.
  if (admission.waiting > 0 && dispatcher.inFlight === 0) return "parse";
  const held = dispatcher.holds.longest(now);

  if (dispatcher.local !== null) return "local";
  if (held !== null && held !== "stopping") return held;
  if (frontier.left <= urlsInFlight(pipeline)) return "nothing left";
  return pipeline.providers.bound(dispatcher.timedHosts, now) ?? "host limits";
}

/** The cause, with the words that tell a person what it means. */
export function boundWords(pipeline: Pipeline, cause: BoundBy, now: Millis): string {
  const { storeStage, dispatcher } = pipeline;
  if (cause === "storage" && storeStage.troubled) return "storage: the store cannot be written";
  if (dispatcher.held === "stopping") return "stopping";
  if (cause === "provider plan" || cause === "credits") return pipeline.providers.boundWords(cause, now);
  if (cause === "local" && dispatcher.local !== null) return `local: ${LOCAL_WORDS[dispatcher.local.cause]}`;
  return cause === "host limits" ? hostLimits(pipeline, now) : cause;
}

/** What would help, and what would not. Source: spec B9. */
export const HELP: Readonly<Record<BoundBy, string>> = {
  "host limits": "adding workers does nothing",
  concurrency: "a higher --concurrency fetches more at once",
  parse: "pages come faster than they are parsed; fetching waits for it",
  storage: "a faster disk, or fewer writers on it",
  consumer: "whoever reads the results is slower than the crawl",
  "provider plan": "a larger plan at the provider; adding workers does nothing",
  credits: "weir topup, or waiting for the reset",
  budget: "the next cycle, or a larger --budget",
  local: "this machine or its network is at fault; no site is blamed",
  "nothing left": "",
};

/** Those of robots.txt bring nothing to its end. */
function urlsInFlight(pipeline: Pipeline): number {
  let count = 0;
  for (const errand of pipeline.dispatcher.active) if (errand.rowId >= 0) count += 1;
  return count;
}

/** What hosts wait for, in a person's words, one host and several. */
const WAITS: Readonly<Partial<Record<WhyWaiting, readonly [string, string]>>> = {
  gate: ["backing off", "backing off"],
  "parked until": ["parked for more than an hour", "parked for more than an hour"],
  "half-open": ["trying one request after a refusal", "trying one request each after a refusal"],
  resolving: ["looking up its address", "looking up their addresses"],
  robots: ["waiting for robots.txt", "waiting for robots.txt"],
  "parse share": ["waiting for the parser to get through its heavy pages", "waiting for the parser to get through their heavy pages"],
  reading: ["read from the store", "read from the store"],
  delay: ["keeping --delay", "keeping --delay"],
  "crawl-delay": ["keeping Crawl-delay", "keeping their Crawl-delay"],
  "retry budget": ["waiting for its retry budget", "waiting for their retry budget"],
  "address ceiling": ["waiting for its address", "waiting for their addresses"],
  unit: ["waiting for its turn among the hosts it is limited with", "waiting for their turn among the hosts they are limited with"],
  "provider plan": ["waiting for its provider", "waiting for their provider"],
  credits: ["waiting for credits", "waiting for credits"],
  "provider closed": ["waiting for its provider to be mended", "waiting for their provider to be mended"],
  "provider down": ["without a way through its provider", "without a way through their provider"],
};
const OTHERWISE = ["at its ceiling or pace", "at their ceiling or pace"] as const;

function hostLimits(pipeline: Pipeline, now: Millis): string {
  const counts = new Map<string, { count: number; words: readonly [string, string] }>();
  let seen = 0;
  for (const host of pipeline.frontier.hosts()) {
    if (!isKeptBack(host)) continue;
    const words = WAITS[whyWaiting(pipeline, host, now)] ?? OTHERWISE;
    const entry = counts.get(words[0]);
    if (entry === undefined) counts.set(words[0], { count: 1, words });
    else entry.count += 1;
    seen += 1;
    if (seen === HOSTS_COUNTED) break;
  }
  const most = [...counts.values()].reduce((a, b) => (b.count > a.count ? b : a), {
    count: 0,
    words: OTHERWISE as readonly [string, string],
  });
  if (most.count === 0) {
    const { retrying } = pipeline.frontier;
    return `host limits: ${retrying} ${retrying === 1 ? "URL" : "URLs"} to be tried again`;
  }
  const count = most.count.toLocaleString("en-US");
  const said = most.words === WAITS["provider down"] ? pipeline.providers.refusalWords : "";
  return `host limits: ${seen === HOSTS_COUNTED ? "more than " : ""}${count} ${most.count === 1 ? "host" : "hosts"} ${most.words[most.count === 1 ? 0 : 1]}${said}`;
}

/** It has work, or its robots.txt is on its way. */
function isKeptBack(host: Host): boolean {
  return host.hasWork || host.resolving;
}
