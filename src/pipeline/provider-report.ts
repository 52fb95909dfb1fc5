import type { Bytes, EpochMillis } from "../kernel/units.ts";
import type { ProviderLane } from "./provider-lane.ts";
import type { Providers } from "./providers.ts";

/** What a run did by one provider, and how that stands. Plain JSON. */
export interface ProviderReport {
  readonly kind: "direct" | "gateway" | "scraping-api";
  /** Calls started in this run, refused ones included. */
  readonly calls: number;
  /** Calls that the provider itself refused. */
  readonly refused: number;
  /** Spent in this run; 0 for a gateway, which is paid by bytes. */
  readonly credits: number;
  /** On the wire, both directions, in this run. */
  readonly bytes: Bytes;
  /** In currency micro-units. */
  readonly cost: number;
  /** Credits or bytes left by our own count; null when nobody said how much there is. */
  readonly left: number | null;
  readonly inFlight: number;
  /** Calls at once. */
  readonly limit: number;
  /** Hosts that wait for it. */
  readonly waiting: number;
  /** Why nothing starts; null while something may. */
  readonly shut: "credits" | "closed" | null;
  /** What it refused with last, or why it was not reached; null as soon as an answer comes through. */
  readonly lastRefusal: string | null;
  /** When it goes on by itself; null when it is open, or nobody knows. */
  readonly resumesAt: EpochMillis | null;
}

/** By name; empty in a crawl that goes directly. */
export function providerReports(providers: Providers): Readonly<Record<string, ProviderReport>> {
  const reports: Record<string, ProviderReport> = {};
  for (const lane of providers.lanes) {
    const { name, kind } = lane.spec;
    if (kind !== "direct") reports[name] = reportOf(lane);
  }
  return reports;
}

export function reportOf(lane: ProviderLane): ProviderReport {
  const { kind } = lane.spec;
  const shut = lane.account?.shut ?? null;
  return {
    kind,
    calls: lane.calls,
    refused: lane.refused,
    credits: kind === "scraping-api" ? lane.spent : 0,
    bytes: lane.bytes,
    cost: lane.cost,
    left: lane.account?.left ?? null,
    inFlight: lane.limiter.inFlight,
    limit: Math.min(lane.limiter.limit, 4096),
    waiting: lane.waiting,
    shut: lane.closed !== null ? "closed" : shut !== null ? "credits" : null,
    lastRefusal: lane.lastRefusal,
    resumesAt: lane.closed === null ? (shut?.until ?? null) : null,
  };
}
