import { type Offer, PRIORITY_CLASSES, type Shedder, type ShedReason } from "../../flow/shedder.ts";
import { Int32Column } from "../../kernel/chunked.ts";
import type { HostId, Millis, UrlId } from "../../kernel/units.ts";
import type { Clock, Random } from "../../ports/clock.ts";
import type { Valuation } from "../../ports/valuation.ts";
import { VisitHeap } from "../../schedule/visit-heap.ts";
import type { Host } from "./host.ts";
import type { KnownUrls } from "./known-urls.ts";
import type { ReadAhead } from "./read-ahead.ts";
import { VisitLanes } from "./visit-lanes.ts";

/** Rows of a host that are chosen ahead of its turns: few, for what is chosen is no longer judged. Source: guess. */
const CHOSEN_AHEAD = 8;
/** Visits that become due in one turn of the dispatcher, and waiting ones that are judged again in one turn of their host. */
const DUE_A_TURN = 4_096;
const JUDGED_A_TURN = 2_048;
/** Of equals another lot is drawn this often, so that it is not always the same that are deferred. Source: DAGOR. */
const LOTS_LAST: Millis = 3_600_000;
/** A deferred visit comes back after so much of its revisit interval. Source: flow-control.md §7. */
const DEFER_LEAST = 0.5;

/** What continuous work needs besides the frontier's own. */
export interface ContinuousParts {
  readonly valuation: Valuation;
  readonly shedder: Shedder;
  readonly random: Random;
  readonly onShed: (reason: ShedReason) => void;
}

export interface RecurringDeps extends ContinuousParts {
  readonly clock: Clock;
  readonly urls: KnownUrls;
  readonly ahead: ReadAhead;
  readonly hostById: (id: HostId) => Host;
  readonly onWork: (host: Host) => void;
  /** So many more (or fewer) URLs wait to be settled. */
  readonly onDue: (more: number) => void;
}

/**
 * Continuous work: settled URLs come back after their revisit interval. Due visits wait on their host by priority class, the highest
 * first, and inside one by deadline (the instant at which the next visit would be due). While more is due than can be served, the
 * least valuable are deferred here, before a fetch is paid: as they become due, as the level rises, and at their turn.
 */
export class Recurring {
  readonly #deps: RecurringDeps;
  readonly #later = new VisitHeap();
  readonly #hostOf = new Int32Column();
  /** One bit a URL: deferred since its last visit. */
  readonly #deferred = new Int32Column();

  constructor(deps: RecurringDeps) {
    this.#deps = deps;
  }

  /** When the next visit becomes due. */
  get nextAt(): Millis {
    return this.#later.firstKey;
  }
  /** Visits that are not due yet. */
  get later(): number {
    return this.#later.size;
  }

  /** A URL waits for its first visit, or for one that the store says is due. */
  enter(id: UrlId, host: Host): void {
    this.#hostOf.set(id, host.id);
    this.#offer(id, this.#deps.clock.now());
  }

  /** A URL was visited: it comes back. */
  settled(id: UrlId): void {
    const { clock, valuation } = this.#deps;
    this.#markDeferred(id, false);
    this.#later.push(clock.now() + valuation.revisit(id), id, 0);
  }

  /** What has become due joins its host. */
  wake(now: Millis): void {
    this.#deps.shedder.tick(now);
    for (let moved = 0; moved < DUE_A_TURN && this.#later.firstKey <= now; moved++) {
      const id = this.#later.first;
      this.#later.drop();
      this.#deps.onDue(1);
      this.#offer(id, now);
    }
  }

  /** Chooses the next few visits of a host whose turn it is. */
  choose(host: Host): void {
    const lanes = host.visits;
    if (lanes === null || host.main.reading) return;
    const { clock, shedder, urls } = this.#deps;
    const now = clock.now();
    lanes.judgeAgain(shedder.raises, JUDGED_A_TURN, (id) => this.#sheds(id, now));
    const waited = (since: Millis): Millis => waitOf(host, since, now);
    for (let lane = lanes.best; lane !== null && host.main.length < CHOSEN_AHEAD; lane = lanes.best) {
      const { first: id, firstExtra: since } = lane.heap;
      lane.heap.drop();
      shedder.waitedReady(lane.valueClass, waited(since));
      if (this.#sheds(id, now)) continue;
      lanes.chosen(id, since, lane.valueClass);
      host.main.list.append(urls, id);
    }
    // Those passed over for the sake of higher classes wait too.
    lanes.each((valueClass, heap) => shedder.waitedReady(valueClass, waited(heap.firstExtra)));
  }

  /** Judges a visit that is due, and lets it wait on its host. */
  #offer(id: UrlId, now: Millis): void {
    const { valuation, shedder, hostById, onWork } = this.#deps;
    shedder.offered(valuation.index(id, now));
    if (this.#sheds(id, now)) return;
    const host = hostById(this.#hostOf.get(id));
    host.visits ??= new VisitLanes();
    const valueClass = Math.min(PRIORITY_CLASSES, Math.max(1, valuation.valueClass(id)));
    if (host.visits.isAbove(valueClass)) this.#putBack(host, host.visits, now);
    host.visits.push(valueClass, now + valuation.revisit(id), id, now);
    onWork(host);
  }

  /** What was chosen is not as valuable as what has come: it waits again. */
  #putBack(host: Host, lanes: VisitLanes, now: Millis): void {
    const { ahead, valuation } = this.#deps;
    for (const { id } of ahead.takeBack(host.main)) {
      const since = lanes.since(id) ?? now;
      lanes.push(valuation.valueClass(id), since + valuation.revisit(id), id, since);
    }
  }

  /** Defers the visit when the level says so. */
  #sheds(id: UrlId, now: Millis): boolean {
    const { shedder, valuation, random, onShed, onDue } = this.#deps;
    const offer: Offer = {
      index: valuation.index(id, now),
      lot: lotOf(id, now),
      reserve: valuation.isReserve(id),
      deferred: this.#isDeferred(id),
    };
    const reason = shedder.judge(offer);
    if (reason === null) return false;
    this.#markDeferred(id, true);
    this.#later.push(now + (DEFER_LEAST + (1 - DEFER_LEAST) * random()) * valuation.revisit(id), id, 0);
    onDue(-1);
    onShed(reason);
    return true;
  }

  #isDeferred(id: UrlId): boolean {
    return (this.#deferred.get(id >>> 5) & (1 << (id & 31))) !== 0;
  }

  #markDeferred(id: UrlId, deferred: boolean): void {
    const word = this.#deferred.get(id >>> 5);
    const bit = 1 << (id & 31);
    const next = deferred ? word | bit : word & ~bit;
    if (next !== word) this.#deferred.set(id >>> 5, next);
  }
}

/**
 * How long a visit waited for what all hosts share. What the host itself could not take is no overload of ours: of a host that was at
 * its own limit for most of the time since its last start only the rest counts.
 */
function waitOf(host: Host, since: Millis, now: Millis): Millis {
  const forTurn = Math.max(0, now - Math.max(host.limitedUntil, host.lastStart));
  return forTurn * 2 >= now - host.lastStart ? now - since : Math.min(now - since, forTurn);
}

/** Uniform in [0, 1), the same for one URL within an hour. */
function lotOf(id: UrlId, now: Millis): number {
  let mixed = Math.imul(id ^ Math.imul(Math.floor(now / LOTS_LAST) + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
