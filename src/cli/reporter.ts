import { createLogUpdate } from "log-update";
import { printable } from "./format.ts";

export interface ReporterOptions {
  readonly stderr: NodeJS.WriteStream;
  readonly logFormat: "text" | "json";
  /** NO_COLOR is set (to anything but nothing). */
  readonly plain: boolean;
}

const YELLOW = "\u001b[33m";
const PLAIN = "\u001b[39m";

/** The one writer of stderr while a crawl runs: warnings and the live line do not tear each other. */
export class Reporter {
  /** Whether the live line is rewritten in place. */
  readonly terminal: boolean;
  readonly #options: ReporterOptions;
  readonly #update: ReturnType<typeof createLogUpdate> | null;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.terminal = options.stderr.isTTY === true && options.logFormat === "text";
    this.#update = this.terminal ? createLogUpdate(options.stderr) : null;
    // A stderr that is closed must not end a crawl.
    options.stderr.on("error", () => undefined);
  }

  warn(message: string): void {
    const mark = this.terminal && !this.#options.plain ? `${YELLOW}warning:${PLAIN}` : "warning:";
    this.#line(this.#isJson() ? JSON.stringify({ level: "warning", message }) : `${mark} ${printable(message)}`);
  }

  note(message: string): void {
    this.#line(this.#isJson() ? JSON.stringify({ level: "info", message }) : printable(message));
  }

  /** @param data what the line says, for `--log-format json`. */
  live(text: string, data: () => unknown): void {
    if (this.#isJson()) this.#line(JSON.stringify({ level: "info", status: data() }));
    else if (this.#update === null) this.#line(printable(text));
    else this.#update(printable(text));
  }

  clearLive(): void {
    this.#update?.clear();
  }

  #isJson(): boolean {
    return this.#options.logFormat === "json";
  }

  #line(text: string): void {
    this.#update?.clear();
    this.#options.stderr.write(`${text}\n`);
  }
}
