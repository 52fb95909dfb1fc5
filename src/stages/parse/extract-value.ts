import { canonicalUrl } from "../../kernel/canonical-url.ts";
import { httpDate } from "../../kernel/http-date.ts";
import type { FieldKind } from "../../kernel/page-rule.ts";
import type { EpochMillis } from "../../kernel/units.ts";
import { w3cDate } from "../../kernel/w3c-date.ts";

const TRUE = new Set(["true", "yes", "1", "on"]);
const FALSE = new Set(["false", "no", "0", "off", ""]);
const INSTOCK = /^https?:\/\/schema\.org\/(?:InStock|OnlineOnly|LimitedAvailability)$/i;

/** Blanks of any kind between words become one; none stands at the ends: a template's indentation is no change. */
export const plainText = (text: string): string => text.replace(/\s+/gu, " ").trim();

/**
 * Reads what was found as the field wants it. @param base for relative URLs. @returns null where it is nothing of that kind.
 */
export function fieldValue(found: unknown, kind: FieldKind | null, base: string, now: EpochMillis): unknown {
  const text = textOf(found);
  switch (kind) {
    case null:
      return typeof found === "string" ? text : found;
    case "text":
      return text;
    case "number":
      return numberOf(found, text);
    case "integer": {
      const number = numberOf(found, text);
      return number === null ? null : Math.trunc(number);
    }
    case "boolean":
      return typeof found === "boolean" ? found : booleanIn(text);
    case "url":
      return text === "" ? null : canonicalUrl(text, base);
    case "date": {
      const at = w3cDate(text) ?? httpDate(text, now);
      return at === null ? null : new Date(at).toISOString();
    }
    default:
      return kind satisfies never;
  }
}

const numberOf = (found: unknown, text: string): number | null => (typeof found === "number" ? found : numberIn(text));

function textOf(found: unknown): string {
  if (typeof found === "string") return plainText(found);
  return typeof found === "number" || typeof found === "boolean" ? String(found) : "";
}

/**
 * The first number in a text. The last of `.` and `,` is the decimal sign when both stand there; a comma alone is one unless
 * exactly three digits follow (`1,299`); a sign that comes twice groups thousands; a point alone is always the decimal sign.
 */
export function numberIn(text: string): number | null {
  const [found] = /[-−]?\d(?:[\d.,'’\u00a0\u202f ]*\d)?/u.exec(text) ?? [];
  if (found === undefined) return null;
  const digits = found.replace("−", "-").replace(/['’\u00a0\u202f ]/gu, "");
  const [points, commas] = [digits.split(".").length - 1, digits.split(",").length - 1];
  let plain = digits;
  if (points > 0 && commas > 0) {
    const decimal = digits.lastIndexOf(".") > digits.lastIndexOf(",") ? "." : ",";
    plain = digits.replaceAll(decimal === "." ? "," : ".", "").replace(",", ".");
  } else if (points > 1) plain = digits.replaceAll(".", "");
  else if (commas > 1 || /,\d{3}$/.test(digits)) plain = digits.replaceAll(",", "");
  else plain = digits.replace(",", ".");
  const number = Number(plain);
  return Number.isFinite(number) ? number : null;
}

/** Words that pages use in attributes, and schema.org's availability. */
function booleanIn(text: string): boolean | null {
  const word = text.toLowerCase();
  if (TRUE.has(word) || INSTOCK.test(text)) return true;
  if (FALSE.has(word) || /^https?:\/\/schema\.org\//i.test(text)) return false;
  return null;
}
