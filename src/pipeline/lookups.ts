import type { Millis } from "../kernel/units.ts";
import type { CancelTimer, Clock } from "../ports/clock.ts";
import type { FetchRoute, Resolution } from "../ports/fetch-route.ts";
import type { Host } from "../stages/frontier/host.ts";

/** An address is looked up again after this. The route's own cache and the check at connect time are beneath it. */
const ADDRESS_FRESH: Millis = 300_000;
/** Look-ups at once, as many as the direct route's resolver works on; the other hosts wait here, where waiting costs no deadline. */
const AT_ONCE = 16;
/** So many hosts without an answer within the window are no fault of theirs. Source: flow-control.md §6, scenario 18. */
const HOSTS_LEAST = 10;
const TOGETHER: Millis = 5_000;
/** While names are not answered, one is asked for this often. */
const CANARY_EVERY: Millis = 1_000;

export interface LookupsDeps {
  readonly clock: Clock;
  /** Way on which a host is asked: its addresses are that one's. */
  readonly routeOf: (host: Host) => FetchRoute;
  readonly signal: AbortSignal;
  /** The host's address is known, or was found wanting; it may be offered again. */
  readonly settled: (host: Host) => void;
  /** The host's address cannot be had; settles its next row. */
  readonly unresolved: (host: Host, code: "dns" | "private-address", message: string) => void;
  /** Name servers have stopped answering. */
  readonly onSilence: () => void;
}

/** A host whose look-up had no answer, until it is known whose fault that is. */
interface Doubt {
  readonly host: Host;
  readonly message: string;
  readonly at: Millis;
}

/**
 * Addresses of hosts before they are served.
 *
 * States: *answering* → *silent* when 10 hosts have no answer from any name server within 5 s: nothing is held against any host,
 * all wait in line and one a second is asked for → *answering* on the first answer, whatever it says. A host without an answer
 * is not judged for up to 5 s while so many others are about that it may be everybody's trouble.
 */
export class Lookups {
  readonly #deps: LookupsDeps;
  /** Bounded by the hosts known: each stands in it once at most, as `resolving`. */
  #line: Host[] = [];
  #doubts: Doubt[] = [];
  #running = 0;
  #silentSince: Millis | null = null;
  #answeringSince: Millis = Number.NEGATIVE_INFINITY;
  #timer: CancelTimer | null = null;

  constructor(deps: LookupsDeps) {
    this.#deps = deps;
  }

  /** Hosts whose address is not settled yet. */
  get pending(): number {
    return this.#running + this.#line.length + this.#doubts.length;
  }
  /** Name servers do not answer since then; null while they do. */
  get silentSince(): Millis | null {
    return this.#silentSince;
  }

  ask(host: Host): void {
    host.resolving = true;
    this.#line.push(host);
    this.#next();
  }

  stop(): void {
    this.#timer?.();
    this.#timer = null;
  }

  #next(): void {
    if (this.#silentSince !== null) return this.#arm(CANARY_EVERY);
    while (this.#running < AT_ONCE) {
      const host = this.#line.shift();
      if (host === undefined) return;
      this.#start(host);
    }
  }

  #start(host: Host): void {
    const { routeOf, signal, clock } = this.#deps;
    this.#running += 1;
    const { name, port } = nameAndPort(host.key);
    const startedAt = clock.now();
    void routeOf(host)
      .resolve(name, port, signal)
      .then((resolution) => {
        this.#running -= 1;
        if (resolution.kind === "failed" && resolution.silent === true && !signal.aborted)
          this.#silent(host, resolution.message, startedAt);
        else this.#answered(host, resolution, startedAt);
        this.#next();
      });
  }

  #answered(host: Host, resolution: Resolution, startedAt: Millis): void {
    const { clock, signal, settled, unresolved } = this.#deps;
    host.resolving = false;
    if (resolution.kind === "resolved") {
      host.address = resolution.addresses[0];
      host.addressUntil = clock.now() + ADDRESS_FRESH;
    } else if (!signal.aborted) unresolved(host, resolution.code, resolution.message);
    if (this.#silentSince !== null && startedAt >= this.#silentSince && !(resolution.kind === "resolved" && resolution.stale === true)) {
      this.#silentSince = null;
      this.#answeringSince = clock.now();
      this.stop();
    }
    settled(host);
  }

  #silent(host: Host, message: string, startedAt: Millis): void {
    const { clock, onSilence } = this.#deps;
    const now = clock.now();
    // What was asked before the end of a silence was part of it.
    if (this.#silentSince !== null || startedAt < this.#answeringSince) {
      this.#line.push(host);
      return;
    }
    this.#judge(now - TOGETHER);
    const mayBeAll = this.pending + 1 >= HOSTS_LEAST;
    this.#doubts.push({ host, message, at: now });
    if (!mayBeAll) return this.#judge(now);
    if (this.#doubts.length < HOSTS_LEAST) return this.#arm(TOGETHER);
    this.#silentSince = now;
    for (const doubt of this.#doubts) this.#line.push(doubt.host);
    this.#doubts = [];
    this.stop();
    onSilence();
  }

  /** Hosts without an answer since then or longer were alone in it: it is theirs. */
  #judge(before: Millis): void {
    while (this.#doubts.length > 0 && this.#doubts[0].at <= before) {
      const doubt = this.#doubts.shift();
      if (doubt === undefined) return;
      doubt.host.resolving = false;
      this.#deps.unresolved(doubt.host, "dns", doubt.message);
      this.#deps.settled(doubt.host);
    }
  }

  #arm(delay: Millis): void {
    if (this.#timer !== null || this.#deps.signal.aborted) return;
    this.#timer = this.#deps.clock.after(delay, () => {
      this.#timer = null;
      if (this.#silentSince !== null) {
        const host = this.#line.shift();
        if (host !== undefined) this.#start(host);
        if (this.#line.length > 0) this.#arm(CANARY_EVERY);
      } else {
        this.#judge(this.#deps.clock.now() - TOGETHER);
        if (this.#doubts.length > 0) this.#arm(CANARY_EVERY);
      }
    });
  }
}

/** Splits an authority; the default port of a host that is on both 80 and 443 is taken as 443 for the address policy. */
function nameAndPort(key: string): { name: string; port: number } {
  const at = key.lastIndexOf(":");
  if (at > key.lastIndexOf("]") && at >= 0) return { name: key.slice(0, at), port: Number(key.slice(at + 1)) };
  return { name: key, port: 443 };
}
