import type { FileHandle } from "node:fs/promises";
import type { Bytes, Seq } from "../../kernel/units.ts";

/** Where the complete rows of an output file end, and what they are. */
export interface FileEnd {
  readonly size: Bytes;
  /** Both 0 when there is no complete row. */
  readonly firstSeq: Seq;
  readonly lastSeq: Seq;
}

const CHUNK: Bytes = 256 * 1024;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
/** `seq` stands first in a row, so that this much of it is enough. */
const ROW_START: Bytes = 64;

/**
 * Reads an output file through once to find its last complete row. In CSV a line break inside quotes ends no row.
 * The whole file is read because a quoted cell can't be told from its end; memory stays at one chunk.
 * @returns null when the file is not one that weir wrote in this format with these fields.
 */
export async function findEnd(
  file: FileHandle,
  format: { readonly name: "jsonl" | "csv"; readonly header: string },
): Promise<FileEnd | null> {
  const header = Buffer.from(format.header, "utf8");
  const rows = new RowFinder(format.name === "csv");
  const chunk = Buffer.alloc(CHUNK);
  let at: Bytes = 0;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, at);
    if (bytesRead === 0) break;
    if (at === 0 && bytesRead < header.length) return null;
    if (at === 0 && !chunk.subarray(0, header.length).equals(header)) return null;
    rows.take(chunk.subarray(at === 0 ? header.length : 0, bytesRead));
    at += bytesRead;
  }
  if (at === 0 || rows.count === 0) return at === 0 ? null : { size: header.length, firstSeq: 0, lastSeq: 0 };
  const [firstSeq, lastSeq] = [seqOf(rows.first), seqOf(rows.last)];
  if (firstSeq === null || lastSeq === null) return null;
  return { size: header.length + rows.end, firstSeq, lastSeq };
}

/** Follows rows through chunks, keeping the beginnings of the first and of the last complete one. */
class RowFinder {
  count = 0;
  /** Bytes up to the end of the last complete row. */
  end: Bytes = 0;
  first = "";
  last = "";
  readonly #quoting: boolean;
  #quoted = false;
  #at: Bytes = 0;
  #start: number[] = [];

  constructor(quoting: boolean) {
    this.#quoting = quoting;
  }

  take(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      this.#at++;
      if (this.#quoting && byte === QUOTE) this.#quoted = !this.#quoted;
      if (byte === LINE_FEED && !this.#quoted) this.#endRow();
      else if (this.#start.length < ROW_START) this.#start.push(byte);
    }
  }

  #endRow(): void {
    this.last = String.fromCharCode(...this.#start);
    if (this.count === 0) this.first = this.last;
    this.count++;
    this.end = this.#at;
    this.#start = [];
  }
}

function seqOf(rowStart: string): Seq | null {
  const match = /^(?:\{"seq":)?(\d{1,15})(?:[,}\r]|$)/.exec(rowStart);
  return match === null ? null : Number(match[1]);
}
