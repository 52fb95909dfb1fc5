import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EXIT } from "../../../src/cli/summary.ts";
import { CONFIG_FLAG, OPTIONS } from "../../../src/config/defaults.ts";
import { LATER } from "../../../src/config/later.ts";
import { BYTE_CAUSES } from "../../../src/kernel/byte-cause.ts";
import { ERROR_CODES } from "../../../src/kernel/errors.ts";
import { FETCH_ERRORS, OUTCOMES, SKIP_REASONS } from "../../../src/kernel/outcome.ts";
import { OPTIONAL_FIELDS, STANDARD_FIELDS } from "../../../src/kernel/settled-url.ts";
import { optionTables } from "./option-table.ts";

const doc = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

/** First column of a section's table, without its code marks. */
function firstColumn(text: string, heading: string): string[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]);
}

test("docs/options.md has every option with its default and range, as the option table has them", () => {
  expect(doc("options.md")).toContain(optionTables());
  expect(doc("options.md")).toContain(CONFIG_FLAG.env);
});

test("docs/errors.md lists exactly the codes that are thrown", () => {
  expect(firstColumn(doc("errors.md"), "Errors that end a command").sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

test("docs/errors.md lists exactly the codes of a failed fetch", () => {
  expect(firstColumn(doc("errors.md"), "Codes of a failed URL").sort()).toEqual([...FETCH_ERRORS, "http-<status>"].sort());
});

test("docs/errors.md lists exactly the reasons of a skipped URL", () => {
  expect(firstColumn(doc("errors.md"), "Reasons of a skipped URL").sort()).toEqual([...SKIP_REASONS].sort());
});

test("docs/output.md lists exactly the fields and the outcomes", () => {
  expect(firstColumn(doc("output.md"), "Fields").sort()).toEqual([...STANDARD_FIELDS, ...OPTIONAL_FIELDS].sort());
  expect(firstColumn(doc("output.md"), "Outcomes").sort()).toEqual([...OUTCOMES].sort());
});

test("docs/output.md lists exactly the causes of bytes", () => {
  expect(firstColumn(doc("output.md"), "Bytes by cause").sort()).toEqual([...BYTE_CAUSES].sort());
});

test("docs/exit-codes.md lists exactly the exit codes", () => {
  expect(firstColumn(doc("exit-codes.md"), "Codes").map(Number).sort()).toEqual(Object.values(EXIT).sort());
});

test("no two options share a name, and no option of a later step is already there", () => {
  for (const name of ["key", "flag", "env"] as const) {
    const used = OPTIONS.map((option) => option[name]).filter((value) => value !== null);
    expect(new Set(used).size).toBe(used.length);
  }
  for (const later of LATER) expect(OPTIONS.map((option) => option.key)).not.toContain(later.key);
});
