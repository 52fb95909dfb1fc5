import type { HostLimiter, Pace } from "../flow/host-limiter.ts";
import { HostUnit } from "../flow/host-unit.ts";
import { newHostLimiter } from "../flow/new-host-limiter.ts";
import type { EpochMillis } from "../kernel/units.ts";
import type { Clock, Random } from "../ports/clock.ts";
import type { Host } from "../stages/frontier/host.ts";
import { epochOf, leftOf, restoreState } from "./host-states.ts";
import type { PipelineDeps, PipelineOptions } from "./pipeline-deps.ts";
import type { UnitRule } from "./unit-rule.ts";

export interface HostUnitsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly rule: UnitRule;
  readonly newLimiter: (pace: Pace) => HostLimiter;
  readonly paceOf: (host: string) => Pace;
}

interface Stored {
  readonly state: Uint8Array;
  readonly gateUntil: EpochMillis | null;
}

/**
 * Which hosts are limited as one. A host's unit is settled once a run: by its key when the host is made, or by the first address
 * it resolves to. Units are bounded by the hosts known.
 */
export class HostUnits {
  readonly #deps: HostUnitsDeps;
  readonly #units = new Map<string, HostUnit<Host>>();
  /** When the state was stored that a unit was given; a younger one of another of its hosts takes its place. */
  readonly #storedAt = new Map<HostUnit<Host>, EpochMillis>();
  /** What the store has of hosts whose unit is not known before their address is. */
  readonly #stored = new Map<Host, Stored>();

  constructor(deps: HostUnitsDeps) {
    this.#deps = deps;
  }

  /** A host is made. */
  made(host: Host): void {
    const { rule } = this.#deps;
    if (rule.by === "key") this.#join(host, rule.of(host.key));
  }

  /** A host's address is known. */
  resolved(host: Host): void {
    const { clock, random, rule } = this.#deps;
    if (host.address === null) return;
    const now = clock.now();
    // Its own limiter hears of names that have no address, and of nothing else: this is its success.
    if (host.unit !== null && host.own.halfOpen) host.own.end(host.own.start(now, random), { kind: "ok", ttfb: null }, now, random);
    if (rule.by === "address" && host.unit === null) this.#join(host, host.address);
  }

  /** Takes what the store kept of a host's limits. */
  restore(host: Host, state: Uint8Array, gateUntil: EpochMillis | null): void {
    if (host.unit === null) this.#stored.set(host, { state, gateUntil });
    else this.#restore(host, host.unit, { state, gateUntil });
  }

  #join(host: Host, key: string): void {
    const { paceOf, newLimiter } = this.#deps;
    const pace = paceOf(host.key);
    let unit = this.#units.get(key);
    if (unit === undefined) {
      unit = new HostUnit<Host>(key, newLimiter, pace);
      this.#units.set(key, unit);
    }
    host.join(unit);
    host.asked(pace);
    const stored = this.#stored.get(host);
    if (stored === undefined) return;
    this.#stored.delete(host);
    this.#restore(host, unit, stored);
  }

  /** The youngest state of any of its hosts is the unit's; a gate holds, whichever of them it stands with. */
  #restore(host: Host, unit: HostUnit<Host>, { state, gateUntil }: Stored): void {
    const { clock } = this.#deps;
    const gateLeft = leftOf(gateUntil, clock);
    const storedAt = epochOf(state);
    const isYounger = storedAt > (this.#storedAt.get(unit) ?? Number.NEGATIVE_INFINITY);
    // What was seen in this run is younger than anything stored.
    if (isYounger && unit.limiter.inFlight === 0 && unit.fetches === 0) {
      this.#storedAt.set(unit, storedAt);
      restoreState(host, state, clock, gateUntil);
      unit.limiter.pace(unit.pace);
    } else if (gateLeft > 0) unit.limiter.hint({ gap: 0, closedFor: gateLeft, concurrent: null }, clock.now());
  }
}

/** The units of a pipeline; null when each host is limited by itself. */
export function hostUnitsOf({ clock, random }: PipelineDeps, { limiter, paceOf, unit }: PipelineOptions): HostUnits | null {
  if (unit === undefined) return null;
  return new HostUnits({ clock, random, rule: unit, paceOf, newLimiter: (pace) => newHostLimiter(limiter, pace) });
}
