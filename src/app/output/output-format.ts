import type { SettledUrl } from "../../kernel/settled-url.ts";

export const FORMAT_NAMES = ["jsonl", "csv"] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** How rows are written as text. */
export interface OutputFormat {
  readonly name: FormatName;
  /** Written once, at the top of a new file; empty when there is none. */
  readonly header: string;
  /** One row with its line break. */
  line(row: SettledUrl): string;
}

/** By a file's ending; standard output (`-`) is JSONL. @returns null when the ending names no format. */
export function formatOfFile(path: string): FormatName | null {
  if (path === "-" || /\.jsonl$/i.test(path)) return "jsonl";
  return /\.csv$/i.test(path) ? "csv" : null;
}
