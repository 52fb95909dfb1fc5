import type { CreditPool } from "../flow/credit-pool.ts";
import type { Credit } from "../flow/credit-share.ts";
import type { Permit } from "../flow/host-limiter.ts";
import type { Bytes, Millis, UrlId } from "../kernel/units.ts";
import type { BodyCredit, BodyDecision, FetchRequest, HeaderView } from "../ports/fetch-route.ts";
import type { Hop, VisitRow } from "../ports/store.ts";
import type { Cookies } from "../stages/fetch/cookies.ts";
import type { Continuation, Host } from "../stages/frontier/host.ts";
import type { ProviderCall } from "./provider-lane.ts";

/** A chunk's several forms (received, joined, text) exist for a moment: bytes are charged this many times. Source: flow-control.md §7. */
export const BYTES_CHARGED = 4;

/** A row that a redirect chain has passed through. */
export interface Passed {
  readonly row: VisitRow;
  readonly host: Host;
}

/** What a request is for. */
export type Purpose =
  | {
      readonly kind: "visit";
      /** The row whose URL is asked for now. */
      row: VisitRow;
      rowHost: Host;
      /** Rows before it in the chain, the source first. */
      readonly passed: Passed[];
      readonly hops: Hop[];
      /** URL and cookies of every request of the chain, from its first redirect on: a repeat is a loop. Bounded by the hop limit. */
      seen: Set<string> | null;
      cookies: Cookies | null;
      bytesWire: Bytes;
    }
  | { readonly kind: "robots"; readonly host: Host; hops: number };

/** Decides at the headers whether a body is worth reading. */
export type HeaderPolicy = (errand: Errand, status: number, headers: HeaderView) => BodyDecision;

/**
 * One request from admission to its end: what the route reads, and everything admission granted for it. An errand that
 * follows a redirect keeps its purpose and is admitted again for each hop.
 */
export class Errand implements FetchRequest, Continuation, BodyCredit {
  readonly purpose: Purpose;
  url: string;
  /** Host that the request goes to, whose permit it holds. */
  host: Host;
  headers: readonly (readonly [string, string])[] = [];
  /** Falls once the headers say that only a beginning is wanted. */
  maxBody: Bytes;
  readonly timeout: Millis;
  /** What its start is, to the retry budgets: see `RetryAdmission`. */
  kind: "first" | "retry" | "other" = "first";
  startedAt: Millis = 0;
  /** Readings of our own loop's lag at the start (`ports/loop-lag.ts`). */
  delayedBefore: Millis = 0;
  stalledBefore: Millis = 0;
  permit: Permit | null = null;
  address: string | null = null;
  held: Credit | null = null;
  /** What it holds of its provider; null on the direct way. */
  call: ProviderCall | null = null;
  abort: (() => void) | null = null;
  readonly #pool: CreditPool;
  readonly #policy: HeaderPolicy;

  constructor(
    purpose: Purpose,
    url: string,
    host: Host,
    caps: { maxBody: Bytes; timeout: Millis },
    pool: CreditPool,
    policy: HeaderPolicy,
  ) {
    this.purpose = purpose;
    this.url = url;
    this.host = host;
    this.maxBody = caps.maxBody;
    this.timeout = caps.timeout;
    this.#pool = pool;
    this.#policy = policy;
  }

  get credit(): BodyCredit {
    return this;
  }

  draw(bytes: Bytes, whenGranted: () => void): boolean {
    return this.held === null || this.held.released || this.#pool.draw(this.held, bytes * BYTES_CHARGED, whenGranted);
  }

  decide(status: number, headers: HeaderView): BodyDecision {
    return this.#policy(this, status, headers);
  }

  /** Row it works on, for the journal; -1 when none. */
  get rowId(): UrlId {
    return this.purpose.kind === "visit" ? this.purpose.row.id : -1;
  }
}

/** Rows that these errands work on, for the journal. */
export function rowIds(errands: Iterable<Errand>): UrlId[] {
  const ids: UrlId[] = [];
  for (const errand of errands) if (errand.rowId >= 0) ids.push(errand.rowId);
  return ids;
}
