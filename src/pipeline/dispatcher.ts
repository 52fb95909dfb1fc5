import { AddressGate } from "../flow/address-gate.ts";
import { FairShare } from "../flow/fair-share.ts";
import { HoldClock } from "../flow/hold-clock.ts";
import { HostRanks } from "../flow/host-ranks.ts";
import type { HostUnit } from "../flow/host-unit.ts";
import type { LocalCause } from "../kernel/signal.ts";
import type { Millis } from "../kernel/units.ts";
import type { CancelTimer } from "../ports/clock.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { DispatcherDeps, GlobalHold } from "./dispatcher-deps.ts";
import type { Errand } from "./errand.ts";
import { LocalWatch } from "./local-watch.ts";
import { Lookups } from "./lookups.ts";
import { UnitTurns } from "./unit-turns.ts";

/** Rows refused by robots.txt that are settled in one turn of a host before others get theirs. */
const REFUSALS_A_TURN = 64;

/** Shares of the overall concurrency in flight from which slots are contended, and below which there are plenty. */
const CONTENDED_FROM = 0.75;
const PLENTY_BELOW = 0.5;

/**
 * The one owner of every start: first attempts, retries, redirect hops, robots.txt, sitemaps.
 *
 * Hosts that have work lie in a heap by the instant each may start; one timer serves all. A start needs, all at once: no
 * global hold, a free place in the overall concurrency, parse credit, the host's permit, its provider's and the money for it,
 * and a place at its address. Nothing here waits: what is lacking calls `pump` when it comes.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #concurrency: number;
  readonly #heap = new HostRanks<Host>();
  readonly #addresses: AddressGate<Host>;
  readonly #active = new Set<Errand>();
  readonly #share = new FairShare();
  /** Hosts that have work and left a contended slot to others; each has something in flight whose end offers it again. */
  readonly #yielding = new Set<Host>();
  #timer: CancelTimer | null = null;
  #timerAt: Millis = Number.POSITIVE_INFINITY;
  #pumping = false;
  #held: GlobalHold | null = null;
  /** How long each hold lasted, for what the crawl was bound by. */
  readonly holds: HoldClock<GlobalHold>;
  #hostsAsked = 0;
  readonly #lookups: Lookups;
  readonly #watch: LocalWatch;
  readonly #turns: UnitTurns;

  constructor(deps: DispatcherDeps, options: { readonly concurrency: number; readonly ipCeiling: number }) {
    this.#deps = deps;
    this.#concurrency = options.concurrency;
    this.#addresses = new AddressGate(options.ipCeiling);
    this.holds = new HoldClock(deps.clock.now());
    const { clock, lag, providers, retries, units, signal, unresolved, onLocal } = deps;
    this.#turns = new UnitTurns({
      heap: this.#heap,
      ownAt: (host, now) => providers.routeAt(host, retries.admitAt(host, host.own.admitAt(now), now), now),
      yielding: this.#yielding,
    });
    this.#lookups = new Lookups({
      clock,
      routeOf: (host) => providers.of(host).spec.route,
      signal,
      unresolved,
      settled: (host) => {
        const { unit } = host;
        units?.resolved(host);
        if (unit !== null) this.#turns.resolved(host, unit, clock.now());
        else this.offer(host);
        this.pump();
      },
      onSilence: () => onLocal("dns"),
    });
    this.#watch = new LocalWatch({
      clock,
      lag,
      concurrency: options.concurrency,
      active: this.#active,
      end: (errand, result, local) => this.#done(errand, result, local),
      onTrip: onLocal,
    });
  }

  get inFlight(): number {
    return this.#active.size;
  }
  /** Errands that hold a permit now. */
  get active(): ReadonlySet<Errand> {
    return this.#active;
  }
  /** Address look-ups on their way. */
  get lookups(): number {
    return this.#lookups.pending;
  }
  /** Why nothing but a try a second starts, and since when nothing comes of it; null while this machine is well. */
  get local(): { readonly cause: LocalCause; readonly since: Millis } | null {
    const { guard } = this.#watch;
    if (guard.cause !== null) return { cause: guard.cause, since: guard.stuckSince };
    return this.#lookups.silentSince === null ? null : { cause: "dns", since: this.#lookups.silentSince };
  }
  /** Hosts of which anything was asked. */
  get hostsAsked(): number {
    return this.#hostsAsked;
  }
  /** What held the last turn's starts back; null when only hosts do. */
  get held(): GlobalHold | null {
    return this.#held;
  }
  /** How long the host that may start has waited for its turn, for those kept back by what all lack. */
  oldestTurn(now: Millis): Millis {
    return Math.max(0, now - Math.min(now, this.#heap.nextKey));
  }
  /** A slow host that has left a contended slot to others. */
  yields(host: Host): boolean {
    return this.#yielding.has(host);
  }
  /** Hosts that wait for an instant of their own. */
  get timedHosts(): number {
    return this.#heap.size;
  }
  /** Earliest instant at which some host or retry may start; `Infinity` when none is known. */
  get nextStartAt(): Millis {
    const { frontier, retries, providers, clock } = this.#deps;
    return Math.min(this.#heap.nextKey, frontier.nextRetryAt, retries.nextAt, providers.nextAt(clock.now()));
  }

  /** Enters a host that has work and may be asked at some known instant; others are offered again by what they wait for. */
  offer(host: Host, now: Millis = this.#deps.clock.now()): void {
    if (host.parked || host.resolving || !host.hasWork) return;
    if (host.unit !== null) return this.#turns.offer(host, host.unit, now);
    const at = this.#admitAt(host, now);
    if (at > now) host.limitedUntil = at;
    else if (host.limitedUntil === Number.POSITIVE_INFINITY) host.limitedUntil = now;
    this.#enter(host, at);
  }

  #enter(host: Host, at: Millis): void {
    if (at !== Number.POSITIVE_INFINITY) this.#heap.push(host, at, (host.visits?.best?.valueClass ?? 1) - 1);
  }

  #admitAt(host: Host, now: Millis): Millis {
    return this.#deps.providers.routeAt(host, this.#deps.retries.admitAt(host, host.limiter.admitAt(now), now), now);
  }

  /** Starts everything that may start now. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      const now = this.#deps.clock.now();
      this.#deps.frontier.wake(now);
      this.#deps.retries.recall(now, (host) => this.offer(host, now));
      this.#recallYielding(now);
      for (const host of this.#deps.parse.recall(now)) this.offer(host, now);
      do this.#serveAll(now);
      while (this.#held === null && this.#deps.providers.wake(now, (host) => this.#canStart(host, now)));
    } finally {
      this.#pumping = false;
    }
    this.#deps.onTurn();
    this.#arm();
  }

  /** Aborts what is in flight; each errand still ends, with phase `aborted`. */
  abortAll(): void {
    for (const errand of [...this.#active]) errand.abort?.();
    this.#watch.abortHeld();
  }

  stopTimer(): void {
    this.#lookups.stop();
    this.#timer?.();
    this.#timer = null;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #serveAll(now: Millis): void {
    for (;;) {
      const held = this.#globalHold(now);
      if (held !== this.#held) this.#noteHold(held, now);
      if (held !== null) return;
      const host = this.#heap.due(now);
      if (host === undefined) return;
      this.#heap.remove(host);
      if (host.unit !== null) {
        this.#serveInTurn(host, host.unit, now);
        continue;
      }
      const at = this.#admitAt(host, now);
      if (at <= now) this.#serve(host, now);
      else this.#enter(host, at);
    }
  }

  #serveInTurn(host: Host, unit: HostUnit<Host>, now: Millis): void {
    if (!this.#turns.begin(host, unit, now)) return;
    this.#serve(host, now);
    this.#turns.end(host, unit, now);
  }

  #noteHold(held: GlobalHold | null, now: Millis): void {
    this.#held = held;
    this.holds.note(held, now);
  }

  /** Offers a host that waited for its provider. @returns whether it may start at once. */
  #canStart(host: Host, now: Millis): boolean {
    this.offer(host, now);
    return host.heapIndex >= 0 && host.heapKey <= now;
  }

  #globalHold(now: Millis): GlobalHold | null {
    const { guard } = this.#watch;
    if (guard.admitAt(now) > now) return "local";
    if (this.#active.size >= (guard.cause === null ? guard.limit(now) : this.#concurrency)) return "concurrency";
    if (!this.#deps.parse.hasRoom) return "parse";
    return this.#deps.hold();
  }

  #serve(host: Host, now: Millis): void {
    if (!host.hasWork) return;
    if (host.address === null || host.addressUntil <= now) {
      this.#lookups.ask(host);
      return;
    }
    if (host.limiter.inFlight > 0 && this.#holdsBack(host, host.address)) return;
    if (!this.#deps.parse.admits(host, now)) return;
    if (!this.#deps.providers.admits(host, now)) return;
    if (!this.#addresses.enter(host.address, host)) {
      host.parked = true;
      return;
    }
    for (let refusals = 0; refusals < REFUSALS_A_TURN; refusals++) {
      const errand = this.#deps.next(host);
      if (errand === "settled") {
        if (this.#deps.hold() !== null) break;
        continue;
      }
      if (errand === null) {
        this.#leaveAddress(host.address);
        // What is left may wait for a token; anything else that is lacking offers the host again.
        if (host.nextIsRetry && this.#admitAt(host, now) > now) this.offer(host, now);
        return;
      }
      this.#start(errand, host, host.address, now);
      // The pump's own instant: a later one would end the turn after one start a host.
      this.offer(host, now);
      return;
    }
    this.#leaveAddress(host.address);
    host.owed = false;
    this.offer(host, now);
  }

  /** A host with something in flight that should not have more now; the end of that, or plenty of slots, offers it again. */
  #holdsBack(host: Host, address: string): boolean {
    if (!this.#isContended(address) || !this.#share.yields(host.unit ?? host)) return false;
    this.#yielding.add(host);
    return true;
  }

  #isContended(address: string): boolean {
    return this.#active.size >= this.#concurrency * CONTENDED_FROM || this.#addresses.isContended(address);
  }

  /** Slow hosts that left slots to others come back when there are plenty. */
  #recallYielding(now: Millis): void {
    if (this.#yielding.size === 0 || this.#active.size >= this.#concurrency * PLENTY_BELOW) return;
    const hosts = [...this.#yielding];
    this.#yielding.clear();
    for (const host of hosts) this.offer(host, now);
  }

  #start(errand: Errand, host: Host, address: string, now: Millis): void {
    const { providers, random, parse } = this.#deps;
    const { spec, weight } = providers.of(host);
    errand.permit = host.limiter.start(now, random, weight);
    errand.address = address;
    errand.held = parse.take(host);
    errand.startedAt = now;
    host.owed = false;
    if (host.unit !== null) host.unit.lastStart = now;
    if (host.starts === 0) this.#hostsAsked += 1;
    this.#watch.started(errand, now);
    this.#deps.retries.started(errand, now);
    this.#active.add(errand);
    providers.start(errand, host, now);
    errand.abort = spec.route.start(errand, (result) => this.#watch.ended(errand, result));
  }

  #done(errand: Errand, came: FetchResult, local: LocalCause | null): void {
    const { clock, random, parse, providers } = this.#deps;
    const endedAt = clock.now();
    const { permit, address, held, host } = errand;
    if (permit === null || address === null || held === null) return;
    const isDirect = errand.call === null;
    const result = providers.end(errand, came);
    errand.permit = null;
    errand.abort = null;
    this.#active.delete(errand);
    if (this.#yielding.size > 0) this.#yielding.delete(host);
    // How long a provider takes says nothing of the host, and its refusal not even that the host answers; nor does a fault of ours.
    if (local === null && isDirect) this.#share.ended(host.unit ?? host, endedAt - errand.startedAt);
    else if (local === null && result.kind !== "refusal") (host.unit ?? host).fetches += 1;
    if (result.kind === "response") {
      const bytes = result.weighs ?? result.body.length;
      if (bytes > 0) parse.arrived(host, held, bytes);
    }
    const signal = this.#deps.ended(errand, result, local);
    const now = clock.now();
    const heard = this.#watch.withoutDelay(host.memory.hear(signal, permit.at, now), errand, endedAt);
    host.limiter.end(permit, heard, now, random);
    host.health.ended(signal, heard, permit.at, now);
    if (heard.kind === "congestion") {
      host.dirty = true;
      host.lastCut = heard.cause;
    }
    this.#leaveAddress(address);
    this.offer(host);
    if (host.unit !== null) this.#turns.ended(host.unit, now);
    this.pump();
  }

  /** Gives the parse credit of an ended errand back, once its page has been parsed and handed on. */
  release(errand: Errand): void {
    if (errand.held !== null) this.#deps.parse.release(errand.held);
    errand.held = null;
    this.#deps.released(errand);
  }

  #leaveAddress(address: string): void {
    // A host that cannot start now must not keep the others waiting: it is in the heap, and the place goes on.
    for (let next = this.#addresses.leave(address); next !== undefined; next = this.#addresses.another(address)) {
      next.parked = false;
      this.offer(next);
      if (next.heapIndex >= 0 && next.heapKey <= this.#deps.clock.now()) return;
    }
  }

  #arm(): void {
    const { clock, frontier } = this.#deps;
    const mine = this.#held === "local" ? this.#watch.guard.admitAt(clock.now()) : Number.POSITIVE_INFINITY;
    const at = this.#held === null ? this.nextStartAt : Math.min(mine, frontier.nextRetryAt);
    if (at === this.#timerAt && this.#timer !== null) return;
    this.#timer?.();
    this.#timer = null;
    this.#timerAt = at;
    if (at === Number.POSITIVE_INFINITY || this.#held === "stopping") return;
    this.#timer = clock.after(Math.max(0, at - clock.now()), () => {
      this.#timer = null;
      this.pump();
    });
  }
}
