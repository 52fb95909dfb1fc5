import type { ProviderResult } from "../../simulate/simulated-provider.ts";
import type { SimulatedSite } from "../../simulate/simulated-site.ts";
import { WARM_UP } from "../../simulate/web.ts";
import type { QueueResult } from "./queue-peaks.ts";

/** What a site was asked and gave. The names are the contract of `--json`. Plain JSON. */
export interface HostResult {
  readonly name: string;
  readonly starts: number;
  /** Pages it served. */
  readonly ok: number;
  /** Requests it refused with an answer, or by a reset. */
  readonly rejects: number;
  /** Requests that ended by a deadline of ours. */
  readonly timeouts: number;
  /** Any other request that brought no page. */
  readonly errors: number;
  readonly okPerSecond: number;
  /** From minute 5 on; null for a shorter run. */
  readonly okPerSecondAfter5Min: number | null;
  /** Timeouts included. */
  readonly rejectsPerHour: number;
  /** Start to end of the pages it served. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Most requests at once. */
  readonly mostInFlight: number;
  /** `[seconds, limit]`. */
  readonly limit: readonly (readonly [number, number])[];
}

/** The result of a simulation. Plain JSON. */
export interface SimulationResult {
  readonly seed: number;
  /** Of virtual time. */
  readonly seconds: number;
  readonly hosts: readonly HostResult[];
  readonly queues: readonly QueueResult[];
  /** null without one. */
  readonly provider: ProviderResult | null;
  /** Retries started ÷ requests, 0–1. */
  readonly retryShare: number;
  readonly settled: number;
  /** URLs known that wait, those in flight at the end included. */
  readonly waiting: number;
  /** URLs known that are neither settled nor waiting, or were settled twice; must be 0. */
  readonly lost: number;
}

export function siteResult(site: SimulatedSite, seconds: number): HostResult {
  const warm = seconds - WARM_UP / 1000;
  return {
    name: site.name,
    starts: site.starts,
    ok: site.ok,
    rejects: site.rejects,
    timeouts: site.timeouts,
    errors: site.errors,
    okPerSecond: rounded(site.ok / seconds),
    okPerSecondAfter5Min: warm > 0 ? rounded(site.okAfterWarmUp / warm) : null,
    rejectsPerHour: rounded(((site.rejects + site.timeouts) * 3600) / seconds),
    p50Ms: roundedOrNull(site.latencies.quantile(0.5)),
    p95Ms: roundedOrNull(site.latencies.quantile(0.95)),
    mostInFlight: site.mostInFlight,
    limit: site.limit,
  };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function roundedOrNull(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
