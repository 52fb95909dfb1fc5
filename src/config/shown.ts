import { STANDARD_FIELDS } from "../kernel/settled-url.ts";
import type { OptionKind } from "./schema.ts";
import { formatDuration, formatSize } from "./units.ts";

/** A value that came from a user, for "got" in a problem: short, on one line, and quoted when it is text. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  let text: string;
  try {
    text = typeof value === "function" ? "a function" : (JSON.stringify(value) ?? String(value));
  } catch {
    text = String(value);
  }
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

/** A settled value as `weir config` prints it: as the user would write it. Header values are never shown. */
export function shownSetting(type: OptionKind, value: unknown): string {
  if (value === undefined) return "";
  if (type.kind === "duration" && typeof value === "number") return formatDuration(value);
  if (type.kind === "size" && typeof value === "number") return formatSize(value);
  if (type.kind === "headers" && Array.isArray(value)) return value.map(([name]) => `${name}: (hidden)`).join(", ");
  if (type.kind === "fields" && Array.isArray(value) && value.join() === STANDARD_FIELDS.join()) return "the standard ones";
  if (type.kind === "proxy") return `${new URL(String(value)).protocol}//${new URL(String(value)).host}`;
  if (type.kind === "providers") return providersShown(value);
  if (type.kind === "overrides") return overridesShown(value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return value.join(", ");
  return String(value);
}

/** Names and kinds: what is in them may be secret. */
function providersShown(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([name, { kind }]) => `${name}: ${kind} (hidden)`)
    .join("; ");
}

function overridesShown(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([host, limits]) => {
      const parts: string[] = [];
      if (limits.ceiling !== undefined) parts.push(`ceiling ${limits.ceiling}`);
      if (limits.delay !== undefined) parts.push(`delay ${formatDuration(limits.delay)}`);
      if (limits.http2 !== undefined) parts.push(`http2 ${limits.http2}`);
      if (limits.provider !== undefined) parts.push(`provider ${limits.provider}`);
      return `${host}: ${parts.join(", ")}`;
    })
    .join("; ");
}
