import type { VisitRow } from "../../ports/store.ts";
import type { Cookies } from "./cookies.ts";

type Header = readonly [string, string];

/** The user's headers, and the origins (scheme, name, port) they may be sent to: never elsewhere by redirect or link. */
export interface OwnHeaders {
  readonly headers: readonly Header[];
  readonly origins: ReadonlySet<string>;
}

/**
 * Headers of one request besides the route's own.
 * @param row the row whose validators go along (plainly, exactly as received), or null for a hop or a first visit.
 */
export function requestHeaders(
  url: string,
  origin: string,
  own: OwnHeaders,
  row: VisitRow | null,
  cookies: Cookies | null,
): readonly Header[] {
  const out: Header[] = [];
  let ownCookie = "";
  if (own.headers.length > 0 && own.origins.has(origin)) {
    for (const header of own.headers) {
      if (header[0].toLowerCase() === "cookie") ownCookie = header[1];
      else out.push(header);
    }
  }
  const jar = cookies?.header(url) ?? "";
  const cookie = ownCookie === "" || jar === "" ? ownCookie + jar : `${ownCookie}; ${jar}`;
  if (cookie !== "") out.push(["Cookie", cookie]);
  if (row !== null) {
    if (row.etag !== null) out.push(["If-None-Match", row.etag]);
    if (row.lastModified !== null) out.push(["If-Modified-Since", row.lastModified]);
  }
  return out;
}
