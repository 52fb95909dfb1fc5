import { BatchGauge } from "../../flow/batch-gauge.ts";
import type { ShareBound } from "../../flow/credit-share.ts";
import { StoreUnavailable } from "../../kernel/errors.ts";
import type { SkipReason } from "../../kernel/outcome.ts";
import type { Bytes, Millis, Seq, UrlId } from "../../kernel/units.ts";
import type { CancelTimer, Clock } from "../../ports/clock.ts";
import type { HostState, NewHost, NewUrl, Rescheduled, Settlement, Store, StoreBatch } from "../../ports/store.ts";
import { isPassing, STORE_RETRY_EVERY, STORE_RETRY_FOR } from "./store-patience.ts";

/** A batch is committed when it holds this many settlements. Source: flow-control.md §8. */
const COMMIT_ROWS = 1_000;
/**
 * Or when it is this old; one that fills fast may grow older, for rows that share a database page are then written with it once
 * (at 2,700 pages/s a commit costs 21 µs a page at 100 ms, 12 µs at 400 ms).
 */
const COMMIT_AGE: Millis = 50;
const COMMIT_AGE_BUSY: Millis = 400;
/** Part of its bound that an open batch fills before it is committed, whatever its age: starts must not wait for it. */
const COMMIT_SHARE = 0.5;
const BUSY_ROWS = 64;
/** Most and least that the open batch may hold: with its bound in it nothing more is started. */
export const OPEN_MOST: ShareBound = { items: 2_000, bytes: 16 * 1_048_576 };
export const OPEN_LEAST: ShareBound = { items: 256, bytes: 2 * 1_048_576 };
/** Wait tolerated between a settlement and its commit. Source: flow-control.md §7. */
export const STORE_WAIT: Millis = 10_000;

interface OpenBatch {
  hosts: NewHost[];
  urls: NewUrl[];
  settlements: Settlement[];
  rescheduled: Rescheduled[];
  revised: Map<UrlId, { id: UrlId; depth: number; skip: SkipReason | null }>;
  hostStates: Map<number, HostState>;
  meta: Map<string, string>;
  bytes: Bytes;
}

export interface StoreStageDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Ids in flight now, for the journal. */
  readonly inFlight: () => readonly UrlId[];
  /** A batch is durable up to this `seq`; there may be room again. */
  readonly onCommitted: (seq: Seq, refused: readonly UrlId[]) => void;
  /** The store refuses for the first time since it last worked; fetching pauses by itself, for the batch stays full. */
  readonly onTrouble: (error: StoreUnavailable) => void;
  /** The store refused for too long, or for good: the run ends. */
  readonly onGivenUp: (error: unknown) => void;
}

/**
 * Collects what happened and commits it in batches, one transaction at a time: records, visits, completions and new URLs
 * together, so that a crash loses whole pages or none. While a commit is on its way the next batch fills, up to its bound;
 * `hasRoom` tells the dispatcher. A refused batch is kept and tried again.
 */
export class StoreStage {
  readonly #deps: StoreStageDeps;
  #open = emptyBatch();
  #committing: OpenBatch | null = null;
  #timer: CancelTimer | null = null;
  #growsOlder = false;
  #hurried = false;
  #waiters: { resolve: () => void; reject: (error: unknown) => void; after: "open" | "committing" }[] = [];
  #troubleSince: Millis | null = null;
  #readTrouble: { readonly since: Millis; readonly last: Millis } | null = null;
  #givenUp = false;
  #lastSeq: Seq;
  #committedUrls = 0;
  /** Since when the open batch and the one being committed hold anything. */
  #openedAt: Millis | null = null;
  #committingSince: Millis | null = null;
  /** Commits: their rate, and what they wait. */
  readonly gauge = new BatchGauge();
  /** Of the open batch. */
  bound: ShareBound = OPEN_MOST;

  constructor(deps: StoreStageDeps, lastSeq: Seq, knownUrls: number) {
    this.#deps = deps;
    this.#lastSeq = lastSeq;
    this.#committedUrls = knownUrls;
  }

  /** Room for what is in flight to settle; without it nothing is started. */
  get hasRoom(): boolean {
    const open = this.#open;
    return (
      open.settlements.length + open.rescheduled.length < this.bound.items &&
      open.bytes < this.bound.bytes &&
      this.#troubleSince === null &&
      (this.#committing === null || this.oldestAge < STORE_WAIT)
    );
  }
  get depth(): number {
    return this.#open.settlements.length + (this.#committing?.settlements.length ?? 0);
  }
  /** Rows of the open batch. */
  get rows(): number {
    return this.#open.settlements.length + this.#open.rescheduled.length;
  }
  /** Of the open batch. */
  get bytes(): Bytes {
    return this.#open.bytes;
  }
  get troubled(): boolean {
    return this.#troubleSince !== null;
  }
  get oldestAge(): Millis {
    const since = this.#committingSince ?? this.#openedAt;
    return since === null ? 0 : this.#deps.clock.now() - since;
  }
  get lastSeq(): Seq {
    return this.#lastSeq;
  }

  addHost(host: NewHost): void {
    this.#open.hosts.push(host);
    this.#touch();
  }
  addUrl(url: NewUrl): void {
    this.#open.urls.push(url);
    this.#open.bytes += url.url.length + 48;
    this.#touch();
  }
  revise(id: UrlId, depth: number, skip: SkipReason | null): void {
    this.#open.revised.set(id, { id, depth, skip });
    this.#touch();
  }
  reschedule(row: Rescheduled): void {
    this.#open.rescheduled.push(row);
    this.#touch();
  }
  hostState(state: HostState): void {
    const before = this.#open.hostStates.get(state.id);
    this.#open.hostStates.set(state.id, before === undefined || state.robots !== null ? state : { ...state, robots: before.robots });
    this.#touch();
  }
  meta(key: string, value: string): void {
    this.#open.meta.set(key, value);
    this.#touch();
  }

  /** The next delivery number; the settlement that carries it must be added at once. */
  nextSeq(): Seq {
    return ++this.#lastSeq;
  }

  settle(settlement: Settlement): void {
    this.#open.settlements.push(settlement);
    this.#open.bytes += 256 + (settlement.extra?.length ?? 0) + (settlement.page?.links.length ?? 0);
    if (this.#isFull) this.#begin();
    else this.#touch();
  }

  /** Enough for a commit at once. */
  get #isFull(): boolean {
    const { items, bytes } = this.bound;
    return this.#open.settlements.length >= Math.min(COMMIT_ROWS, COMMIT_SHARE * items) || this.#open.bytes >= COMMIT_SHARE * bytes;
  }

  isPending(id: UrlId): boolean {
    if (id >= this.#committedUrls) return true;
    const within = (batch: OpenBatch | null) => batch?.rescheduled.some((row) => row.id === id) ?? false;
    return within(this.#open) || within(this.#committing);
  }

  /** Resolves once everything added so far is durable. Rejects when the store is given up. */
  committed(): Promise<void> {
    if (this.#givenUp) return Promise.reject(new StoreUnavailable("WEIR_STORE_FAILED", "The store was given up"));
    const openIsEmpty = isEmpty(this.#open);
    if (openIsEmpty && this.#committing === null) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject, after: openIsEmpty ? "committing" : "open" });
      if (!openIsEmpty) this.#begin();
    });
  }

  /**
   * The store could not be read. Nothing more is started, as after a refused batch; the next batch, even an empty one, is the
   * attempt that tells whether it works again.
   */
  readFailed(error: unknown): void {
    if (this.#givenUp) return;
    const now = this.#deps.clock.now();
    const before = this.#readTrouble;
    const since = before !== null && now - before.last <= 2 * STORE_RETRY_EVERY ? before.since : now;
    this.#readTrouble = { since, last: now };
    if (this.#committing !== null && isPassing(error)) return;
    this.#timer?.();
    this.#timer = null;
    this.#committing ??= this.#takeOpen();
    this.#failed(this.#committing, error, since);
  }

  #touch(): void {
    this.#openedAt ??= this.#deps.clock.now();
    if (this.#timer !== null || this.#committing !== null || this.#givenUp) return;
    this.#timer = this.#deps.clock.after(COMMIT_AGE, () => {
      this.#timer = null;
      if (this.#hurried || this.#open.settlements.length < BUSY_ROWS) this.#begin();
      else this.#beginLater();
    });
  }

  /** Once: what fills fast is committed at its later age, whatever is in it then. */
  #beginLater(): void {
    this.#growsOlder = true;
    this.#timer = this.#deps.clock.after(COMMIT_AGE_BUSY - COMMIT_AGE, () => {
      this.#timer = null;
      this.#begin();
    });
  }

  /** Something waits for what is not committed yet: a batch that was left to grow older is committed, now or when its first age is reached. */
  hurry(): void {
    this.#hurried = true;
    if (this.#growsOlder) this.#begin();
  }

  #begin(): void {
    if (this.#committing !== null || this.#givenUp || isEmpty(this.#open)) return;
    this.#timer?.();
    this.#timer = null;
    this.#growsOlder = false;
    this.#hurried = false;
    const batch = this.#takeOpen();
    this.#committing = batch;
    this.#attempt(batch);
  }

  #takeOpen(): OpenBatch {
    const batch = this.#open;
    this.#open = emptyBatch();
    this.#committingSince = this.#openedAt;
    this.#openedAt = null;
    this.gauge.begin(this.#deps.clock.now());
    for (const waiter of this.#waiters) waiter.after = "committing";
    return batch;
  }

  #attempt(batch: OpenBatch): void {
    const { store, inFlight } = this.#deps;
    const frozen: StoreBatch = {
      ...batch,
      revised: [...batch.revised.values()],
      hostStates: [...batch.hostStates.values()],
      meta: [...batch.meta],
      inFlight: inFlight(),
    };
    store.commit(frozen).then(
      (refused) => this.#succeeded(batch, refused),
      (error: unknown) => this.#failed(batch, error),
    );
  }

  #succeeded(batch: OpenBatch, refused: readonly UrlId[]): void {
    this.#troubleSince = null;
    this.#committing = null;
    this.#committingSince = null;
    this.gauge.end(this.#deps.clock.now(), batch.settlements.length + batch.rescheduled.length, batch.bytes);
    this.#committedUrls += batch.urls.length;
    const waiters = this.#waiters.filter((waiter) => waiter.after === "committing");
    this.#waiters = this.#waiters.filter((waiter) => waiter.after === "open");
    if (this.#waiters.length > 0 || this.#isFull) this.#begin();
    else if (!isEmpty(this.#open)) this.#touch();
    const last = batch.settlements.at(-1);
    this.#deps.onCommitted(last?.seq ?? 0, refused);
    for (const waiter of waiters) waiter.resolve();
  }

  #failed(batch: OpenBatch, error: unknown, began = this.#deps.clock.now()): void {
    const { clock, onTrouble, onGivenUp } = this.#deps;
    const since = this.#troubleSince ?? began;
    if (!isPassing(error) || clock.now() - since >= STORE_RETRY_FOR) {
      this.#givenUp = true;
      for (const waiter of this.#waiters) waiter.reject(error);
      this.#waiters = [];
      onGivenUp(error);
      return;
    }
    if (this.#troubleSince === null) {
      this.#troubleSince = since;
      onTrouble(error);
    }
    clock.after(STORE_RETRY_EVERY, () => this.#attempt(batch));
  }
}

function emptyBatch(): OpenBatch {
  return {
    hosts: [],
    urls: [],
    settlements: [],
    rescheduled: [],
    revised: new Map(),
    hostStates: new Map(),
    meta: new Map(),
    bytes: 0,
  };
}

function isEmpty(batch: OpenBatch): boolean {
  return (
    batch.settlements.length +
      batch.urls.length +
      batch.hosts.length +
      batch.rescheduled.length +
      batch.revised.size +
      batch.hostStates.size +
      batch.meta.size ===
    0
  );
}
