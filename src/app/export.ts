import type { SettledField, SettledUrl } from "../kernel/settled-url.ts";
import type { UrlId } from "../kernel/units.ts";
import type { SettledRow, Store } from "../ports/store.ts";
import { optionalAmong } from "./output/fields.ts";
import { toSettledUrl } from "./output/settled-url.ts";

export const EXPORTS = ["pages", "records", "skipped", "failed"] as const;
export type ExportWhat = (typeof EXPORTS)[number];

/** Rows read at once: about 1 MB with the links of usual pages. */
const BATCH = 500;

export interface ExportOptions {
  readonly what: ExportWhat;
  readonly fields: readonly SettledField[];
  /** Gives the optional fields of a row as JSON, from kept bodies; left out when none are kept. */
  extraOf?(row: SettledRow): Promise<string | null>;
}

/**
 * What the store holds, in order of discovery, one batch of memory at a time. The reader's pace is the pace: nothing is read
 * ahead. While a crawl writes, each batch is as the store is at that moment.
 */
export async function* exportRows(
  store: Pick<Store, "current" | "urlTexts">,
  options: ExportOptions,
  signal: AbortSignal,
): AsyncGenerator<SettledUrl> {
  const what = options.what === "records" ? "pages" : options.what;
  let after: UrlId = -1;
  while (!signal.aborted) {
    const rows = await store.current(what, after, BATCH);
    for (const row of rows) {
      const settled = await spell(store, row, options);
      if (options.what !== "records" || settled.record !== null) yield settled;
    }
    if (rows.length < BATCH) return;
    after = rows[rows.length - 1].id;
  }
}

async function spell(store: Pick<Store, "urlTexts">, row: SettledRow, options: ExportOptions): Promise<SettledUrl> {
  const optional = optionalAmong(options.fields);
  const extra = optional.length > 0 && options.extraOf !== undefined ? await options.extraOf(row) : row.extra;
  const page = options.what === "pages" || options.what === "records" ? "kept" : "visit";
  return toSettledUrl({ ...row, extra }, (ids) => store.urlTexts(ids), { optional, page });
}
