import type { Socket } from "node:net";
import type { Bytes, Millis } from "../../kernel/units.ts";
import type { FetchResult } from "../../ports/fetch-route.ts";
import type { Failure } from "./failure.ts";
import type { Origin } from "./origin.ts";

/** A provider's "no" before anything reached the site. */
export type Refusal = Omit<Extract<FetchResult, { kind: "refusal" }>, "kind" | "measure">;

/** Where a plain socket's bytes go once its connection is there. Returning false stops reading. */
export interface ReadSink {
  take: (bytes: Buffer, end: Bytes) => boolean;
}

export type DialOutcome =
  | { readonly kind: "connected"; readonly socket: Socket; readonly raw: Socket; readonly sink: ReadSink }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** The opening of one connection. It keeps no timer: its deadlines are checked from outside, by the sweep. */
export interface Dial {
  /** What attempts have moved that did not succeed; the sockets of one that did count for themselves. */
  readonly bytes: { readonly out: Bytes; readonly in: Bytes };
  start(): void;
  /** Ends what has taken too long. */
  check(now: Millis): void;
  /** Ends it because the whole fetch has no time left. */
  expire(timeout: Millis): void;
  /** Ends it; its owner is told nothing. */
  cancel(): void;
}

/** Opens connections: straight to the site, or through a gateway. `end` is called once, unless the dial was cancelled. */
export interface Dialer {
  dial(origin: Origin, end: (outcome: DialOutcome) => void): Dial;
}
