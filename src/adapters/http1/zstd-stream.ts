import { Duplex } from "node:stream";
import * as zlib from "node:zlib";
import { Decompress } from "fzstd";
import type { Bytes } from "../../kernel/units.ts";
import { CutError } from "./cut-error.ts";

/** RFC 9659: a `zstd` coded body needs no larger window, and a decoder refuses one that asks for more. */
const MAX_WINDOW: Bytes = 8 * 1024 * 1024;
const MAX_BLOCK: Bytes = 128 * 1024;
const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;

/** zlib's own decoder, from Node 22.15. */
interface NativeZstd {
  readonly createZstdDecompress?: (options: { readonly chunkSize: number; readonly params: Readonly<Record<number, number>> }) => Duplex;
  readonly constants: { readonly ZSTD_d_windowLogMax?: number };
}

/** A decoder of one `zstd` body. */
export function createZstdStream(chunkSize: Bytes): Duplex {
  const native = zlib as unknown as NativeZstd;
  const windowLog = native.constants.ZSTD_d_windowLogMax;
  if (native.createZstdDecompress === undefined || windowLog === undefined) return new ZstdStream();
  return native.createZstdDecompress({ chunkSize, params: { [windowLog]: 23 } });
}

/**
 * zstd in JavaScript for Node 20. The frame and block headers are walked here (RFC 8878 3.1) and the decoder gets one block at
 * a time: a block holds at most 128 KiB decoded, so back-pressure works, and a frame that asks for a huge window is refused
 * before memory is taken for it. Checksums are skipped.
 */
class ZstdStream extends Duplex {
  #input: Buffer = Buffer.alloc(0);
  #decoder: Decompress | undefined;
  #checksum = false;
  #next: "frame" | "block" | "checksum" | "skip" = "frame";
  #skip: Bytes = 0;
  /** The reader has had enough for now. */
  #full = false;
  /** Called when all that can be decoded of the last write has been taken by the reader. */
  #written: ((error?: Error | null) => void) | undefined;

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
    this.#written = callback;
    this.#run();
  }

  override _read(): void {
    this.#run();
  }

  override _final(callback: (error?: Error | null) => void): void {
    if (this.#next === "frame" && this.#input.length === 0) {
      this.push(null);
      callback();
    } else callback(new CutError("unexpected end of zstd data"));
  }

  /** Decodes until the input is short or the reader is full. */
  #run(): void {
    const written = this.#written;
    if (written === undefined) return;
    try {
      for (let step = this.#step(); step !== "short"; step = this.#step()) if (step === "full") return;
    } catch (error) {
      this.#written = undefined;
      written(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#written = undefined;
    written();
  }

  #step(): "done" | "short" | "full" {
    if (this.#next === "frame") return this.#frame();
    if (this.#next === "block") return this.#block();
    const rest = Math.min(this.#skip, this.#input.length);
    this.#input = this.#input.subarray(rest);
    this.#skip -= rest;
    if (this.#skip > 0) return "short";
    this.#next = "frame";
    return "done";
  }

  #frame(): "done" | "short" {
    const input = this.#input;
    if (input.length < 5) return "short";
    const magic = input.readUInt32LE(0);
    if (magic >>> 4 === SKIPPABLE_MAGIC >>> 4) {
      if (input.length < 8) return "short";
      this.#skip = input.readUInt32LE(4);
      this.#input = input.subarray(8);
      this.#next = "skip";
      return "done";
    }
    if (magic !== FRAME_MAGIC) throw new Error("not a zstd frame");
    const header = frameHeaderOf(input);
    if (header === undefined) return "short";
    if (header.window > MAX_WINDOW) throw new Error(`zstd window of ${header.window} bytes is larger than ${MAX_WINDOW}`);
    this.#checksum = header.checksum;
    this.#decoder = new Decompress((piece) => {
      if (piece.length > 0) this.#full = !this.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    });
    this.#decoder.push(Uint8Array.prototype.slice.call(input, 0, header.length));
    this.#input = input.subarray(header.length);
    this.#next = "block";
    return "done";
  }

  #block(): "done" | "short" | "full" {
    const input = this.#input;
    if (input.length < 3) return "short";
    const head = input[0] | (input[1] << 8) | (input[2] << 16);
    const isLast = (head & 1) === 1;
    const size = head >>> 3;
    if (size > MAX_BLOCK) throw new Error(`zstd block of ${size} bytes`);
    const length = 3 + (((head >> 1) & 3) === 1 ? 1 : size);
    if (input.length < length) return "short";
    this.#full = false;
    // The decoder does not look at the checksum, but calls the frame complete only after its four bytes: any will do.
    const block = Buffer.alloc(isLast && this.#checksum ? length + 4 : length);
    input.copy(block, 0, 0, length);
    this.#decoder?.push(block, isLast);
    this.#input = input.subarray(length);
    if (isLast) {
      this.#decoder = undefined;
      this.#next = "checksum";
      this.#skip = this.#checksum ? 4 : 0;
    }
    return this.#full ? "full" : "done";
  }
}

/** undefined while the header is not complete. */
function frameHeaderOf(input: Buffer): { readonly length: Bytes; readonly window: Bytes; readonly checksum: boolean } | undefined {
  const flags = input[4];
  const single = (flags >> 5) & 1;
  const sizeBytes = [single, 2, 4, 8][flags >> 6];
  const dictionaryBytes = [0, 1, 2, 4][flags & 3];
  const length = 5 + (1 - single) + dictionaryBytes + sizeBytes;
  if (input.length < length) return undefined;
  const checksum = ((flags >> 2) & 1) === 1;
  if (single === 0) {
    const base = 2 ** (10 + (input[5] >> 3));
    return { length, window: base + (base / 8) * (input[5] & 7), checksum };
  }
  const at = length - sizeBytes;
  if (sizeBytes === 8) return { length, window: Number(input.readBigUInt64LE(at)), checksum };
  return { length, window: input.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0), checksum };
}
