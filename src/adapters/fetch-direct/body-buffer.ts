import type { Bytes } from "../../kernel/units.ts";

/** Up to here pieces are kept as they came and joined once; beyond it they are copied into one growing buffer. */
const LIST_LIMIT: Bytes = 256 * 1024;
const GROW_STEP: Bytes = 256 * 1024;

/** The resizable half of ArrayBuffer (ES2024), which Node 20 has and the ES2023 library does not declare. */
interface ResizableBuffer extends ArrayBuffer {
  resize(byteLength: Bytes): void;
}
const ResizableBuffer = ArrayBuffer as unknown as new (byteLength: Bytes, options: { readonly maxByteLength: Bytes }) => ResizableBuffer;

const EMPTY = new Uint8Array(0);

/**
 * Collects the pieces of one body. A body of 20 MB costs 20 MB: not twice that, as a list of pieces joined at the end would.
 * Invariant: pieces are either in the list, or all in one buffer.
 */
export class BodyBuffer {
  readonly #expected: Bytes | undefined;
  readonly #limit: Bytes;
  #pieces: Uint8Array[] = [];
  #fixed: Uint8Array | undefined;
  #growing: ResizableBuffer | undefined;
  #size: Bytes = 0;

  /**
   * @param expected length promised, or undefined. Believed only once the list limit is passed, and memory is touched only as bytes come.
   * @param limit most bytes that will ever be appended.
   */
  constructor(expected: Bytes | undefined, limit: Bytes) {
    this.#expected = expected;
    this.#limit = limit;
  }

  get size(): Bytes {
    return this.#size;
  }

  append(piece: Uint8Array): void {
    const end = this.#size + piece.length;
    if (this.#fixed === undefined && this.#growing === undefined) {
      if (end <= LIST_LIMIT) {
        this.#pieces.push(piece);
        this.#size = end;
        return;
      }
      this.#allocate(end);
    }
    this.#write(piece, end);
  }

  /** The whole body; the buffer is empty afterwards. A single piece is given as it came, so it may be a view into a larger buffer. */
  take(): Uint8Array {
    const size = this.#size;
    const pieces = this.#pieces;
    const fixed = this.#fixed;
    const growing = this.#growing;
    this.#growing = undefined;
    this.clear();
    if (fixed !== undefined) return fixed.length === size ? fixed : fixed.subarray(0, size);
    if (growing !== undefined) return unwound(growing, size);
    if (pieces.length === 0) return EMPTY;
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, size);
  }

  /** Lets go of everything now; a growing buffer's memory does not wait for the collector. */
  clear(): void {
    this.#growing?.resize(0);
    this.#growing = undefined;
    this.#fixed = undefined;
    this.#pieces = [];
    this.#size = 0;
  }

  #allocate(end: Bytes): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#size = 0;
    if (this.#expected !== undefined && this.#expected >= end && this.#expected <= this.#limit) {
      this.#fixed = Buffer.allocUnsafeSlow(this.#expected);
    } else {
      this.#growing = new ResizableBuffer(0, { maxByteLength: Math.max(this.#limit, end) });
    }
    for (const piece of pieces) this.#write(piece, this.#size + piece.length);
  }

  /** More came than was promised. */
  #outgrow(fixed: Uint8Array, end: Bytes): void {
    const growing = new ResizableBuffer(end, { maxByteLength: Math.max(this.#limit, end) });
    new Uint8Array(growing).set(fixed.subarray(0, this.#size));
    this.#growing = growing;
    this.#fixed = undefined;
  }

  #write(piece: Uint8Array, end: Bytes): void {
    if (this.#fixed !== undefined && end > this.#fixed.length) this.#outgrow(this.#fixed, end);
    const growing = this.#growing;
    if (this.#fixed !== undefined) {
      this.#fixed.set(piece, this.#size);
    } else if (growing !== undefined) {
      if (end > growing.byteLength) growing.resize(Math.min(Math.max(this.#limit, end), Math.ceil(end / GROW_STEP) * GROW_STEP));
      new Uint8Array(growing, this.#size, piece.length).set(piece);
    }
    this.#size = end;
  }
}

/**
 * Moves the bytes to a plain buffer from the end, giving back memory as it goes: not every consumer takes a resizable buffer, and
 * a copy in one go would hold the body twice. Copying 20 MB takes some 5 ms.
 */
function unwound(from: ResizableBuffer, size: Bytes): Uint8Array {
  const to = Buffer.allocUnsafeSlow(size);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - GROW_STEP);
    to.set(new Uint8Array(from, start, end - start), start);
    from.resize(start);
    end = start;
  }
  return to;
}
