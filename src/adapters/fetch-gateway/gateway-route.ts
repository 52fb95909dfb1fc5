import { isIP } from "node:net";
import type { Millis } from "../../kernel/units.ts";
import type { Clock, Random } from "../../ports/clock.ts";
import type { ExitChoice, ExitOutcome, ExitPolicy } from "../../ports/exit-policy.ts";
import type { FetchRequest, FetchResult, FetchRoute, Resolution } from "../../ports/fetch-route.ts";
import { AddressPolicy } from "../http1/address-policy.ts";
import type { ConnectionPool } from "../http1/connection-pool.ts";
import type { Dial, DialOutcome } from "../http1/dial.ts";
import { HttpEngine } from "../http1/http-engine.ts";
import { type Exit, type Origin, splitUrl } from "../http1/origin.ts";
import { Resolver, type SystemLookup } from "../http1/resolver.ts";
import { TlsClient } from "../http1/tls-client.ts";
import { ConnectHandshake } from "./connect-handshake.ts";
import { type EndpointAddress, endpointAddress } from "./endpoint-address.ts";
import { type Handshake, refusedBy } from "./handshake.ts";
import type { GatewayOptions } from "./options.ts";
import { SocksHandshake } from "./socks-handshake.ts";
import { TunnelDial, type TunnelParts } from "./tunnel-dial.ts";

/** One endpoint with the session that connections by it carry. */
class GatewayExit implements Exit {
  readonly key: string;
  readonly address: EndpointAddress;
  readonly session: string;

  constructor(key: string, address: EndpointAddress, session: string) {
    this.key = key;
    this.address = address;
    this.session = session;
  }
}

/**
 * Fetches through a metered gateway: HTTP CONNECT or SOCKS5, for http and https sites. The gateway resolves names, so the address
 * policy sees the site's literal addresses only; the gateway's own address is the user's word and is not judged.
 *
 * What the gateway says before a tunnel is open ends as a refusal; what comes through the tunnel is the site's.
 */
export class GatewayRoute implements FetchRoute {
  readonly name: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #exits: ExitPolicy;
  readonly #options: GatewayOptions;
  readonly #addresses: readonly EndpointAddress[];
  readonly #policy: AddressPolicy;
  readonly #resolver: Resolver;
  readonly #parts: TunnelParts;
  readonly #engine: HttpEngine;

  /** @throws Error when an endpoint's URL is none; the configuration refuses it first. */
  constructor(
    deps: { readonly clock: Clock; readonly random: Random; readonly exits: ExitPolicy; readonly lookup?: SystemLookup },
    options: GatewayOptions,
  ) {
    const { clock } = deps;
    this.name = options.name;
    this.#clock = clock;
    this.#random = deps.random;
    this.#exits = deps.exits;
    this.#options = options;
    this.#addresses = options.endpoints.map(({ url }) => {
      const address = endpointAddress(url);
      if (address === undefined) throw new Error(`Provider ${options.name}: an endpoint is no http://, https:// or socks5:// URL`);
      return address;
    });
    this.#policy = new AddressPolicy(options);
    this.#resolver = new Resolver(deps, { timeout: options.dnsTimeout });
    const tls = new TlsClient(options);
    this.#parts = {
      dial: { clock, resolver: this.#resolver, policy: { permits: () => true }, tls, options },
      tls,
      tunnelTimeout: options.tunnelTimeout,
      tlsTimeout: options.tlsTimeout,
    };
    this.#engine = new HttpEngine({ clock, dialer: { dial: (origin, end) => this.#dial(origin, end) } }, options);
  }

  /** Fetches not settled yet. */
  get active(): number {
    return this.#engine.active;
  }

  get pool(): ConnectionPool {
    return this.#engine.pool;
  }

  /** The name stands for its addresses: who connects to them is the gateway. */
  async resolve(hostname: string, port: number, _signal: AbortSignal): Promise<Resolution> {
    const message = this.#refusedAddress(hostname, port);
    if (message !== null) return { kind: "failed", code: "private-address", message };
    return { kind: "resolved", addresses: [hostname] };
  }

  admitAt(host: string, now: Millis): Millis {
    return this.#exits.admitAt(host, now);
  }

  start(request: FetchRequest, done: (result: FetchResult) => void): () => void {
    const engine = this.#engine;
    const target = splitUrl(request.url);
    if (engine.isClosed) return engine.refuse(done, "the route is closed");
    if (target === undefined) return engine.refuse(done, `${request.url} is not an absolute http or https URL`);
    const host = target.key.slice(target.key.indexOf("//") + 2);
    const now = this.#clock.now();
    const choice = this.#exits.start(host, now, this.#random);
    if (choice === null) return this.#notNow(host, now, done);
    const exit = this.#exitOf(choice);
    const origin = engine.pool.origin(target.key, exit);
    const message = this.#refusedAddress(origin.hostname, origin.port);
    if (message !== null) {
      this.#exits.end(host, choice, "neutral", now, this.#random);
      queueMicrotask(() => done({ kind: "failure", code: "private-address", phase: "resolve", message, measure: NOTHING }));
      return () => {};
    }
    return engine.start(request, { origin, path: target.path }, (result) => done(this.#ended(host, choice, result)));
  }

  releaseBody(body: Uint8Array): void {
    this.#engine.bodies.giveBack(body);
  }

  async close(): Promise<void> {
    this.#resolver.close();
    await this.#engine.close();
  }

  #dial(origin: Origin, end: (outcome: DialOutcome) => void): Dial {
    const { exit } = origin;
    if (!(exit instanceof GatewayExit)) throw new Error("an origin of this route has an exit");
    return new TunnelDial(this.#parts, exit.address.origin, origin, this.#handshake(exit, origin), end);
  }

  #handshake(exit: GatewayExit, origin: Origin): Handshake {
    const { kind, user, shown } = exit.address;
    const { sessionUser, exhausted, busy } = this.#options;
    const name = user === null ? "" : sessionUser === null ? user.name : userName(sessionUser, user.name, exit.session);
    const login = user === null ? null : { name, password: user.password };
    const { hostname, port, secure, authority } = origin;
    if (kind === "socks5") return new SocksHandshake({ hostname, port, user: login, gateway: shown });
    const bare = /:\d+$/.test(authority) ? authority : `${authority}:${secure ? 443 : 80}`;
    return new ConnectHandshake({ authority: bare, user: login, gateway: shown, exhausted, busy, epoch: () => this.#clock.epoch() });
  }

  #exitOf({ endpoint, session }: ExitChoice): GatewayExit {
    const isSticky = this.#options.sessionUser !== null;
    return new GatewayExit(isSticky ? `${endpoint}/${session}` : String(endpoint), this.#addresses[endpoint], session);
  }

  /** A literal address, or a name that stands for this machine wherever it is asked for. */
  #refusedAddress(hostname: string, port: number): string | null {
    const address = isIP(hostname) !== 0 ? hostname : /(?:^|\.)localhost\.?$/i.test(hostname) ? "127.0.0.1" : null;
    if (address === null || this.#policy.permits(address, hostname, port)) return null;
    return `${hostname} is not a public address`;
  }

  #notNow(host: string, now: Millis, done: (result: FetchResult) => void): () => void {
    const wait = Math.max(1, this.#exits.admitAt(host, now) - now);
    const refusal = refusedBy("endpoint", "every endpoint that this host may use is closed", undefined, wait);
    queueMicrotask(() => done({ kind: "refusal", ...refusal, measure: NOTHING }));
    return () => {};
  }

  #ended(host: string, choice: ExitChoice, result: FetchResult): FetchResult {
    const now = this.#clock.now();
    const blamed = this.#exits.end(host, choice, outcomeOf(result), now, this.#random);
    if (result.kind !== "refusal" || result.by !== "endpoint") return result;
    const { message, measure } = result;
    if (blamed === "host")
      return {
        kind: "failure",
        code: "proxy",
        phase: "local",
        message: `${message}, again and again while other hosts got through`,
        measure,
      };
    return { ...result, retryAfter: Math.max(result.retryAfter ?? 0, this.#exits.admitAt(host, now) - now) };
  }
}

const NOTHING = { ttfb: 0, total: 0, paused: 0, bytesOut: 0, bytesIn: 0, connected: false } as const;

function outcomeOf(result: FetchResult): ExitOutcome {
  switch (result.kind) {
    case "response":
      return result.measure.connected ? "ok" : "kept";
    case "refusal":
      return result.by === "endpoint" ? "refused" : "neutral";
    case "failure":
      if (result.phase === "local" || result.phase === "aborted") return "neutral";
      // The tunnel was open: what failed behind it is the site's.
      return result.measure.connected || result.phase === "tls" ? "ok" : "kept";
    default:
      return result satisfies never;
  }
}

function userName(template: string, user: string, session: string): string {
  return template.replaceAll("{user}", user).replaceAll("{session}", session);
}
