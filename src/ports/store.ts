import type { Outcome, SkipReason, Via } from "../kernel/outcome.ts";
import type { Bytes, EpochMillis, HostId, Millis, Seq, UrlId } from "../kernel/units.ts";

/** A host met for the first time. Ids are dense and given by the frontier, the single writer. */
export interface NewHost {
  readonly id: HostId;
  /** Authority: `name` for the default ports, else `name:port`. */
  readonly key: string;
  /** Which of the 1,024 shards owns it. */
  readonly shard: number;
}

/** A URL met for the first time. Ids are dense, in order of discovery. */
export interface NewUrl {
  readonly id: UrlId;
  readonly url: string;
  readonly host: HostId;
  readonly depth: number;
  readonly via: Via;
  /** Decided at discovery never to fetch it (this can be taken back by `revised`). */
  readonly skip: SkipReason | null;
}

/** What is kept of a good page: the copy that later visits are compared with. */
export interface StoredPage {
  readonly contentType: string | null;
  readonly charset: string | null;
  readonly title: string | null;
  readonly canonical: string | null;
  readonly index: boolean;
  readonly follow: boolean;
  /** Ids of the unique links in document order: unsigned LEB128 of zig-zag deltas. */
  readonly links: Uint8Array;
  readonly marks: readonly string[];
  /** Fingerprint of the main text (12 bytes) and the version of the rule that made it. */
  readonly textHash: Uint8Array;
  readonly textHashVersion: number;
  /** Validators exactly as received (latin1), or null. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** SHA-256 (hex) under which the body was archived, or null. */
  readonly bodyHash: string | null;
}

export interface Hop {
  readonly url: string;
  readonly status: number;
}

/** One URL settled for this pass: a visit for the log, the URL's new state, and its page when there is a good one. */
export interface Settlement {
  readonly seq: Seq;
  readonly id: UrlId;
  /** Must equal the lease's; a stale one is refused and counted. */
  readonly token: number;
  readonly pass: number;
  readonly outcome: Outcome;
  /** Error code, or the skip reason; null when neither. */
  readonly code: string | null;
  readonly message: string | null;
  readonly status: number | null;
  readonly at: EpochMillis;
  readonly ms: Millis | null;
  readonly bytesWire: Bytes;
  readonly bytesBody: Bytes;
  readonly provider: string | null;
  readonly attempts: number;
  /** Where the chain ended; null when that is the URL itself, or when nothing answered. */
  readonly finalUrl: string | null;
  readonly redirects: readonly Hop[];
  readonly duplicateOf: UrlId | null;
  readonly changed: boolean | null;
  /** null keeps the earlier good copy (failures, 304, redirects, skips). */
  readonly page: StoredPage | null;
  /** Optional delivered fields (`text`, `headers`, `html`) as JSON, kept until every consumer that asked has taken them; null when nobody asked. */
  readonly extra: string | null;
}

/** A retry: the row comes back at `dueAt` with its attempts counted. */
export interface Rescheduled {
  readonly id: UrlId;
  readonly token: number;
  readonly attempts: number;
  /** The delay drawn, from which the next one is drawn; `dueAt` may be later for the host's sake. */
  readonly delay: Millis;
  readonly dueAt: EpochMillis;
  readonly code: string;
}

/** Per-host state that survives a restart. A null `limiter` or `robots` keeps what is stored. */
export interface HostState {
  readonly id: HostId;
  /** Packed limiter state. */
  readonly limiter: Uint8Array | null;
  /** Closed until then, wall clock; null when open. */
  readonly gateUntil: EpochMillis | null;
  /** Cached robots.txt answers of this host, by scheme: JSON text, owned by the frontier. */
  readonly robots: string | null;
}

/** Everything that happened since the last commit; one transaction. */
export interface StoreBatch {
  readonly hosts: readonly NewHost[];
  readonly urls: readonly NewUrl[];
  readonly settlements: readonly Settlement[];
  readonly rescheduled: readonly Rescheduled[];
  /** URLs whose depth fell or whose skip was decided or taken back after discovery. */
  readonly revised: readonly { readonly id: UrlId; readonly depth: number; readonly skip: SkipReason | null }[];
  readonly hostStates: readonly HostState[];
  /** Ids in flight when the batch was made: the journal. Replaces the earlier journal. */
  readonly inFlight: readonly UrlId[];
  /** Small named texts to set (pass identity, state, counters snapshot). */
  readonly meta: readonly (readonly [string, string])[];
}

/** One row of the start-up scan, in id order. The object is reused between calls: copy what is kept. */
export interface ScanRow {
  id: UrlId;
  url: string;
  host: HostId;
  depth: number;
  via: Via;
  skip: SkipReason | null;
  /** Last pass that settled it; 0 when none did. */
  pass: number;
  outcome: Outcome | null;
  attempts: number;
  dueAt: EpochMillis | null;
  token: number;
  /** Text fingerprint of the good copy, or null. */
  textHash: Uint8Array | null;
  textHashVersion: number;
  duplicateOf: UrlId | null;
}

/** What the fetch of a URL needs: the lease. */
export interface VisitRow {
  readonly id: UrlId;
  readonly url: string;
  /** Fencing token of the row as it stands: 0 until something was accepted for it. */
  readonly token: number;
  /** Attempts made in the current incident; 0 when the last one was settled. */
  readonly attempts: number;
  /** Attempts of the incidents since its last success. */
  readonly tries: number;
  /** Delay drawn before the last attempt; 0 when that was the first. */
  readonly delay: Millis;
  /** What went wrong last; null when nothing did. */
  readonly code: string | null;
  readonly depth: number;
  readonly via: Via;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly textHash: Uint8Array | null;
  readonly textHashVersion: number;
}

/** One settled URL as a consumer gets it, before links are spelled out. */
export interface SettledRow extends Omit<Settlement, "page" | "token"> {
  readonly url: string;
  readonly depth: number;
  readonly via: Via;
  /** The page kept for the URL (the last good copy), or null. */
  readonly page: StoredPage | null;
}

export interface HostRow extends NewHost, Omit<HostState, "id"> {}

/** Thrown (as a rejection) by every method when the store cannot serve: full disk, I/O error, lock lost. Scope: pipeline. */
export interface StoreTraits {
  readonly multiWriter: boolean;
}

/**
 * The durable frontier, pages, visits and delivery cursors. Asynchronous and batched; one writer.
 * Implementations: `adapters/store-sqlite`, `simulate/memory-store`. Contract: `test/contract/store.contract.ts`.
 * Every method may reject with `StoreUnavailable` (`WEIR_STORE_*`): the caller pauses fetching and keeps its batch. A
 * rejected `commit` has changed nothing and may be repeated as it is.
 *
 * Tokens fence a URL's row. A URL for which nothing was accepted yet has token 0. A settlement or reschedule is accepted
 * when its token equals the row's, and then the row's token grows by one; anything else is stale and refused. So a lease is
 * a URL and the token it was read with (`visitRows`, `scan`), and whoever holds an older one loses. In ownership mode no
 * lease is written: the owner reads the token before the fetch, or counts along (a token grows by one with each item of its
 * own that was not refused), and only another owner or a restored copy can make it stale. Items of one URL in one batch
 * apply in the order of their tokens, whatever their order in the lists.
 *
 * A settlement sets the row's attempts to 0 and forgets its due time; a reschedule sets both and leaves the rest. A settlement
 * as failed or blocked (without a page) adds its attempts to the row's tries, any other sets these to 0. A
 * settlement with a page replaces the good copy and `duplicateOf`; one without keeps the copy, and `duplicateOf` unless it
 * names another. Revising an unknown URL, or the state of an unknown host, does nothing. An id or `seq` that is
 * given twice is a bug of the caller: the batch rejects with `WEIR_BUG`.
 */
export interface Store {
  readonly traits: StoreTraits;
  /**
   * Applies all or nothing; the batch may be changed by the caller once the promise has settled.
   * @returns ids of settlements and reschedules refused for a stale token (a refused settlement leaves no visit and no extra).
   */
  commit(batch: StoreBatch): Promise<readonly UrlId[]>;
  /** Calls `row` for every URL in id order, letting other work run between. @returns rows read; fewer than are known when aborted. */
  scan(row: (row: ScanRow) => void, signal: AbortSignal): Promise<number>;
  hosts(): Promise<readonly HostRow[]>;
  /** In the order asked; unknown ids are left out. */
  visitRows(ids: readonly UrlId[]): Promise<readonly VisitRow[]>;
  /** URL texts, in the order asked; empty for an unknown id. Never waits: the delivery path spells out links with it. */
  urlTexts(ids: readonly UrlId[]): readonly string[];
  /** Journal of the last commit: what may have been in flight when the process ended. */
  inFlight(): Promise<readonly UrlId[]>;
  meta(key: string): Promise<string | null>;

  /**
   * Settled URLs with `seq > after` and, when given, of this pass, in `seq` order, at most `limit`. What the visit found is
   * as it was committed; URL, depth and page are those of now (a slow consumer may get the page of a later visit).
   */
  settledAfter(after: Seq, limit: number, pass?: number): Promise<readonly SettledRow[]>;
  /** Highest `seq` committed; 0 when none. */
  lastSeq(): Promise<Seq>;
  /** Last `seq` a consumer has taken; null when it never took one. */
  cursor(consumer: string): Promise<Seq | null>;
  /**
   * Moves a cursor and drops `extra` at or before the lowest cursor. A consumer that wants extras takes its place before
   * they are made, with the `seq` it starts behind. Moving back is allowed; what was dropped stays dropped.
   */
  advance(consumer: string, seq: Seq): Promise<void>;
  /**
   * Current state of every URL for `export`, in id order, at most `limit` rows with `id > after`: `pages` hold a good copy
   * (whatever the last visit found), `skipped` are those with a standing skip or settled as skipped, `failed` those
   * settled as failed or blocked. A standing skip shows as outcome and code; a URL never settled has seq, pass and at 0.
   */
  current(what: "pages" | "skipped" | "failed", after: UrlId, limit: number): Promise<readonly SettledRow[]>;
  /**
   * Puts dead letters back: the first `limit` of those with `id > after`, settled as failed or blocked and without a standing
   * skip. Each waits again, as if it had never been settled: no attempts, no tries, in no pass, its token one higher, so that a
   * late result of before is refused; its good copy stays. They leave the counts of the pass that had settled them.
   * @returns them, in id order.
   */
  requeue(which: DeadLetters, after: UrlId, limit: number): Promise<readonly Requeued[]>;
  /** Counts for status: known URLs, settlements of the pass by outcome, URLs skipped now by reason (each URL once). */
  totals(pass: number): Promise<StoreTotals>;
  /** Forgets everything (`--fresh`). */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Which dead letters; null: whatever it is. */
export interface DeadLetters {
  /** Key of the host. */
  readonly host: string | null;
  readonly code: string | null;
  /** The pass that settled it. */
  readonly pass: number | null;
}

export interface Requeued {
  readonly id: UrlId;
  readonly host: HostId;
}

export interface StoreTotals {
  readonly known: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly skips: Readonly<Partial<Record<SkipReason, number>>>;
}
