import type { Writable } from "node:stream";
import { ConfigError } from "../kernel/errors.ts";
import type { SettledField, SettledUrl } from "../kernel/settled-url.ts";
import type { SettledRow, Store } from "../ports/store.ts";
import { type ExportWhat, exportRows } from "./export.ts";
import { openStoreForReading } from "./open-store.ts";
import { optionalAmong } from "./output/fields.ts";
import { KeptExtra } from "./output/kept-extra.ts";
import { openExportSink } from "./output/open-sink.ts";
import type { FormatName } from "./output/output-format.ts";

export interface StoreExport {
  readonly store: string;
  readonly what: ExportWhat;
  /** Path, or `-`. */
  readonly output: string;
  readonly format: FormatName;
  readonly fields: readonly SettledField[];
  /** Folder of kept bodies, for the optional fields. */
  readonly bodies?: string;
}

/** Rows handed to the sink at once. */
const BATCH = 100;

/**
 * Writes what a store holds to a file or to stdout.
 * @returns rows written.
 * @throws WeirError, for example when the store can't be read or the output is closed.
 */
export async function runStoreExport(options: StoreExport, stdout: Writable, signal: AbortSignal): Promise<number> {
  const optional = optionalAmong(options.fields);
  if (optional.length > 0 && options.bodies === undefined) {
    const problem = {
      path: "--fields",
      got: optional.join(","),
      expected: "fields that the store keeps; these need kept bodies: name their folder with --save-bodies",
    };
    throw new ConfigError("WEIR_USAGE", "These fields are not kept in the store", [problem]);
  }
  const store = await openStoreForReading(options.store);
  try {
    return await copyRows(store, options, stdout, signal);
  } finally {
    await store.close();
  }
}

async function copyRows(store: Store, options: StoreExport, stdout: Writable, signal: AbortSignal): Promise<number> {
  const sink = await openExportSink({ ...options, stdout });
  let rows = 0;
  let batch: SettledUrl[] = [];
  try {
    const kept = options.bodies === undefined ? null : new KeptExtra(options.bodies);
    const source = kept === null ? {} : { extraOf: (row: SettledRow) => kept.of(row) };
    for await (const row of exportRows(store, { what: options.what, fields: options.fields, ...source }, signal)) {
      batch.push(row);
      rows++;
      if (batch.length === BATCH) {
        await sink.write(batch);
        batch = [];
      }
    }
    await sink.write(batch);
  } finally {
    await sink.close();
  }
  return rows;
}
