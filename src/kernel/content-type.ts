/** What a `Content-Type` field says. */
export interface ContentType {
  /** `type/subtype` in lower case, or null when the field is missing or is none. */
  readonly essence: string | null;
  /** First `charset` parameter as written, not yet an encoding; null when missing or empty. */
  readonly charset: string | null;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const ESSENCE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*(?:;|,|$)`);
const NOTHING: ContentType = { essence: null, charset: null };
/** Longer values are read up to here. */
const LONGEST = 1_024;

/**
 * Reads a `Content-Type` field as the WHATWG MIME sniffing standard's "parse a MIME type" does, but that a comma ends it
 * (a field sent twice and joined). Parameters may be junk: only `charset` is looked for, in or out of quotes.
 */
export function contentType(value: string | undefined): ContentType {
  if (value === undefined) return NOTHING;
  const text = value.slice(0, LONGEST);
  const essence = ESSENCE.exec(text)?.[1]?.toLowerCase();
  if (essence === undefined) return NOTHING;
  return { essence, charset: charsetOf(text) };
}

function charsetOf(text: string): string | null {
  let at = text.indexOf(";");
  while (at >= 0) {
    const end = nextSemicolon(text, at + 1);
    const parameter = /^\s*charset=(?:"((?:[^"\\]|\\.)*)"?|([^"].*))/i.exec(text.slice(at + 1, end < 0 ? undefined : end));
    const charset = parameter?.[1]?.replace(/\\(.)/g, "$1") ?? parameter?.[2]?.trim();
    if (charset !== undefined && charset !== "") return charset;
    at = end;
  }
  return null;
}

/** Index of the next semicolon outside quotes, or -1. */
function nextSemicolon(text: string, from: number): number {
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === "\\") at++;
    else if (character === '"') quoted = !quoted;
    else if (character === ";" && !quoted) return at;
  }
  return -1;
}
