import { OPTIONAL_FIELDS, type OptionalField, type SettledField, type SettledUrl, STANDARD_FIELDS } from "../../kernel/settled-url.ts";

/** A row cut down to the fields that were asked for, in their order. */
export type ChosenRow = Readonly<Record<string, unknown>>;

/** The optional fields among a choice: what the engine must keep for delivery. */
export function optionalAmong(fields: readonly SettledField[]): readonly OptionalField[] {
  return OPTIONAL_FIELDS.filter((field) => fields.includes(field));
}

/**
 * Fields as a file holds them: `seq` first even when it was not asked for, because a file is continued behind its last `seq`
 * after a crash.
 */
export function fileFields(fields: readonly SettledField[]): readonly SettledField[] {
  return ["seq", ...fields.filter((field) => field !== "seq")];
}

/** @returns the row itself when the choice is the standard one: it has these fields and `seq` first. */
export function chooseFields(row: SettledUrl, fields: readonly SettledField[]): ChosenRow {
  if (
    fields.length === STANDARD_FIELDS.length &&
    STANDARD_FIELDS.every((field, i) => fields[i] === field) &&
    !("text" in row || "headers" in row || "html" in row)
  ) {
    return row as unknown as ChosenRow;
  }
  return Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
}
