import { open as openFile, stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import { FileSink } from "../../adapters/sink-file/file-sink.ts";
import { outputFailed } from "../../adapters/sink-file/output-failed.ts";
import { StreamSink } from "../../adapters/sink-file/stream-sink.ts";
import { ConfigError } from "../../kernel/errors.ts";
import type { SettledField } from "../../kernel/settled-url.ts";
import type { Seq } from "../../kernel/units.ts";
import type { Sink } from "../../ports/sink.ts";
import { csvFormat } from "./csv.ts";
import { fileFields } from "./fields.ts";
import { jsonlFormat } from "./jsonl.ts";
import { type FormatName, formatOfFile, type OutputFormat } from "./output-format.ts";

/** What is opened, whatever it is for. */
interface Target {
  /** Path, or `-`. */
  readonly output: string;
  readonly fields: readonly SettledField[];
  readonly stdout: Writable;
  /** Path of the store, which is no output. */
  readonly store: string;
}

export interface OpenSinkOptions extends Target {
  /** null for a new pass; else the first `seq` of the resumed pass and the last one in the store. */
  readonly resume: { readonly first: Seq; readonly last: Seq } | null;
}

/** Opens what a crawl's `-o` names; the format is that of the ending. @throws WeirError `WEIR_OUTPUT_FAILED`. */
export async function openSink(options: OpenSinkOptions): Promise<Sink> {
  return open(options, formatOf(formatOfFile(options.output) ?? "jsonl", fileFields(options.fields)), options.resume);
}

/** Opens what `weir export` writes to: exactly the fields asked for, always from the beginning. */
export async function openExportSink(options: Target & { readonly format: FormatName }): Promise<Sink> {
  return open(options, formatOf(options.format, options.fields), null);
}

function formatOf(name: FormatName, fields: readonly SettledField[]): OutputFormat {
  return name === "csv" ? csvFormat(fields) : jsonlFormat(fields);
}

async function open(target: Target, format: OutputFormat, resume: OpenSinkOptions["resume"]): Promise<Sink> {
  const { output, store, stdout } = target;
  if (output === "-") return new StreamSink(stdout, format);
  await refuseStore(output, store);
  return FileSink.open({ path: output, format, resume });
}

/** Tries whether an output can be opened, and leaves what it holds. @throws WeirError */
export async function tryOutput(output: string, store: string): Promise<void> {
  if (output === "-") return;
  await refuseStore(output, store);
  const found = await stat(output).catch(() => null);
  if (found !== null && !found.isFile()) return; // opening a named pipe would take its reader away
  try {
    await (await openFile(output, "a")).close();
  } catch (error) {
    throw outputFailed(output, error);
  }
}

async function refuseStore(output: string, store: string): Promise<void> {
  if (await isSameFile(output, store)) {
    const problem = { path: "--output", got: output, expected: "another file than the store" };
    throw new ConfigError("WEIR_USAGE", "The output would be written over the store", [problem]);
  }
}

/** Under whatever name, links included. */
async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([a, b].map((path) => stat(path).catch(() => null)));
  return one !== null && other !== null && one.ino === other.ino && one.dev === other.dev;
}
