import type { Bytes } from "../../kernel/units.ts";
import { type BodyPool, SLAB } from "./body-pool.ts";

/** Up to here pieces are kept as they came and joined once; beyond it they are copied into one growing buffer. */
const LIST_LIMIT: Bytes = 256 * 1024;

/** The resizable half of ArrayBuffer (ES2024), which Node 20 has and the ES2023 library does not declare. */
interface ResizableBuffer extends ArrayBuffer {
  resize(byteLength: Bytes): void;
}
const ResizableBuffer = ArrayBuffer as unknown as new (byteLength: Bytes, options: { readonly maxByteLength: Bytes }) => ResizableBuffer;

const EMPTY = new Uint8Array(0);

/**
 * Collects the pieces of one body. A body of 20 MB costs 20 MB: not twice that, as a list of pieces joined at the end would, and
 * its receiver can give the memory back at once (`releaseBody`), where a plain buffer waits for the collector: bodies of 20 MB
 * read one after the other through a bound of 48 MiB added 140 MB to the peak that way. A growing buffer reserves addresses, not
 * memory: what has not been written costs nothing.
 */
export class BodyBuffer {
  readonly #pool: BodyPool;
  readonly #expected: Bytes;
  readonly #limit: Bytes;
  #pieces: Uint8Array[] = [];
  /** A slab, or a buffer of the promised length: what comes first goes here. */
  #first: Buffer | undefined;
  #growing: ResizableBuffer | undefined;
  #size: Bytes = 0;

  /**
   * @param expected length promised, or undefined: only a hint.
   * @param limit most bytes that will be appended.
   */
  constructor(pool: BodyPool, expected: Bytes | undefined, limit: Bytes) {
    this.#pool = pool;
    this.#expected = Math.min(expected ?? 0, limit);
    this.#limit = limit;
  }

  get size(): Bytes {
    return this.#size;
  }

  /** Copies the piece, which is valid during the call only. */
  append(piece: Uint8Array): void {
    const at = this.#size;
    this.#size += piece.length;
    if (this.#growing !== undefined) {
      if (this.#size > this.#growing.byteLength) this.#growing.resize(this.#roomFor(this.#size));
      new Uint8Array(this.#growing, at, piece.length).set(piece);
    } else if (this.#size > LIST_LIMIT) this.#grow(piece);
    else if (this.#first !== undefined && this.#size <= this.#first.length) this.#first.set(piece, at);
    else if (at === 0) this.#begin(piece);
    else this.#appendMore(piece, at);
  }

  #begin(piece: Uint8Array): void {
    const most = Math.max(this.#expected, piece.length);
    // A large promise is believed when it is kept.
    const fits = most <= SLAB || (most > LIST_LIMIT && piece.length <= SLAB);
    this.#first = fits ? this.#pool.take() : Buffer.allocUnsafeSlow(Math.min(most, LIST_LIMIT));
    this.#first.set(piece, 0);
  }

  /** More than was expected: a list, joined at the end. */
  #appendMore(piece: Uint8Array, at: Bytes): void {
    if (this.#first !== undefined) this.#pieces.push(this.#first.subarray(0, at));
    this.#first = undefined;
    this.#pieces.push(Buffer.from(piece));
  }

  /** The whole body; the buffer is empty afterwards. */
  take(): Uint8Array {
    const size = this.#size;
    const pieces = this.#pieces;
    const growing = this.#growing;
    const first = this.#first;
    this.#growing = undefined;
    this.#first = undefined;
    this.clear();
    if (growing !== undefined) return new Uint8Array(growing, 0, size);
    if (first !== undefined) return first.subarray(0, size);
    if (pieces.length === 0) return EMPTY;
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, size);
  }

  /** Lets go of everything, now. */
  clear(): void {
    this.#growing?.resize(0);
    this.#growing = undefined;
    if (this.#first !== undefined) this.#pool.giveBack(this.#first);
    this.#first = undefined;
    this.#pieces = [];
    this.#size = 0;
  }

  /** Moves what is here, and the piece behind it, into one growing buffer. */
  #grow(last: Uint8Array): void {
    const growing = new ResizableBuffer(this.#roomFor(Math.max(this.#size, this.#expected)), {
      maxByteLength: Math.max(this.#limit, this.#size),
    });
    let at = 0;
    const kept = this.#first === undefined ? this.#pieces : [this.#first.subarray(0, this.#size - last.length)];
    for (const piece of [...kept, last]) {
      new Uint8Array(growing, at, piece.length).set(piece);
      at += piece.length;
    }
    this.#growing = growing;
    if (this.#first !== undefined) this.#pool.giveBack(this.#first);
    this.#first = undefined;
    this.#pieces = [];
  }

  /** Half as much again, since resizing costs some 0.2 ms and room costs nothing. */
  #roomFor(size: Bytes): Bytes {
    return Math.max(size, Math.min(this.#limit, this.#expected >= size ? this.#expected : Math.ceil(size * 1.5)));
  }
}
