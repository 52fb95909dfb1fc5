import { TLSSocket } from "node:tls";
import type { Millis } from "../../kernel/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FetchRequest, FetchResult } from "../../ports/fetch-route.ts";
import { BodyPool } from "./body-pool.ts";
import type { Carrier } from "./carrier.ts";
import { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";
import type { Dial, Dialer, DialOutcome } from "./dial.ts";
import { type FetchContext, HttpFetch } from "./http-fetch.ts";
import type { HttpOptions } from "./options.ts";
import type { Origin } from "./origin.ts";

/** Deadlines are seconds, so looking this often is exact enough; shorter ones make the sweep finer. */
const SWEEP: Millis = 200;
const FINEST_SWEEP: Millis = 20;
/** A sweep this late comes out of a stall of this process: what has arrived meanwhile is still unread, so nobody is judged. */
const LATE: Millis = 100;

/**
 * Fetches over HTTP/1.1 on connections that a dialer opens: the part that all routes over sockets share (ADR 0010). Connections
 * are kept and bounded; one sweep keeps the deadlines of all fetches, so that a fetch costs no timer.
 */
export class HttpEngine implements FetchContext {
  readonly clock: Clock;
  readonly options: HttpOptions;
  readonly pool: ConnectionPool;
  readonly bodies = new BodyPool();
  readonly #dialer: Dialer;
  readonly #ownHeaders: string[];
  readonly #active = new Set<HttpFetch>();
  readonly #baseSweep: Millis;
  #sweep: Millis;
  #sweepDue: Millis = 0;
  #isSweeping = false;
  #wasLate = false;
  #settled: HttpFetch[] = [];
  #isClosed = false;

  constructor(deps: { readonly clock: Clock; readonly dialer: Dialer }, options: HttpOptions) {
    this.clock = deps.clock;
    this.options = options;
    this.pool = new ConnectionPool(options);
    this.#dialer = deps.dialer;
    const accept = options.accept === null ? [] : ["Accept", options.accept];
    this.#ownHeaders = ["User-Agent", options.userAgent, ...accept, "Accept-Encoding", options.codings];
    const { connectTimeout, tlsTimeout, firstByteTimeout, leastRate } = options;
    this.#baseSweep = sweepFor(Math.min(connectTimeout, tlsTimeout, firstByteTimeout, leastRate.window, leastRate.grace));
    this.#sweep = this.#baseSweep;
  }

  /** Fetches not settled yet. */
  get active(): number {
    return this.#active.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** As `FetchRoute.start`. */
  start(
    request: FetchRequest,
    target: { readonly origin: Origin<Connection>; readonly path: string },
    done: (result: FetchResult) => void,
  ): () => void {
    const fetch = new HttpFetch(this, request, target, done);
    this.#active.add(fetch);
    this.#sweepBy(request.timeout);
    fetch.begin();
    return () => fetch.abort();
  }

  /** Ends a fetch that cannot begin. */
  refuse(done: (result: FetchResult) => void, message: string): () => void {
    const measure = { ttfb: 0, total: 0, paused: 0, bytesOut: 0, bytesIn: 0, connected: false };
    const phase = this.#isClosed ? "aborted" : "local";
    queueMicrotask(() => done({ kind: "failure", code: "protocol", phase, message, measure }));
    return () => {};
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const fetch of [...this.#active]) fetch.abort();
    await this.pool.closeAll();
  }

  // What a fetch asks of its route.

  dial(origin: Origin, end: (outcome: DialOutcome) => void): Dial {
    return this.#dialer.dial(origin, end);
  }

  connectionOf(origin: Origin<Connection>, outcome: Extract<DialOutcome, { kind: "connected" }>): Carrier {
    const { socket } = outcome;
    if (origin.http2 && socket instanceof TLSSocket && socket.alpnProtocol === "h2") return this.pool.share(origin, outcome);
    const connection = new Connection(origin, outcome, this.options, (closed) => this.pool.forget(closed));
    this.pool.add(connection);
    return connection;
  }

  headersOf(request: FetchRequest): string[] {
    return request.headers.length === 0 ? this.#ownHeaders : [...this.#ownHeaders, ...request.headers.flat()];
  }

  later(fetch: HttpFetch): void {
    if (this.#settled.push(fetch) === 1) queueMicrotask(() => this.#settleAll());
  }

  ended(fetch: HttpFetch): void {
    this.#active.delete(fetch);
  }

  #settleAll(): void {
    const settled = this.#settled;
    this.#settled = [];
    for (let i = 0; i < settled.length; i += 1) {
      try {
        settled[i].settle();
      } catch (error) {
        // A fault of the caller's: it surfaces, and the others are settled all the same.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #sweepBy(timeout: Millis): void {
    const wanted = sweepFor(timeout);
    if (wanted < this.#sweep) this.#sweep = wanted;
    if (!this.#isSweeping) this.#scheduleSweep(this.clock.now());
  }

  #scheduleSweep(now: Millis): void {
    this.#isSweeping = true;
    this.#sweepDue = now + this.#sweep;
    this.clock.after(this.#sweep, () => this.#sweepNow());
  }

  #sweepNow(): void {
    this.#isSweeping = false;
    if (this.#active.size === 0) {
      this.#sweep = this.#baseSweep;
      return;
    }
    const now = this.clock.now();
    // Never twice in a row, or a process that is always busy would keep no deadline at all.
    this.#wasLate = now - this.#sweepDue > LATE && !this.#wasLate;
    if (!this.#wasLate) for (const fetch of this.#active) fetch.check(now);
    this.#scheduleSweep(now);
  }
}

function sweepFor(deadline: Millis): Millis {
  return Math.max(FINEST_SWEEP, Math.min(SWEEP, Math.floor(deadline / 8)));
}
