import { setMaxListeners } from "node:events";
import type { Clock } from "../../ports/clock.ts";
import type { FetchRequest, FetchResult, FetchRoute, Resolution } from "../../ports/fetch-route.ts";
import { AddressPolicy } from "../http1/address-policy.ts";
import type { ConnectionPool } from "../http1/connection-pool.ts";
import { HttpEngine } from "../http1/http-engine.ts";
import type { HttpOptions } from "../http1/options.ts";
import { splitUrl } from "../http1/origin.ts";
import { type Addresses, Resolver, type SystemLookup } from "../http1/resolver.ts";
import { type DialParts, SocketDial } from "../http1/socket-dial.ts";
import { TlsClient } from "../http1/tls-client.ts";

/** Fetches from the sites themselves. Each address is checked when it is connected to. */
export class DirectRoute implements FetchRoute {
  readonly name = "direct";
  readonly #engine: HttpEngine;
  readonly #resolver: Resolver;
  readonly #policy: AddressPolicy;

  constructor(deps: { readonly clock: Clock; readonly lookup?: SystemLookup }, options: HttpOptions) {
    const { clock } = deps;
    this.#policy = new AddressPolicy(options);
    this.#resolver = new Resolver(deps, { timeout: options.dnsTimeout });
    const parts: DialParts = { clock, resolver: this.#resolver, policy: this.#policy, tls: new TlsClient(options), options };
    this.#engine = new HttpEngine({ clock, dialer: { dial: (origin, end) => new SocketDial(parts, origin, end) } }, options);
  }

  /** Fetches not settled yet. */
  get active(): number {
    return this.#engine.active;
  }

  get pool(): ConnectionPool {
    return this.#engine.pool;
  }

  async resolve(hostname: string, port: number, signal: AbortSignal): Promise<Resolution> {
    const known = this.#resolver.known(hostname);
    const answer: Addresses = known !== undefined ? { kind: "found", addresses: known } : await this.#lookup(hostname, signal);
    if (answer.kind === "missing") return { kind: "failed", code: "dns", message: answer.message, silent: answer.silent === true };
    const addresses = answer.addresses.filter((address) => this.#policy.permits(address, hostname, port));
    if (addresses.length > 0) return { kind: "resolved", addresses, stale: answer.stale === true };
    return { kind: "failed", code: "private-address", message: `${hostname} is at ${answer.addresses[0]}, which is not a public address` };
  }

  start(request: FetchRequest, done: (result: FetchResult) => void): () => void {
    const engine = this.#engine;
    const target = splitUrl(request.url);
    if (engine.isClosed) return engine.refuse(done, "the route is closed");
    if (target === undefined) return engine.refuse(done, `${request.url} is not an absolute http or https URL`);
    return engine.start(request, { origin: engine.pool.origin(target.key), path: target.path }, done);
  }

  releaseBody(body: Uint8Array): void {
    this.#engine.bodies.giveBack(body);
  }

  async close(): Promise<void> {
    this.#resolver.close();
    await this.#engine.close();
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
}
