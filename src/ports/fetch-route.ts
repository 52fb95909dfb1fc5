import type { FetchErrorCode } from "../kernel/outcome.ts";
import type { Bytes, EpochMillis, Millis } from "../kernel/units.ts";

/**
 * Credit for the bytes of one body, granted by the parse boundary. A route holds credit for every decoded byte it keeps.
 * `draw` never waits: false means none is left now, and `whenGranted` is called once, later, when the bytes asked for have
 * been granted (the route pauses its socket meanwhile, and the pause does not count towards its deadlines).
 */
export interface BodyCredit {
  draw(bytes: Bytes, whenGranted: () => void): boolean;
}

/**
 * What to do with a body once its headers are known: take it, throw it away while keeping the connection if it is short,
 * or cut it. `begin`: take what the cap lets through, where a body beyond it is else a failure.
 */
export type BodyDecision = "read" | "begin" | "discard";

/** Response headers, names lower-case. Values are decoded as latin1, exactly as received, so that validators go back byte for byte. */
export interface HeaderView {
  /** First value, or undefined. */
  get(name: string): string | undefined;
  /** All values in order; empty when absent. */
  all(name: string): readonly string[];
  /** Every name and value, in order of arrival. */
  entries(): readonly (readonly [string, string])[];
}

export interface FetchRequest {
  /** Absolute canonical URL, http or https, without userinfo and fragment. */
  readonly url: string;
  /** Sent besides the route's own headers (User-Agent, Accept, Accept-Encoding); latin1 values. */
  readonly headers: readonly (readonly [string, string])[];
  /** Cap on a body, as received and decoded. */
  readonly maxBody: Bytes;
  /** Whole-fetch deadline; time spent paused for want of credit does not count. */
  readonly timeout: Millis;
  readonly credit: BodyCredit;
  /** Called once, when the final headers are known (never for 1xx). */
  decide(status: number, headers: HeaderView): BodyDecision;
}

/** What a fetch moved and how long it took, whatever its end. */
export interface FetchMeasure {
  /** Request written to final headers complete, or to the end when there were none; null where it says nothing of the site (a provider that retries inside). */
  readonly ttfb: Millis | null;
  /** Start (connecting included) to end. */
  readonly total: Millis;
  /** Time paused for want of credit; local, never the host's fault. */
  readonly paused: Millis;
  /** Raw socket bytes up, handshakes and headers included (a new connection's handshake counts on its first fetch). */
  readonly bytesOut: Bytes;
  readonly bytesIn: Bytes;
  /** True when this fetch opened a connection. */
  readonly connected: boolean;
  /** Of these bytes, what opening the connection moved: handshakes of TLS and of a proxy. Absent: nothing known of it. */
  readonly setup?: Bytes;
  /** Of these bytes, heads of requests and responses, before TLS. Absent: nothing known of it. */
  readonly heads?: Bytes;
  /** Credits that the provider took for it; absent when it takes none. */
  readonly credits?: number;
}

export type FetchResult =
  | {
      readonly kind: "response";
      readonly status: number;
      readonly headers: HeaderView;
      /** Decoded body; empty when discarded. The receiver owns it, and gives a large one back with `releaseBody`. */
      readonly body: Uint8Array;
      /** Decoded size that the body stands for where it is not its length: a simulated page weighs what it says, and holds a few lines. */
      readonly weighs?: Bytes;
      /** Where the provider ended, when it follows redirects itself and that is elsewhere; absolute. */
      readonly finalUrl?: string;
      readonly measure: FetchMeasure;
    }
  /** The provider, not the site, said no: never an attempt on the page (spec B4). */
  | {
      readonly kind: "refusal";
      /** `plan`: too many calls at once. `credits`: exhausted. `endpoint`: this exit is down. `auth`: credentials or configuration. */
      readonly by: "plan" | "credits" | "endpoint" | "auth";
      readonly message: string;
      readonly status?: number;
      readonly retryAfter: Millis | null;
      /** When the account is filled again, where the provider says so. */
      readonly resetAt: EpochMillis | null;
      readonly measure: FetchMeasure;
    }
  | {
      readonly kind: "failure";
      readonly code: FetchErrorCode;
      /** For a person: what was expected and what came. */
      readonly message: string;
      /** Where it broke: decides who is asked to slow down. `local` is this machine's fault. */
      readonly phase: "resolve" | "connect" | "tls" | "headers" | "body" | "aborted" | "local";
      /** Status and headers, when they had arrived before the failure. */
      readonly status?: number;
      readonly headers?: HeaderView;
      readonly measure: FetchMeasure;
    };

export type Resolution =
  | {
      readonly kind: "resolved";
      readonly addresses: readonly string[];
      /** An answer of earlier, for no name server gave one now. */
      readonly stale?: boolean;
    }
  | {
      readonly kind: "failed";
      readonly code: "dns" | "private-address";
      readonly message: string;
      /** No name server answered: that says nothing of the name. Absent: they did, and there is no address. */
      readonly silent?: boolean;
    };

/**
 * A way to the web. One request at a time per call, no queue inside, no retry, no redirect, no cache: all of these are
 * admission's. Implementations: `adapters/fetch-direct`, `adapters/fetch-gateway`, `simulate/scripted-route`.
 */
export interface FetchRoute {
  readonly name: string;
  /**
   * Addresses of a host, after the address policy. Cached for a bounded time; at most a bounded number of look-ups run at once.
   * Never rejects.
   */
  resolve(hostname: string, port: number, signal: AbortSignal): Promise<Resolution>;
  /**
   * When may a fetch to this host start, as far as the route's own way out goes? `now` or earlier: at once. Never waits, changes
   * nothing. Absent: always.
   * @param host name and port as they stand in a URL.
   */
  admitAt?(host: string, now: Millis): Millis;
  /**
   * Starts a fetch at once. `done` is called exactly once, never synchronously inside `start`.
   * @returns a function that aborts the fetch: `done` is then called with phase `aborted` if it was not called yet.
   */
  start(request: FetchRequest, done: (result: FetchResult) => void): () => void;
  /**
   * Gives a body's memory back, for the next one or to the system, instead of leaving it to the collector. The body and every
   * view of it must not be looked at afterwards. A body that is never given back is collected as anything else.
   */
  releaseBody(body: Uint8Array): void;
  /** Closes kept connections; running fetches are aborted. */
  close(): Promise<void>;
}
