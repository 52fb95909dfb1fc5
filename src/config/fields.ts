import { OPTIONAL_FIELDS, type SettledField, STANDARD_FIELDS } from "../kernel/settled-url.ts";
import { suggest } from "./suggest.ts";

const KNOWN: readonly SettledField[] = [...STANDARD_FIELDS, ...OPTIONAL_FIELDS];

export type FieldsReading =
  | { readonly kind: "fields"; readonly fields: readonly SettledField[] }
  | { readonly kind: "unknown"; readonly names: readonly string[]; readonly expected: string };

/** What is written when nothing is said. */
export const DEFAULT_FIELDS: readonly SettledField[] = STANDARD_FIELDS;

/**
 * Reads a choice of fields: `a,b` is exactly these in this order, `+text` adds to the standard ones. One `+` in front makes the
 * whole list an addition. Doubles are dropped.
 */
export function readFields(list: readonly string[]): FieldsReading {
  const names = list.flatMap((part) => part.split(",")).map((name) => name.trim());
  const adds = names.length > 0 && names[0].startsWith("+");
  const fields: SettledField[] = adds ? [...STANDARD_FIELDS] : [];
  const unknown: string[] = [];
  for (const name of names) {
    const bare = name.replace(/^\+/, "");
    const field = KNOWN.find((known) => known === bare);
    if (field === undefined) unknown.push(bare);
    else if (!fields.includes(field)) fields.push(field);
  }
  if (unknown.length > 0 || fields.length === 0) return { kind: "unknown", names: unknown, expected: expectedFields(unknown) };
  return { kind: "fields", fields };
}

function expectedFields(unknown: readonly string[]): string {
  const near = unknown.map((name) => suggest(name, KNOWN)).filter((name) => name !== null);
  if (near.length > 0) return `names of fields; did you mean ${near.join(", ")}?`;
  return `names of fields: ${KNOWN.join(", ")}`;
}
