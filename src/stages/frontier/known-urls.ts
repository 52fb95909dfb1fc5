import { Int32Column } from "../../kernel/chunked.ts";
import { FingerprintTable } from "../../kernel/fingerprint-table.ts";
import { SKIP_REASONS, type SkipReason, VIAS, type Via } from "../../kernel/outcome.ts";
import type { PrintBatch } from "../../kernel/print-batch.ts";
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

// The word of a URL: state (6 bits), what the store holds of it (2 bits), depth (8 bits), how it was found (3 bits).
const STATE_MASK = 0x3f;
/** The store holds a row of its state: something was accepted for it. */
const HAS_ROW = 0x40;
/** An earlier visit stored a good copy. */
const HAS_PAGE = 0x80;
const DEPTH_SHIFT = 8;
const DEPTH_MOST = 255;
const VIA_SHIFT = 16;
/** End of a host's list. */
const NONE = -1;

/**
 * What is kept in memory of every known URL: its fingerprint with a word for state, depth and how it was found (21 to 27
 * bytes), and its place in its host's list (4). Texts stay in the store. Ids are the table's dense numbers, which are the
 * store's row ids.
 */
export class KnownUrls {
  readonly #table = new FingerprintTable();
  readonly #next = new Int32Column();

  get size(): number {
    return this.#table.size;
  }

  /** Bytes of typed arrays held. */
  get bytes(): Bytes {
    return this.#table.bytes + this.#next.bytes;
  }

  find(a: number, b: number, c: number): UrlId {
    return this.#table.find(a, b, c);
  }

  findAll(batch: PrintBatch): void {
    this.#table.findAll(batch);
  }

  /** Adds a URL that `find` did not find. */
  add(a: number, b: number, c: number, state: number, depth: number, via: Via): UrlId {
    const id = this.#table.add(a, b, c);
    this.#table.setWord(id, state | (Math.min(depth, DEPTH_MOST) << DEPTH_SHIFT) | (VIAS.indexOf(via) << VIA_SHIFT));
    return id;
  }

  state(id: UrlId): number {
    return this.#table.word(id) & STATE_MASK;
  }
  setState(id: UrlId, state: number): void {
    this.#table.setWord(id, (this.#table.word(id) & ~STATE_MASK) | state);
  }
  skipReason(id: UrlId): SkipReason | null {
    const state = this.state(id);
    return state < SKIPPED ? null : SKIP_REASONS[state - SKIPPED];
  }
  setSkipped(id: UrlId, reason: SkipReason): void {
    this.setState(id, SKIPPED + SKIP_REASONS.indexOf(reason));
  }

  /** Would a link at `depth` change anything about this known URL? The one question 74 of 75 links ask. */
  isSettledFor(id: UrlId, depth: number): boolean {
    const word = this.#table.word(id);
    return (word & STATE_MASK) < SKIPPED && depth >= ((word >>> DEPTH_SHIFT) & DEPTH_MOST);
  }

  hasPage(id: UrlId): boolean {
    return (this.#table.word(id) & HAS_PAGE) !== 0;
  }
  markPage(id: UrlId): void {
    this.#table.setWord(id, this.#table.word(id) | HAS_PAGE);
  }

  /** Never visited: its text is all there is to read. */
  isFresh(id: UrlId): boolean {
    return (this.#table.word(id) & HAS_ROW) === 0;
  }
  markRow(id: UrlId): void {
    this.#table.setWord(id, this.#table.word(id) | HAS_ROW);
  }

  via(id: UrlId): Via {
    return VIAS[this.#table.word(id) >>> VIA_SHIFT];
  }

  /** Links from a seed, at most 255 are told apart. */
  depth(id: UrlId): number {
    return (this.#table.word(id) >>> DEPTH_SHIFT) & DEPTH_MOST;
  }
  setDepth(id: UrlId, depth: number): void {
    const rest = this.#table.word(id) & ~(DEPTH_MOST << DEPTH_SHIFT);
    this.#table.setWord(id, rest | (Math.min(depth, DEPTH_MOST) << DEPTH_SHIFT));
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
