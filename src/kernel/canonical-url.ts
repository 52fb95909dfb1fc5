import { HEX_VALUE, UNRESERVED } from "./url-bytes.ts";

/**
 * Longest canonical URL that is kept, in bytes (canonical URLs are ASCII). RFC 9110 §4.1 asks everyone to support 8,000; common
 * servers refuse request lines beyond 8 KiB (Apache `LimitRequestLine` 8190, nginx `large_client_header_buffers` 8k).
 * `canonicalUrl` returns longer ones all the same, so that the caller can count them as `url-too-long`.
 */
export const MAX_URL_LENGTH = 8192;

/**
 * The one spelling under which a URL is known, requested and stored, or null for what is not a usable http(s) URL.
 *
 * It is the WHATWG href without fragment and userinfo, plus the equivalences of RFC 3986 §6.2.2 that no server may tell apart:
 * upper-case escapes (`%2f` → `%2F`) and plain unreserved characters (`%7E` → `~`). Nothing else: a trailing slash, an empty
 * query, the order of parameters, `//` and `www.` can all make another page, and so make another URL here.
 * Invariant: ASCII only, and `canonicalUrl(canonicalUrl(x)) === canonicalUrl(x)`.
 */
export function canonicalUrl(text: string, base?: string): string | null {
  // Node 20 loses the empty query of a base (`#top` on `/a?` gives `/a`); the URL standard keeps it.
  if (base?.endsWith("?") && isEmptyReference(text)) return canonicalUrl(base);
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    return null;
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  // `href` and not `search`: only it tells `/a?` from `/a`.
  const href = url.href;
  const hash = href.indexOf("#");
  const end = hash === -1 ? href.length : hash;
  const pathStart = href.indexOf("/", url.protocol.length + 2);
  let tail = href.slice(pathStart, end);
  if (tail.includes("/.")) tail = removeDotSegments(tail);
  if (tail.includes("^")) tail = encodeCarets(tail);
  if (tail.includes("%")) tail = normalizeEscapes(tail);
  // `host` leaves out the userinfo and the default port.
  return `${url.protocol}//${url.host}${tail}`;
}

/** Whether nothing stands before the fragment, so that the link leads to the base itself. */
function isEmptyReference(text: string): boolean {
  let i = 0;
  while (i < text.length && text.charCodeAt(i) <= 0x20) i++;
  return i === text.length || text[i] === "#";
}

/**
 * Node 20 looks at the first `/.` of a path only, and so leaves the dots of `/x/.a/y/..` in it; the URL standard does not.
 * `tail` is a path with its query.
 */
function removeDotSegments(tail: string): string {
  const query = tail.indexOf("?");
  const path = query === -1 ? tail : tail.slice(0, query);
  if (!/\/\.\.?(?:\/|$)/.test(path)) return tail;
  const kept: string[] = [];
  const segments = path.slice(1).split("/");
  for (const segment of segments) {
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
  }
  const last = segments.at(-1);
  if (last === "." || last === "..") kept.push("");
  return `/${kept.join("/")}${query === -1 ? "" : tail.slice(query)}`;
}

/** `^` is encoded in paths by newer parsers and left by older ones; see `PATH_BYTES`. It stays in queries. */
function encodeCarets(tail: string): string {
  const query = tail.indexOf("?");
  if (query === -1) return tail.replaceAll("^", "%5E");
  return tail.slice(0, query).replaceAll("^", "%5E") + tail.slice(query);
}

/**
 * Upper-cases escapes and decodes those of unreserved characters. No dot segment can appear: the parser has already treated
 * `%2e` as a dot.
 *
 * A `%` that begins no escape is left alone, and a hex digit close behind it stays encoded: `%%37%37` must not become `%77`,
 * which is an escape of another character.
 */
function normalizeEscapes(tail: string): string {
  let out = "";
  let from = 0;
  let strayAt = -3;
  for (let at = tail.indexOf("%"); at !== -1; at = tail.indexOf("%", from)) {
    out += tail.slice(from, at);
    const byte = byteOfEscape(tail, at);
    if (byte === -1) {
      strayAt = out.length;
      out += "%";
      from = at + 1;
      continue;
    }
    const gap = out.length - strayAt - 1;
    const joinsStray = HEX_VALUE[byte] !== 255 && (gap === 0 || (gap === 1 && HEX_VALUE[out.charCodeAt(strayAt + 1)] !== 255));
    out += UNRESERVED[byte] === 1 && !joinsStray ? String.fromCharCode(byte) : tail.slice(at, at + 3).toUpperCase();
    from = at + 3;
  }
  return out + tail.slice(from);
}

/** The byte that the escape at `at` stands for, or -1 when two hex digits do not follow. `tail` is ASCII. */
function byteOfEscape(tail: string, at: number): number {
  if (at + 2 >= tail.length) return -1;
  const high = HEX_VALUE[tail.charCodeAt(at + 1)];
  const low = HEX_VALUE[tail.charCodeAt(at + 2)];
  return high === 255 || low === 255 ? -1 : high * 16 + low;
}
