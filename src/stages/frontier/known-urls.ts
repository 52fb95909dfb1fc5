import { ByteColumn, Int32Column } from "../../kernel/chunked.ts";
import { FingerprintTable } from "../../kernel/fingerprint-table.ts";
import { SKIP_REASONS, type SkipReason, VIAS, type Via } from "../../kernel/outcome.ts";
import type { Bytes, UrlId } from "../../kernel/units.ts";

/** Waits in its host's list, or is in its host's ready queue. */
export const WAITING = 0;
/** A fetch works on it. */
export const LEASED = 1;
/** Settled in this pass. */
export const SETTLED = 2;
/** Waits for its retry instant. */
export const RETRYING = 3;
/** Never to be fetched; `SKIPPED + position of the reason`. */
export const SKIPPED = 8;

const STATE_MASK = 0x3f;
/** The store holds a row of its state: something was accepted for it. */
const HAS_ROW = 0x40;
/** An earlier visit stored a good copy. */
const HAS_PAGE = 0x80;
const KEPT_BITS = HAS_ROW | HAS_PAGE;
/** End of a host's list. */
const NONE = -1;

/**
 * What is kept in memory of every known URL: fingerprint and number (17 to 23 bytes), place in its host's list (4),
 * state (1), depth (1) and how it was found (1). Texts stay in the store. Ids are the table's dense numbers, which are the store's row ids.
 */
export class KnownUrls {
  readonly #table = new FingerprintTable();
  readonly #next = new Int32Column();
  readonly #state = new ByteColumn();
  readonly #depth = new ByteColumn();
  readonly #via = new ByteColumn();

  get size(): number {
    return this.#table.size;
  }

  /** Bytes of typed arrays held. */
  get bytes(): Bytes {
    return this.#table.bytes + this.#next.bytes + this.#state.bytes + this.#depth.bytes + this.#via.bytes;
  }

  find(a: number, b: number, c: number): UrlId {
    return this.#table.find(a, b, c);
  }

  /** Adds a URL that `find` did not find. */
  add(a: number, b: number, c: number, state: number, depth: number, via: Via): UrlId {
    const id = this.#table.add(a, b, c);
    this.#state.set(id, state);
    this.#depth.set(id, Math.min(depth, 255));
    this.#via.set(id, VIAS.indexOf(via));
    return id;
  }

  state(id: UrlId): number {
    return this.#state.get(id) & STATE_MASK;
  }
  setState(id: UrlId, state: number): void {
    this.#state.set(id, (this.#state.get(id) & KEPT_BITS) | state);
  }
  skipReason(id: UrlId): SkipReason | null {
    const state = this.state(id);
    return state < SKIPPED ? null : SKIP_REASONS[state - SKIPPED];
  }
  setSkipped(id: UrlId, reason: SkipReason): void {
    this.setState(id, SKIPPED + SKIP_REASONS.indexOf(reason));
  }

  hasPage(id: UrlId): boolean {
    return (this.#state.get(id) & HAS_PAGE) !== 0;
  }
  markPage(id: UrlId): void {
    this.#state.set(id, this.#state.get(id) | HAS_PAGE);
  }

  /** Never visited: its text is all there is to read. */
  isFresh(id: UrlId): boolean {
    return (this.#state.get(id) & HAS_ROW) === 0;
  }
  markRow(id: UrlId): void {
    this.#state.set(id, this.#state.get(id) | HAS_ROW);
  }

  via(id: UrlId): Via {
    return VIAS[this.#via.get(id)];
  }

  /** Links from a seed, at most 255 are told apart. */
  depth(id: UrlId): number {
    return this.#depth.get(id);
  }
  setDepth(id: UrlId, depth: number): void {
    this.#depth.set(id, Math.min(depth, 255));
  }

  /** Successor in the host's list; -1 at the end. Stored shifted by one so that a fresh column reads as the end. */
  next(id: UrlId): UrlId {
    return this.#next.get(id) - 1;
  }
  setNext(id: UrlId, next: UrlId): void {
    this.#next.set(id, next + 1);
  }
}

/** First and last URL of a linked list through {@link KnownUrls}: 4 bytes a URL, however many hosts. */
export class UrlList {
  #head: UrlId = NONE;
  #tail: UrlId = NONE;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(urls: KnownUrls, id: UrlId): void {
    urls.setNext(id, NONE);
    if (this.#tail === NONE) this.#head = id;
    else urls.setNext(this.#tail, id);
    this.#tail = id;
    this.#length += 1;
  }

  prepend(urls: KnownUrls, id: UrlId): void {
    urls.setNext(id, this.#head);
    this.#head = id;
    if (this.#tail === NONE) this.#tail = id;
    this.#length += 1;
  }

  /** @returns the first id, or -1 when empty. */
  shift(urls: KnownUrls): UrlId {
    const id = this.#head;
    if (id === NONE) return NONE;
    this.#head = urls.next(id);
    if (this.#head === NONE) this.#tail = NONE;
    this.#length -= 1;
    return id;
  }
}
