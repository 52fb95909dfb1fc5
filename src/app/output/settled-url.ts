import { decodeIds } from "../../kernel/id-list.ts";
import type { OptionalField, SettledUrl } from "../../kernel/settled-url.ts";
import type { UrlId } from "../../kernel/units.ts";
import type { SettledRow, StoredPage } from "../../ports/store.ts";

/** Page type where the configuration names none. */
const UNTYPED = "page";

export interface SettledUrlOptions {
  /** Optional fields to add; one that is not at hand is null. */
  readonly optional: readonly OptionalField[];
  /**
   * `visit`: what this visit brought, so that a failure shows no earlier copy's title. `kept`: the good copy the store holds,
   * whatever the last visit ended as.
   */
  readonly page: "visit" | "kept";
}

/** Outcomes after which the kept page is what the visit saw. */
const SAW_THE_PAGE: readonly string[] = ["new", "changed", "unchanged", "duplicate", "skipped"];

/**
 * Spells a settled row out for a consumer.
 * @param urlTexts gives the texts of ids in the order asked; called once for a row's links and once for its duplicate.
 */
export function toSettledUrl(
  row: SettledRow,
  urlTexts: (ids: readonly UrlId[]) => readonly string[],
  options: SettledUrlOptions,
): SettledUrl {
  const page = options.page === "kept" || SAW_THE_PAGE.includes(row.outcome) ? row.page : null;
  const settled: SettledUrl = {
    seq: row.seq,
    url: row.url,
    finalUrl: row.finalUrl ?? (row.status === null ? null : row.url),
    redirects: row.redirects,
    outcome: row.outcome,
    status: row.status,
    fetchedAt: row.at === 0 ? null : new Date(row.at).toISOString(),
    ms: row.ms === null ? null : Math.round(row.ms),
    bytesWire: row.bytesWire,
    bytesBody: row.bytesBody,
    provider: row.provider,
    attempts: row.attempts,
    depth: row.depth,
    via: row.via,
    ...pageFields(page, urlTexts),
    changed: row.changed,
    error: row.code === null ? null : { code: row.code, message: row.message ?? row.code },
    duplicateOf: row.duplicateOf === null ? null : (urlTexts([row.duplicateOf])[0] ?? null),
  };
  return options.optional.length === 0 ? settled : { ...settled, ...optionalFields(row.extra, options.optional) };
}

type PageFields = Pick<
  SettledUrl,
  "contentType" | "charset" | "title" | "canonical" | "robots" | "type" | "record" | "recordHash" | "links" | "marks"
>;

function pageFields(page: StoredPage | null, urlTexts: (ids: readonly UrlId[]) => readonly string[]): PageFields {
  if (page === null) {
    return {
      contentType: null,
      charset: null,
      title: null,
      canonical: null,
      robots: null,
      type: null,
      record: null,
      recordHash: null,
      links: [],
      marks: [],
    };
  }
  return {
    contentType: page.contentType,
    charset: page.charset,
    title: page.title,
    canonical: page.canonical,
    robots: { index: page.index, follow: page.follow },
    type: UNTYPED,
    record: null,
    recordHash: null,
    links: page.links.length === 0 ? [] : urlTexts(decodeIds(page.links)),
    marks: page.marks,
  };
}

type Extra = { text?: string; headers?: readonly (readonly [string, string])[]; html?: string };

/** `extra` is JSON that weir itself wrote: `{text?, headers?, html?}`. */
function optionalFields(extra: string | null, wanted: readonly OptionalField[]): Pick<SettledUrl, OptionalField> {
  const had: Extra = extra === null ? {} : JSON.parse(extra);
  return {
    ...(wanted.includes("text") ? { text: had.text ?? null } : {}),
    ...(wanted.includes("headers") ? { headers: had.headers ?? null } : {}),
    ...(wanted.includes("html") ? { html: had.html ?? null } : {}),
  };
}
