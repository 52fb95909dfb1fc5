import type { Writable } from "node:stream";
import type { SettledUrl } from "../../kernel/settled-url.ts";
import type { Sink } from "../../ports/sink.ts";
import { outputFailed } from "./output-failed.ts";

/**
 * Writes settled URLs to standard output (`-o -`). It can't be read back, so the store's cursor says what was taken. Waits for
 * the reader of the pipe: that is the back-pressure.
 */
export class StreamSink implements Sink {
  readonly lastSeq = null;
  readonly #stream: Writable;
  readonly #format: { readonly header: string; line(row: SettledUrl): string };
  #headed = false;
  #broken: Error | null = null;
  readonly #onError = (error: Error): void => {
    this.#broken ??= error;
  };

  constructor(stream: Writable, format: { readonly header: string; line(row: SettledUrl): string }) {
    this.#stream = stream;
    this.#format = format;
    // Without a listener a closed pipe would end the process in the middle of everything.
    stream.on("error", this.#onError);
  }

  async write(rows: readonly SettledUrl[]): Promise<void> {
    if (rows.length === 0) return;
    let text = this.#header();
    for (const row of rows) text += this.#format.line(row);
    await this.#write(text);
  }

  /** The first time only. */
  #header(): string {
    if (this.#headed) return "";
    this.#headed = true;
    return this.#format.header;
  }

  async #write(text: string): Promise<void> {
    const error = this.#broken ?? (await this.#send(text));
    if (error !== null) throw outputFailed("-", error);
  }

  /** Resolves when the text has been handed to the operating system, or with what went wrong. */
  #send(text: string): Promise<Error | null> {
    return new Promise((resolve) => {
      this.#stream.write(text, "utf8", (error) => resolve(error ?? null));
    });
  }

  async close(): Promise<void> {
    // A table without rows still has its header.
    const header = this.#header();
    if (header !== "" && this.#broken === null) await this.#write(header);
    // The error listener stays: a closed pipe may be noticed only after the last write. The stream belongs to the process.
  }
}
