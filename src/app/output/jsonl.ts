import type { SettledField, SettledUrl } from "../../kernel/settled-url.ts";
import { chooseFields } from "./fields.ts";
import type { OutputFormat } from "./output-format.ts";

/** One JSON object a line. JSON escapes line breaks, so a line is always a whole record. */
export function jsonlFormat(fields: readonly SettledField[]): OutputFormat {
  return {
    name: "jsonl",
    header: "",
    line: (row: SettledUrl) => `${JSON.stringify(chooseFields(row, fields))}\n`,
  };
}
