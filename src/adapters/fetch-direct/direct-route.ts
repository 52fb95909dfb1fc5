import { setMaxListeners } from "node:events";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Millis } from "../../kernel/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FetchRequest, FetchResult, FetchRoute, Resolution } from "../../ports/fetch-route.ts";
import { AddressPolicy } from "./address-policy.ts";
import { BodyPool } from "./body-pool.ts";
import { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { ACCEPTED_CODINGS } from "./content-decoding.ts";
import { Dial, type DialOutcome, type DialParts } from "./dial.ts";
import { DirectFetch, type FetchContext } from "./direct-fetch.ts";
import type { DirectRouteOptions } from "./options.ts";
import { type Origin, splitUrl } from "./origin.ts";
import { type Addresses, Resolver, type SystemLookup } from "./resolver.ts";

/** Deadlines are seconds, so looking this often is exact enough; shorter ones make the sweep finer. */
const SWEEP: Millis = 200;
const FINEST_SWEEP: Millis = 20;
/** A sweep this late comes out of a stall of this process: what has arrived meanwhile is still unread, so nobody is judged. */
const LATE: Millis = 100;

/**
 * Fetches over HTTP/1.1 from the sites themselves. Connections are kept and bounded; each address is checked when it is connected
 * to; one sweep keeps the deadlines of all fetches, so that a fetch costs no timer.
 */
export class DirectRoute implements FetchRoute, FetchContext {
  readonly name = "direct";
  readonly clock: Clock;
  readonly options: DirectRouteOptions;
  readonly pool: ConnectionPool;
  readonly bodies = new BodyPool();
  readonly #resolver: Resolver;
  readonly #policy: AddressPolicy;
  readonly #dialParts: DialParts;
  readonly #ownHeaders: string[];
  readonly #active = new Set<DirectFetch>();
  readonly #baseSweep: Millis;
  #sweep: Millis;
  #sweepDue: Millis = 0;
  #isSweeping = false;
  #wasLate = false;
  #settled: DirectFetch[] = [];
  #isClosed = false;

  constructor(deps: { readonly clock: Clock; readonly lookup?: SystemLookup }, options: DirectRouteOptions) {
    this.clock = deps.clock;
    this.options = options;
    this.pool = new ConnectionPool(options);
    this.#policy = new AddressPolicy(options);
    this.#resolver = new Resolver(deps, { timeout: options.dnsTimeout });
    this.#dialParts = {
      clock: deps.clock,
      resolver: this.#resolver,
      policy: this.#policy,
      secureContext: secureContextOf(options),
      options,
    };
    this.#ownHeaders = ["User-Agent", options.userAgent, "Accept", options.accept, "Accept-Encoding", ACCEPTED_CODINGS];
    const { connectTimeout, tlsTimeout, firstByteTimeout, leastRate } = options;
    this.#baseSweep = sweepFor(Math.min(connectTimeout, tlsTimeout, firstByteTimeout, leastRate.window, leastRate.grace));
    this.#sweep = this.#baseSweep;
  }

  /** Fetches not settled yet. */
  get active(): number {
    return this.#active.size;
  }

  async resolve(hostname: string, port: number, signal: AbortSignal): Promise<Resolution> {
    const known = this.#resolver.known(hostname);
    const answer: Addresses = known !== undefined ? { kind: "found", addresses: known } : await this.#lookup(hostname, signal);
    if (answer.kind === "missing") return { kind: "failed", code: "dns", message: answer.message };
    const addresses = answer.addresses.filter((address) => this.#policy.permits(address, hostname, port));
    if (addresses.length > 0) return { kind: "resolved", addresses };
    return { kind: "failed", code: "private-address", message: `${hostname} is at ${answer.addresses[0]}, which is not a public address` };
  }

  start(request: FetchRequest, done: (result: FetchResult) => void): () => void {
    const target = splitUrl(request.url);
    if (target === undefined || this.#isClosed) {
      return this.#refuse(done, target === undefined ? `${request.url} is not an absolute http or https URL` : "the route is closed");
    }
    const fetch = new DirectFetch(this, request, { origin: this.pool.origin(target.key), path: target.path }, done);
    this.#active.add(fetch);
    this.#sweepBy(request.timeout);
    fetch.begin();
    return () => fetch.abort();
  }

  releaseBody(body: Uint8Array): void {
    this.bodies.giveBack(body);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const fetch of [...this.#active]) fetch.abort();
    this.#resolver.close();
    await this.pool.closeAll();
  }

  // What a fetch asks of its route.

  dial(origin: Origin, end: (outcome: DialOutcome) => void): Dial {
    return new Dial(this.#dialParts, origin, end);
  }

  connectionOf(origin: Origin<Connection>, outcome: Extract<DialOutcome, { kind: "connected" }>): Connection {
    const connection = new Connection(origin, outcome, this.options.keepAlive, (closed) => this.pool.forget(closed));
    this.pool.add(connection);
    return connection;
  }

  headersOf(request: FetchRequest): string[] {
    return request.headers.length === 0 ? this.#ownHeaders : [...this.#ownHeaders, ...request.headers.flat()];
  }

  later(fetch: DirectFetch): void {
    if (this.#settled.push(fetch) === 1) queueMicrotask(() => this.#settleAll());
  }

  ended(fetch: DirectFetch): void {
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

  #lookup(hostname: string, signal: AbortSignal): Promise<Addresses> {
    return new Promise((resolve) => {
      const aborted = (): void => resolve({ kind: "missing", message: `the look-up of ${hostname} was aborted` });
      if (signal.aborted) {
        aborted();
        return;
      }
      setMaxListeners(0, signal); // as many as names wait, which the resolver bounds; Node warns beyond ten
      signal.addEventListener("abort", aborted, { once: true });
      this.#resolver.lookup(hostname, (answer) => {
        signal.removeEventListener("abort", aborted);
        resolve(answer);
      });
    });
  }

  #refuse(done: (result: FetchResult) => void, message: string): () => void {
    const measure = { ttfb: 0, total: 0, paused: 0, bytesOut: 0, bytesIn: 0, connected: false };
    const phase = this.#isClosed ? "aborted" : "local";
    queueMicrotask(() => done({ kind: "failure", code: "protocol", phase, message, measure }));
    return () => {};
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

/** Made once: making it for each connection costs a quarter of a handshake (performance 2.2). */
function secureContextOf(options: DirectRouteOptions): SecureContext {
  return createSecureContext(options.tls.ca === undefined ? {} : { ca: options.tls.ca });
}
