import type { Bytes, Millis } from "../../kernel/units.ts";

/** What every route over HTTP/1.1 is told. Every value is required but the trust anchors: defaults live in `config/`. */
export interface HttpOptions extends AddressPolicyOptions {
  /** Sent with each request; identifies the operator. Latin1. */
  readonly userAgent: string;
  /** Value of `Accept`; null sends none. */
  readonly accept: string | null;
  /** Value of `Accept-Encoding`: of those that can be undone (content-decoding.ts), the best first. */
  readonly codings: string;
  /**
   * Bytes cost money (spec C2): sessions of TLS are resumed, headers without effect left out, an unwanted body is cut where that
   * costs less than a new connection, and what is on its way at a cut is waited for and counted.
   */
  readonly isMetered: boolean;
  /** From a free socket to an established TCP connection, all addresses of the host together. */
  readonly connectTimeout: Millis;
  /** From there to a finished TLS handshake. */
  readonly tlsTimeout: Millis;
  /** One name, waiting for a free look-up included. */
  readonly dnsTimeout: Millis;
  /** From the request written to the last byte of the final headers, so that dribbled headers end on time too. */
  readonly firstByteTimeout: Millis;
  readonly leastRate: LeastRate;
  /** Idle connections kept to one origin. Busy ones are bounded by who calls `start`. */
  readonly connectionsPerHost: number;
  /** Open connections to all hosts together; idle ones are closed, least recently used first, to stay below it. */
  readonly maxConnections: number;
  /** How long an idle connection is kept when the server names no time; longer than the pace of a polite crawl. */
  readonly keepAlive: Millis;
  readonly tls: TlsOptions;
  /** Of which sites (name and port as in a URL) HTTP/2 is asked for; where they do not offer it, HTTP/1.1 serves. Absent: of none. */
  readonly http2For?: (authority: string) => boolean;
}

/** A body slower than `bytesPerSecond` over `window`, once it has run for `grace`, is given up. Paused time is left out. */
export interface LeastRate {
  readonly bytesPerSecond: Bytes;
  readonly window: Millis;
  readonly grace: Millis;
}

export interface TlsOptions {
  /** PEM certificates trusted instead of the built-in ones. */
  readonly ca?: string;
  /** False accepts any certificate. */
  readonly verify: boolean;
}

export interface AddressPolicyOptions {
  /** Permits every address. */
  readonly allowPrivate: boolean;
  /** `HOST` or `HOST:PORT`, a name or an address (IPv6 in brackets when a port follows): permits just these. */
  readonly allowAddresses: readonly string[];
}
