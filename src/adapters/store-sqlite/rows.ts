import { OUTCOMES, type Outcome, SKIP_REASONS, type SkipReason, VIAS, type Via } from "../../kernel/outcome.ts";
import type { Hop, SettledRow, StoredPage } from "../../ports/store.ts";
import type { Cell, Row } from "./database.ts";

// Words of closed lists are stored as their position: one byte instead of up to fifteen, in every row.

const outcomeCodes = new Map(OUTCOMES.map((word, position) => [word, position]));
const skipCodes = new Map(SKIP_REASONS.map((word, position) => [word, position]));
const viaCodes = new Map(VIAS.map((word, position) => [word, position]));

export const outcomeCode = (outcome: Outcome): number => position(outcomeCodes, outcome);
export const viaCode = (via: Via): number => position(viaCodes, via);
export const skipCode = (skip: SkipReason | null): number | null => (skip === null ? null : position(skipCodes, skip));

export const outcomeOf = (cell: Cell): Outcome | null => (cell === null ? null : OUTCOMES[Number(cell)]);
export const skipOf = (cell: Cell): SkipReason | null => (cell === null ? null : SKIP_REASONS[Number(cell)]);
export const viaOf = (cell: Cell): Via => VIAS[Number(cell)];

function position<T>(codes: ReadonlyMap<T, number>, word: T): number {
  const code = codes.get(word);
  if (code === undefined) throw new TypeError(`"${word}" is not in the list that the store numbers its words by`);
  return code;
}

export const textOf = (cell: Cell): string | null => (cell === null ? null : String(cell));
export const numberOf = (cell: Cell): number | null => (cell === null ? null : Number(cell));

/** A plain Uint8Array over its own memory, whatever the binding returned. */
export const bytesOf = (cell: Cell): Uint8Array | null => (cell instanceof Uint8Array ? Uint8Array.from(cell) : null);

export const listText = (list: readonly unknown[]): string | null => (list.length === 0 ? null : JSON.stringify(list));

/** Bindings cut a text at its first NUL when they read it; free text from pages and sockets may hold one. */
export const freeText = (text: string | null): string | null => (text?.includes("\0") ? text.replaceAll("\0", "\ufffd") : text);

function listOf<T>(cell: Cell): readonly T[] {
  return cell === null ? [] : (JSON.parse(String(cell)) as T[]);
}

const INDEX = 1;
const FOLLOW = 2;
export const flagsOf = (page: StoredPage): number => (page.index ? INDEX : 0) | (page.follow ? FOLLOW : 0);

/** Columns of the good copy, in the order that `pageCells` gives and `pageOf` takes. */
export const PAGE_COLUMNS = [
  "text_hash_version",
  "text_hash",
  "flags",
  "content_type",
  "charset",
  "title",
  "canonical",
  "etag",
  "last_modified",
  "marks",
  "body_hash",
  "links",
] as const;

/** Decodes the good copy out of a row whose page columns begin at `from`; null when the URL has none. */
export function pageOf(row: Row, from: number): StoredPage | null {
  const flags = row[from + 2];
  if (flags === null) return null;
  return {
    contentType: textOf(row[from + 3]),
    charset: textOf(row[from + 4]),
    title: textOf(row[from + 5]),
    canonical: textOf(row[from + 6]),
    index: (Number(flags) & INDEX) !== 0,
    follow: (Number(flags) & FOLLOW) !== 0,
    links: bytesOf(row[from + 11]) ?? new Uint8Array(0),
    marks: listOf<string>(row[from + 9]),
    textHash: bytesOf(row[from + 1]) ?? new Uint8Array(0),
    textHashVersion: Number(row[from]),
    etag: textOf(row[from + 7]),
    lastModified: textOf(row[from + 8]),
    bodyHash: textOf(row[from + 10]),
  };
}

/** Selected for each settled row; `u`, `v`, `p`, `x` are url, visit, page and extra. `settledOf` decodes it. */
export const SETTLED_COLUMNS = `v.seq, u.id, v.pass, v.outcome, v.code, v.message, v.status, v.at, v.ms, v.bytes_wire, v.bytes_body, v.provider,
  v.attempts, v.final_url, v.redirects, v.duplicate_of, v.changed, x.json, u.url, u.depth, u.via, u.skip,
  ${PAGE_COLUMNS.map((column) => `p.${column}`).join(", ")}`;

const FIRST_PAGE_COLUMN = 22;
const SKIP_COLUMN = 21;

/** A URL without a visit (skipped when it was discovered) has seq, pass and at 0. */
export function settledOf(row: Row): SettledRow {
  const outcome = outcomeOf(row[3]) ?? "skipped";
  return {
    seq: Number(row[0] ?? 0),
    id: Number(row[1]),
    pass: Number(row[2] ?? 0),
    outcome,
    code: row[3] === null ? skipOf(row[SKIP_COLUMN]) : textOf(row[4]),
    message: textOf(row[5]),
    status: numberOf(row[6]),
    at: Number(row[7] ?? 0),
    ms: numberOf(row[8]),
    bytesWire: Number(row[9] ?? 0),
    bytesBody: Number(row[10] ?? 0),
    provider: textOf(row[11]),
    attempts: Number(row[12] ?? 0),
    finalUrl: textOf(row[13]),
    redirects: listOf<Hop>(row[14]),
    duplicateOf: numberOf(row[15]),
    changed: row[16] === null ? null : row[16] !== 0,
    extra: textOf(row[17]),
    url: String(row[18]),
    depth: Number(row[19]),
    via: viaOf(row[20]),
    page: pageOf(row, FIRST_PAGE_COLUMN),
  };
}

/** The same row as `current("skipped")` shows it: a standing skip outranks what an earlier visit found. */
export function skippedOf(row: Row): SettledRow {
  const skip = skipOf(row[SKIP_COLUMN]);
  const settled = settledOf(row);
  return skip === null ? settled : { ...settled, outcome: "skipped", code: skip };
}
