import type { Writable } from "node:stream";
import { FileSink } from "../../adapters/sink-file/file-sink.ts";
import { StreamSink } from "../../adapters/sink-file/stream-sink.ts";
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

function open(target: Target, format: OutputFormat, resume: OpenSinkOptions["resume"]): Sink | Promise<Sink> {
  return target.output === "-" ? new StreamSink(target.stdout, format) : FileSink.open({ path: target.output, format, resume });
}
