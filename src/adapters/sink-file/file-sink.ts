import { type FileHandle, open } from "node:fs/promises";
import { WeirError } from "../../kernel/errors.ts";
import type { SettledUrl } from "../../kernel/settled-url.ts";
import type { Bytes, Seq } from "../../kernel/units.ts";
import type { Sink } from "../../ports/sink.ts";
import { type FileEnd, findEnd } from "./file-end.ts";
import { outputFailed } from "./output-failed.ts";

export interface FileSinkOptions {
  readonly path: string;
  /** How rows become text. */
  readonly format: { readonly name: "jsonl" | "csv"; readonly header: string; line(row: SettledUrl): string };
  /**
   * Set when a pass is resumed: the first `seq` of the pass and the last one the store holds. The file is continued only if its
   * rows begin with that first one and end within the pass; else it is written anew from the beginning of the pass.
   */
  readonly resume: { readonly first: Seq; readonly last: Seq } | null;
}

/**
 * Writes settled URLs to the file named by `-o`. The file always holds its whole pass: a new pass overwrites it, a resumed one
 * is continued behind its last complete row (a half row of a crash is cut off). Rows of a file to be resumed begin with `seq`.
 *
 * A resolved `write` means the operating system has the rows; the disk has them after `close`. After a power failure the file
 * may therefore end early, and the next run continues it from where it ends. A failed write leaves the file as it was.
 */
export class FileSink implements Sink {
  readonly lastSeq: Seq;
  readonly #options: FileSinkOptions;
  readonly #file: FileHandle;
  /** Length of the complete rows; null for what can't be positioned (a named pipe). */
  #size: Bytes | null;

  private constructor(options: FileSinkOptions, file: FileHandle, size: Bytes | null, lastSeq: Seq) {
    this.#options = options;
    this.#file = file;
    this.#size = size;
    this.lastSeq = lastSeq;
  }

  /** @throws WeirError `WEIR_OUTPUT_FAILED`. */
  static async open(options: FileSinkOptions): Promise<FileSink> {
    try {
      const file = await open(options.path, "r+").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return open(options.path, "w+");
        throw error;
      });
      const sink = await FileSink.#prepare(options, file).catch(async (error: unknown) => {
        await file.close();
        throw error;
      });
      return sink;
    } catch (error) {
      throw error instanceof WeirError ? error : outputFailed(options.path, error);
    }
  }

  static async #prepare(options: FileSinkOptions, file: FileHandle): Promise<FileSink> {
    const isFile = (await file.stat()).isFile();
    const end = isFile && options.resume !== null ? await findEnd(file, options.format) : null;
    if (end !== null && options.resume !== null && continues(end, options.resume)) {
      await file.truncate(end.size);
      return new FileSink(options, file, end.size, end.lastSeq);
    }
    if (isFile) await file.truncate(0);
    const sink = new FileSink(options, file, isFile ? 0 : null, 0);
    await sink.#append(options.format.header);
    return sink;
  }

  async write(rows: readonly SettledUrl[]): Promise<void> {
    // What a resumed file holds already is not written twice, wherever the caller begins.
    const fresh = this.#options.resume === null ? rows : rows.filter((row) => row.seq > this.lastSeq);
    let text = "";
    for (const row of fresh) text += this.#options.format.line(row);
    try {
      await this.#append(text);
    } catch (error) {
      throw outputFailed(this.#options.path, error);
    }
  }

  /** Writes all of it or nothing: what a full disk took of it is cut off again. */
  async #append(text: string): Promise<void> {
    if (text === "") return;
    const bytes = Buffer.from(text, "utf8");
    const from = this.#size;
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, from === null ? null : from + done);
        done += bytesWritten;
      }
      if (from !== null) this.#size = from + bytes.length;
    } catch (error) {
      // Cutting a file shorter needs no room; if even that fails, the next run cuts the half row off.
      if (from !== null) await this.#file.truncate(from).catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    try {
      if (this.#size !== null) await this.#file.datasync();
    } catch (error) {
      throw outputFailed(this.#options.path, error);
    } finally {
      await this.#file.close();
    }
  }
}

/** Rows of another pass, or of another store, must not be mixed with this one's. */
function continues(end: FileEnd, pass: { readonly first: Seq; readonly last: Seq }): boolean {
  if (end.lastSeq === 0) return true;
  return end.firstSeq === pass.first && end.lastSeq >= pass.first && end.lastSeq <= pass.last;
}
