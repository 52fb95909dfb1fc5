/** What a `Content-Disposition` field says. */
export interface ContentDisposition {
  /** `inline`, `attachment` or another word, in lower case. */
  readonly type: string;
  /** The name the server suggests, decoded and otherwise as sent: never a path to write to. See `safeFileName`. */
  readonly fileName: string | null;
}

const PARAMETER = /;\s*([\w!#$&+.^`|~*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g;
const LONGEST = 4_096;

/** Reads a `Content-Disposition` field; `filename*` wins over `filename`. Source: RFC 6266, RFC 8187. */
export function contentDisposition(value: string | undefined): ContentDisposition | null {
  const text = value?.slice(0, LONGEST);
  const type = text === undefined ? undefined : /^\s*([^;\s]+)/.exec(text)?.[1]?.toLowerCase();
  if (text === undefined || type === undefined) return null;
  let plain: string | null = null;
  let extended: string | null = null;
  for (const [, name = "", quoted, token] of text.matchAll(PARAMETER)) {
    // A backslash before a letter is a separator of a Windows path, not an escape: browsers read it so too.
    const argument = quoted?.replace(/\\(["\\])/g, "$1") ?? token ?? "";
    if (name.toLowerCase() === "filename") plain ??= argument;
    if (name.toLowerCase() === "filename*") extended ??= extendedValue(argument);
  }
  return { type, fileName: extended ?? plain };
}

/** Value of an extended parameter, `charset'language'percent-encoded`; null when it can't be decoded. Source: RFC 8187. */
function extendedValue(value: string): string | null {
  const parts = /^([\w-]+)'[^']*'(.*)$/.exec(value);
  const charset = parts?.[1]?.toLowerCase();
  const encoded = parts?.[2];
  if (encoded === undefined) return null;
  if (charset === "iso-8859-1")
    return encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (charset !== "utf-8") return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null; // not UTF-8: the plain name counts
  }
}
