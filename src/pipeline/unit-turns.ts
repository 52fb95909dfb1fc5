import type { HostUnit } from "../flow/host-unit.ts";
import type { Millis } from "../kernel/units.ts";
import type { Host } from "../stages/frontier/host.ts";

const NEVER = Number.POSITIVE_INFINITY;
/**
 * Hosts of a unit that are resolved ahead of their turn. More would know addresses that are stale when the turn comes; with fewer
 * than 10 nobody could tell that all name servers are silent. Source: as many as are looked up at once.
 */
const RESOLVED_AHEAD = 16;

export interface UnitTurnsDeps {
  readonly heap: { push(host: Host, key: Millis): void; remove(host: Host): void };
  /** When the host may start as far as its unit's limiter does not matter; `Infinity` when something else will offer it again. */
  readonly ownAt: (host: Host, now: Millis) => Millis;
  /** Hosts that stand and leave a contended slot to others. */
  readonly yielding: Set<Host>;
}

/**
 * Turns of hosts that share a unit. At most one host of a unit stands in the heap for the unit's sake; the next one comes when that
 * one has started something, has lost its work, or lacks something of its own. A host that only waits for an instant of its own (a
 * token, a name without an address) lies in the heap under that instant without standing, and asks for a turn then.
 */
export class UnitTurns {
  readonly #deps: UnitTurnsDeps;

  constructor(deps: UnitTurnsDeps) {
    this.#deps = deps;
  }

  /** A host with work, neither parked nor resolving, asks for a turn. */
  offer(host: Host, unit: HostUnit<Host>, now: Millis): void {
    if (host.lined) return;
    if (this.#lacksOwn(host, now)) {
      if (unit.line.leave(host)) this.#callNext(unit, now);
      return;
    }
    if (unit.line.enter(host)) this.#stand(host, unit, now);
    else this.#deps.heap.remove(host);
  }

  /** A host was popped from the heap. @returns whether to serve it; `end` must follow then. */
  begin(host: Host, unit: HostUnit<Host>, now: Millis): boolean {
    if (host.parked || host.resolving || !host.hasWork) {
      if (unit.line.leave(host)) this.#callNext(unit, now);
      return false;
    }
    this.offer(host, unit, now);
    if (unit.line.standing !== host || host.heapIndex < 0 || host.heapKey > now) return false;
    this.#deps.heap.remove(host);
    unit.line.leave(host);
    host.owed = true;
    return true;
  }

  /** The host was served: it has started something, or lacks something and is offered again by that. */
  end(host: Host, unit: HostUnit<Host>, now: Millis): void {
    const { yielding } = this.#deps;
    if (yielding.has(host)) {
      // It keeps its turn: the end of any request of the unit offers it again.
      if (unit.line.standing === null) unit.line.keep(host);
      else {
        yielding.delete(host);
        this.offer(host, unit, now);
      }
    }
    if (host.resolving) unit.resolving += 1;
    this.#callNext(unit, now);
  }

  /** A host that left its turn to be resolved is back. */
  resolved(host: Host, unit: HostUnit<Host>, now: Millis): void {
    unit.resolving -= 1;
    if (host.hasWork) this.offer(host, unit, now);
    this.#callNext(unit, now);
  }

  /** A request of the unit ended: there may be room for the one that stands. */
  ended(unit: HostUnit<Host>, now: Millis): void {
    const { standing } = unit.line;
    if (standing === null) return;
    this.#deps.yielding.delete(standing);
    this.offer(standing, unit, now);
  }

  #callNext(unit: HostUnit<Host>, now: Millis): void {
    while (unit.resolving < RESOLVED_AHEAD) {
      const host = unit.line.next();
      if (host === undefined) return;
      const isReady = !host.parked && !host.resolving && host.hasWork && !this.#lacksOwn(host, now);
      if (isReady) this.#stand(host, unit, now);
      else unit.line.leave(host);
    }
  }

  /** Enters a host that waits for itself alone under its own instant, if it is known. */
  #lacksOwn(host: Host, now: Millis): boolean {
    const { heap, ownAt } = this.#deps;
    const own = ownAt(host, now);
    if (own <= now) return false;
    if (own === NEVER) heap.remove(host);
    else heap.push(host, own);
    return true;
  }

  #stand(host: Host, unit: HostUnit<Host>, now: Millis): void {
    const { heap } = this.#deps;
    const at = unit.limiter.admitAt(now);
    if (at === NEVER) heap.remove(host);
    else heap.push(host, at);
  }
}
