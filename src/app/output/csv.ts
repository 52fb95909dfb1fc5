import type { SettledField, SettledUrl } from "../../kernel/settled-url.ts";
import type { OutputFormat } from "./output-format.ts";

/**
 * RFC 4180 with a header: lines end in CRLF, a cell with a quote, comma, line break or blank at an end is quoted. Nested values
 * are JSON. Absent values are empty cells.
 */
export function csvFormat(fields: readonly SettledField[]): OutputFormat {
  return {
    name: "csv",
    header: `${fields.join(",")}\r\n`,
    line: (row: SettledUrl) => `${fields.map((field) => cell(row[field])).join(",")}\r\n`,
  };
}

/**
 * Spreadsheets run a cell that begins like a formula; page text is a stranger's. A leading quote makes it text (spec D8).
 * Numbers are weir's own and stay as they are.
 */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
