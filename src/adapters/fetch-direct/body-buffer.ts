import type { Bytes } from "../../kernel/units.ts";

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
  readonly #expected: Bytes;
  readonly #limit: Bytes;
  #pieces: Uint8Array[] = [];
  /** Of the promised length, when that is short. */
  #exact: Buffer | undefined;
  #growing: ResizableBuffer | undefined;
  #size: Bytes = 0;

  /**
   * @param expected length promised, or undefined: only a hint.
   * @param limit most bytes that will be appended.
   */
  constructor(expected: Bytes | undefined, limit: Bytes) {
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
    else if (this.#exact !== undefined && this.#size <= this.#exact.length) this.#exact.set(piece, at);
    else this.#appendSmall(piece, at);
  }

  /** A length that is kept to costs one allocation; anything else a list. */
  #appendSmall(piece: Uint8Array, at: Bytes): void {
    if (at === 0 && this.#expected >= piece.length && this.#expected <= LIST_LIMIT) {
      this.#exact = Buffer.allocUnsafeSlow(this.#expected);
      this.#exact.set(piece, 0);
      return;
    }
    if (this.#exact !== undefined) this.#pieces.push(this.#exact.subarray(0, at));
    this.#exact = undefined;
    this.#pieces.push(Buffer.from(piece));
  }

  /** The whole body; the buffer is empty afterwards. */
  take(): Uint8Array {
    const size = this.#size;
    const pieces = this.#pieces;
    const growing = this.#growing;
    const exact = this.#exact;
    this.#growing = undefined;
    this.clear();
    if (growing !== undefined) return new Uint8Array(growing, 0, size);
    if (exact !== undefined) return exact.length === size ? exact : exact.subarray(0, size);
    if (pieces.length === 0) return EMPTY;
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, size);
  }

  /** Lets go of everything, now. */
  clear(): void {
    this.#growing?.resize(0);
    this.#growing = undefined;
    this.#exact = undefined;
    this.#pieces = [];
    this.#size = 0;
  }

  /** Moves what is here, and the piece behind it, into one growing buffer. */
  #grow(last: Uint8Array): void {
    const growing = new ResizableBuffer(this.#roomFor(Math.max(this.#size, this.#expected)), {
      maxByteLength: Math.max(this.#limit, this.#size),
    });
    let at = 0;
    const kept = this.#exact === undefined ? this.#pieces : [this.#exact.subarray(0, this.#size - last.length)];
    for (const piece of [...kept, last]) {
      new Uint8Array(growing, at, piece.length).set(piece);
      at += piece.length;
    }
    this.#growing = growing;
    this.#exact = undefined;
    this.#pieces = [];
  }

  /** Half as much again, since resizing costs some 0.2 ms and room costs nothing. */
  #roomFor(size: Bytes): Bytes {
    return Math.max(size, Math.min(this.#limit, this.#expected >= size ? this.#expected : Math.ceil(size * 1.5)));
  }
}
