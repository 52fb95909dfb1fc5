import type { EpochMillis, Millis } from "../kernel/units.ts";
import type { Clock, Random } from "../ports/clock.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { Errand } from "./errand.ts";
import type { PipelineDeps, PipelineOptions } from "./pipeline-deps.ts";
import { ProviderLane, type ProviderSpec } from "./provider-lane.ts";

/** Times a person is told that a provider lets nothing through; the status names the present one. */
const DOWN_TOLD = 5;

/** Key of the store's text that holds a provider's state. */
export const providerMetaKey = (name: string): string => `provider:${name}`;

export interface ProvidersDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** The first is what hosts go by unless `providerOf` names another. */
  readonly specs: readonly ProviderSpec[];
  /** Name of the provider that a host goes by. */
  readonly providerOf: (host: string) => string;
  /** Keeps a provider's state with the next commit. */
  readonly save: (key: string, state: string) => void;
  /** Tells the person, once for each occasion. */
  readonly warn: (message: string) => void;
}

/** Which host goes which way, and the hosts that wait for one of them. */
export class Providers {
  readonly #deps: ProvidersDeps;
  readonly #lanes: readonly ProviderLane[];
  /** Lanes that can refuse. Empty in a crawl that goes directly: then nothing here costs anything. */
  readonly #limited: readonly ProviderLane[];
  readonly #told = new Set<ProviderLane>();
  #toldDown = 0;

  constructor(deps: ProvidersDeps) {
    this.#deps = deps;
    const epoch = deps.clock.epoch();
    this.#lanes = deps.specs.map((spec) => new ProviderLane(spec, epoch));
    this.#limited = this.#lanes.filter((lane) => lane.spec.kind !== "direct");
  }

  get lanes(): readonly ProviderLane[] {
    return this.#lanes;
  }

  of(host: Host): ProviderLane {
    if (host.provider < 0) host.provider = this.#indexOf(host.key);
    return this.#lanes[host.provider];
  }

  named(name: string): ProviderLane | undefined {
    return this.#lanes.find((lane) => lane.spec.name === name);
  }

  #indexOf(key: string): number {
    const name = this.#deps.providerOf(key);
    return Math.max(
      0,
      this.#lanes.findIndex((lane) => lane.spec.name === name),
    );
  }

  /** Retries of a URL on this host: none where its provider has made its own. */
  retriesOn(host: Host, retries: number): number {
    return this.of(host).spec.retries > 0 ? 0 : retries;
  }

  retriesOf(host: string, retries: number): number {
    return this.#lanes[this.#indexOf(host)].spec.retries > 0 ? 0 : retries;
  }

  /** May the host's provider take a call now? Otherwise the host waits on its list. */
  admits(host: Host, now: Millis): boolean {
    const lane = this.of(host);
    if (lane.spec.kind === "direct" || this.#admitAt(lane, now) <= now) return true;
    lane.park(host, now);
    return false;
  }

  /** The instant `at`, or later when the host's way out opens later. */
  routeAt(host: Host, at: Millis, now: Millis): Millis {
    if (this.#limited.length === 0) return at;
    const { route } = this.of(host).spec;
    const opens = route.admitAt?.(host.key, now) ?? now;
    return opens <= now ? at : Math.max(at, opens);
  }

  /** No way through its provider is open to the host at this moment. */
  isDown(host: Host, now: Millis): boolean {
    return this.routeAt(host, now, now) > now;
  }

  start(errand: Errand, host: Host, now: Millis): void {
    const lane = this.of(host);
    if (lane.spec.kind === "direct") return;
    errand.call = lane.start(now);
    this.#save(lane);
  }

  /** @returns what the answer means to the URL: a refusal of the provider's is no attempt. */
  end(errand: Errand, result: FetchResult): FetchResult {
    const { call } = errand;
    if (call === null) return result;
    const { clock, random } = this.#deps;
    const lane = this.of(errand.host);
    errand.call = null;
    const ended = lane.end(call, errand.url, result, clock.now(), clock.epoch(), random);
    this.#tell(lane);
    this.#save(lane);
    return ended;
  }

  #admitAt(lane: ProviderLane, now: Millis): Millis {
    const at = lane.admitAt(now, this.#deps.clock.epoch());
    this.#tell(lane);
    return at;
  }

  /** Says once that a provider gives nothing any more, and when it does again. */
  #tell(lane: ProviderLane): void {
    const { name } = lane.spec;
    const isShut = lane.closed !== null || (lane.account?.shut ?? null) !== null;
    const isClosed = isShut || lane.down;
    if (isClosed === this.#told.has(lane)) return;
    if (!isClosed) this.#told.delete(lane);
    else {
      this.#told.add(lane);
      if (!isShut && ++this.#toldDown > DOWN_TOLD) return;
      const why = !isShut
        ? `lets nothing through, its hosts wait and it is tried again: ${lane.lastRefusal}`
        : lane.closed === null
          ? `has no credits left; ${resumeWords(lane)}`
          : `refuses every call: ${lane.closed}`;
      this.#deps.warn(`Provider ${name} ${why}`);
    }
  }

  /**
   * Offers hosts that waited, as many as may start now.
   * @param offer enters a host. @returns whether it may start at once.
   */
  wake(now: Millis, offer: (host: Host) => boolean): boolean {
    let woken = false;
    for (const lane of this.#limited) {
      if (lane.waiting === 0 || this.#admitAt(lane, now) > now) continue;
      // A host that cannot start now is in the heap, and its place goes on to the next.
      for (let room = lane.limiter.limit - lane.limiter.inFlight; room > 0; ) {
        const host = lane.unpark();
        if (host === undefined) break;
        if (!offer(host)) continue;
        room -= 1;
        woken = true;
      }
    }
    return woken;
  }

  /** Earliest instant at which a host that waits may start; `Infinity` when none is known. */
  nextAt(now: Millis): Millis {
    let next = Number.POSITIVE_INFINITY;
    for (const lane of this.#limited) if (lane.waiting > 0) next = Math.min(next, this.#admitAt(lane, now));
    return next;
  }

  /** What of a provider holds the crawl back: the one that most hosts wait for, if they are more than those that wait for themselves. */
  bound(others: number, now: Millis): "provider plan" | "credits" | null {
    const lane = this.#mostWaitedFor();
    if (lane === undefined || lane.waiting < others) return null;
    const hold = lane.holdOf(now);
    return hold === "provider plan" || hold === "provider down" ? "provider plan" : "credits";
  }

  boundWords(cause: "provider plan" | "credits", now: Millis): string {
    const lane = this.#mostWaitedFor();
    if (lane === undefined) return cause;
    const { name } = lane.spec;
    if (lane.closed !== null) return `${name} refuses every call: ${lane.closed}`;
    const { halfOpen, limit, gateUntil } = lane.limiter;
    if (cause === "credits") return `${cause}: ${name} has none left; ${resumeWords(lane)}`;
    const said = lane.lastRefusal === null ? "" : `: ${lane.lastRefusal}`;
    return halfOpen || gateUntil > now ? `${cause}: ${name} backs off${said}` : `${cause}: ${limit} calls at once to ${name}`;
  }

  /** The last refusal of the provider that lets nothing through, as the end of a sentence; empty when each does. */
  get refusalWords(): string {
    const lane = this.#limited.find(({ down }) => down) ?? this.#limited.find(({ lastRefusal }) => lastRefusal !== null);
    return lane === undefined ? "" : ` ${lane.spec.name}: ${lane.lastRefusal}`;
  }

  #mostWaitedFor(): ProviderLane | undefined {
    return this.waitedFor.reduce<ProviderLane | undefined>((most, lane) => (lane.waiting > (most?.waiting ?? 0) ? lane : most), undefined);
  }

  /** Lanes that hosts wait for. */
  get waitedFor(): readonly ProviderLane[] {
    return this.#limited.filter((lane) => lane.waiting > 0);
  }

  /**
   * Nothing goes on by itself: every lane that hosts wait for is closed, or shut until a person tops up and has been for longer
   * than one waits for that.
   */
  isStuck(epoch: EpochMillis, maxWait: Millis): boolean {
    const lanes = this.waitedFor;
    const isPast = (lane: ProviderLane): boolean => {
      if (lane.closed !== null) return true;
      const shut = lane.account?.shut ?? null;
      return shut !== null && shut.until === null && epoch - shut.since > maxWait;
    };
    return lanes.length > 0 && lanes.every(isPast);
  }

  /** A person has paid. @returns the lane; undefined when there is none of that name. */
  topUp(name: string, amount: number | null): ProviderLane | undefined {
    const lane = this.named(name);
    lane?.topUp(amount);
    if (lane !== undefined) this.#save(lane);
    return lane;
  }

  /** Takes what the store kept of one. */
  restore(name: string, state: string, epoch: EpochMillis): void {
    this.named(name)?.restore(state, epoch);
  }

  #save(lane: ProviderLane): void {
    const state = lane.state();
    if (state !== null) this.#deps.save(providerMetaKey(lane.spec.name), state);
  }
}

/** The providers of a pipeline: the direct way, and what it was given besides. */
export function providersOf(deps: PipelineDeps, options: PipelineOptions, save: (key: string, state: string) => void): Providers {
  const { clock, random, route, providers, warn } = deps;
  const direct: ProviderSpec = { name: route.name, kind: "direct", route, retries: 0, price: 0 };
  return new Providers({
    clock,
    random,
    specs: [direct, ...(providers ?? [])],
    providerOf: options.providerOf ?? (() => route.name),
    save,
    warn,
  });
}

/** When paid work goes on, for a person. */
export function resumeWords(lane: ProviderLane): string {
  const until = lane.account?.shut?.until ?? null;
  const byHand = `weir topup ${lane.spec.name}`;
  return until === null ? `calls go on after ${byHand}` : `calls go on at ${new Date(until).toISOString()}, or after ${byHand}`;
}
