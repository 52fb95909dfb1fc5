import { appendFileSync } from "node:fs";
import { expect, vi } from "vitest";
import type { SimulationResult } from "../../src/app/simulation/result.ts";
import type { Simulation } from "../../src/app/simulation/simulation.ts";
import type { Millis } from "../../src/kernel/units.ts";
import type { EndKind } from "../../src/simulate/simulated-site.ts";
import { openSimulation } from "./simulated.ts";

// Minutes of virtual time are seconds of work, and many times that on a machine that does other things too.
vi.setConfig({ testTimeout: 240_000 });

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60_000;

/** Every scenario here runs once for each; `node bench/scenarios.mjs` says 1 to 5. */
export const SEEDS: readonly number[] = (process.env["WEIR_SEEDS"] ?? "1").split(",").map(Number);
export const FAULT_SEEDS: readonly number[] = process.env["WEIR_SEEDS"] === undefined ? [1] : SEEDS;

/** Keeps a scenario's figure for the table of `bench/scenarios.mjs`. */
export function figure(scenario: string, seed: number, values: Readonly<Record<string, number>>): void {
  const file = process.env["WEIR_FIGURES"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ scenario, seed, values })}\n`);
}

interface Ended {
  readonly host: string;
  readonly kind: EndKind;
  readonly startedAt: Millis;
  readonly at: Millis;
}

/** What one run looked like from the sites. */
export class Played {
  readonly simulation: Simulation;
  readonly starts: readonly { readonly host: string; readonly url: string; readonly at: Millis }[];
  readonly ends: readonly Ended[];

  constructor(simulation: Simulation, starts: Played["starts"], ends: Played["ends"]) {
    this.simulation = simulation;
    this.starts = starts;
    this.ends = ends;
  }

  count(kind: EndKind, from: Millis, to: Millis, host = ""): number {
    return this.ends.filter((end) => end.kind === kind && end.at >= from && end.at < to && end.host.startsWith(host)).length;
  }
  /** Pages a second. */
  goodput(from: Millis, to: Millis, host = ""): number {
    return (this.count("ok", from, to, host) * 1000) / (to - from);
  }
  startsIn(from: Millis, to: Millis, host = ""): number {
    return this.starts.filter((start) => start.at >= from && start.at < to && start.host.startsWith(host)).length;
  }
  p95(from: Millis, to: Millis): Millis {
    const times = this.ends.filter((end) => end.kind === "ok" && end.at >= from && end.at < to).map((end) => end.at - end.startedAt);
    return times.sort((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1];
  }
  limitOf(host: string): number {
    return this.simulation.pipeline.frontier.hostOf(`https://${host}/`).limiter.limit;
  }
  /** How often the URL that was asked for most was. */
  get mostAsked(): number {
    const counts = new Map<string, number>();
    for (const { url } of this.starts) counts.set(url, (counts.get(url) ?? 0) + 1);
    return Math.max(0, ...counts.values());
  }
  cutsOf(host: string): number {
    return this.simulation.pipeline.frontier.hostOf(`https://${host}/`).limiter.cuts;
  }

  /**
   * Ends the run; what holds for every scenario is asserted: no URL lost, no queue above its bound (one body at a time may overdraw
   * the bytes, a fifth at most).
   */
  async end(): Promise<SimulationResult> {
    const result = await this.simulation.result();
    expect(result.lost, `lost URLs with seed ${result.seed}`).toBe(0);
    for (const { name, peak, bound } of result.queues) expect(peak, name).toBeLessThanOrEqual(name === "parse bytes" ? bound * 1.2 : bound);
    return result;
  }
}

/** Opens a described web; time passes with `simulation.advance`. */
export async function play(file: unknown, seed: number): Promise<Played> {
  const starts: { host: string; url: string; at: Millis }[] = [];
  const ends: Ended[] = [];
  const simulation = await openSimulation(
    file,
    { seed },
    {
      onStart: (site, { url }, at) => starts.push({ host: site.name, url, at }),
      onEnd: (site, kind, took, at) => ends.push({ host: site.name, kind, startedAt: at - took, at }),
    },
  );
  return new Played(simulation, starts, ends);
}
