import { Duplex } from "node:stream";
import { crc32, createInflateRaw, type InflateRaw } from "node:zlib";
import type { Bytes } from "../../kernel/units.ts";
import { CutError } from "./cut-error.ts";

type Written = (error?: Error | null) => void;

/** A header this long is no page's: its optional fields have no use on the web. */
const MAX_HEADER: Bytes = 64 * 1024;
const TRAILER: Bytes = 8;
const EMPTY = Buffer.alloc(0);

/**
 * gzip with concatenated members (RFC 1952 2.2), where anything but a further member after the last is ignored, as browsers and
 * gunzip do. zlib's own stream fails on such bytes, and throws away the output it had. Checksum and length of each member are checked.
 *
 * States: header -> data -> trailer -> header of the next member, or junk, which lasts to the end.
 */
export class GunzipStream extends Duplex {
  readonly #pieceSize: Bytes;
  #state: "header" | "data" | "trailer" | "junk" = "header";
  #members = 0;
  /** Received and not yet given to the decoder. */
  #input: Buffer = EMPTY;
  #inflater: InflateRaw | undefined;
  /** Given to the decoder: the last piece, and where it ends among all that this member's decoder was given. */
  #fed: Buffer = EMPTY;
  #fedEnd: Bytes = 0;
  #crc = 0;
  #size: Bytes = 0;
  /** Of the write or the end under way; called when its bytes have been used up. */
  #written: Written | undefined;
  #isEnding = false;

  constructor(pieceSize: Bytes) {
    super();
    this.#pieceSize = pieceSize;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: Written): void {
    this.#written = callback;
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
    this.#run();
  }

  override _read(): void {
    this.#inflater?.resume();
  }

  override _final(callback: Written): void {
    this.#written = callback;
    this.#isEnding = true;
    if (this.#inflater === undefined) this.#run();
    else this.#inflater.end();
  }

  override _destroy(error: Error | null, callback: Written): void {
    this.#inflater?.destroy();
    callback(error);
  }

  #run(): void {
    if (this.#state === "trailer") this.#readTrailer();
    if (this.#state === "header") this.#readHeader();
    if (this.#state === "junk") this.#input = EMPTY;
    if (this.#state === "data" && this.#input.length > 0) this.#inflate();
    else if (this.#isEnding) this.#finish();
    else this.#settle();
  }

  #settle(error?: Error): void {
    const written = this.#written;
    this.#written = undefined;
    written?.(error);
  }

  #finish(): void {
    if (this.#inflater !== undefined) {
      this.#inflater.end();
      return;
    }
    // A second member that stops within its header is junk like any other.
    const isComplete = this.#state === "junk" || (this.#state === "header" && this.#members > 0);
    if (isComplete) this.push(null);
    this.#settle(isComplete ? undefined : new CutError("unexpected end of gzip data"));
  }

  #readHeader(): void {
    const length = headerLengthOf(this.#input);
    if (length === undefined && this.#input.length <= MAX_HEADER) return;
    if (length === undefined || length === 0) {
      if (this.#members > 0) this.#state = "junk";
      else this.destroy(new Error("incorrect header check"));
      return;
    }
    this.#input = this.#input.subarray(length);
    this.#crc = 0;
    this.#size = 0;
    this.#fedEnd = 0;
    this.#state = "data";
    const inflater = createInflateRaw({ chunkSize: this.#pieceSize });
    this.#inflater = inflater;
    inflater.on("data", (piece: Buffer) => {
      this.#crc = crc32(piece, this.#crc);
      this.#size += piece.length;
      if (!this.push(piece)) inflater.pause();
    });
    inflater.on("error", (error) => this.destroy(error));
    inflater.once("end", () => this.#endMember(inflater));
  }

  #inflate(): void {
    const piece = this.#input;
    this.#input = EMPTY;
    this.#fed = piece;
    this.#fedEnd += piece.length;
    // Not called when the member ends within the piece: then `end` comes instead.
    this.#inflater?.write(piece, () => {
      if (this.#inflater !== undefined) this.#settle();
    });
  }

  #endMember(inflater: InflateRaw): void {
    const left = this.#fedEnd - inflater.bytesWritten;
    this.#input = Buffer.concat([this.#fed.subarray(Math.max(0, this.#fed.length - left)), this.#input]);
    this.#fed = EMPTY;
    this.#inflater = undefined;
    inflater.destroy();
    this.#members += 1;
    this.#state = "trailer";
    this.#run();
  }

  #readTrailer(): void {
    if (this.#input.length < TRAILER) return;
    const isRight = this.#input.readUInt32LE(0) === this.#crc && this.#input.readUInt32LE(4) === this.#size % 2 ** 32;
    if (!isRight) {
      this.destroy(new Error("incorrect data check"));
      return;
    }
    this.#input = this.#input.subarray(TRAILER);
    this.#state = "header";
  }
}

/** Length of a member's header (RFC 1952 2.3); undefined while it is not complete, 0 when there is none. */
function headerLengthOf(input: Buffer): Bytes | undefined {
  for (const [i, byte] of [0x1f, 0x8b, 8].entries()) {
    if (i < input.length && input[i] !== byte) return 0;
  }
  if (input.length < 10) return undefined;
  const flags = input[3];
  let at = 10;
  if (flags & 4) {
    if (input.length < at + 2) return undefined;
    at += 2 + input.readUInt16LE(at);
  }
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = input.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if (flags & 2) at += 2;
  return input.length < at ? undefined : at;
}
