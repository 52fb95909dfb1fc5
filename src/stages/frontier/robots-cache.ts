import type { EpochMillis, Millis } from "../../kernel/units.ts";

/** Shortest use of a robots.txt, whatever the site says: one request in five minutes is little beside a crawl. Source: guess. */
const SHORTEST: Millis = 5 * 60_000;
/** Longest use, and what counts when the site says nothing. Source: RFC 9309 section 2.4. */
const LONGEST: Millis = 24 * 3_600_000;

/** Until when a fetched robots.txt holds: as long as its `Cache-Control: max-age`, within 5 minutes and 24 hours. */
export function robotsExpiry(fetchedAt: EpochMillis, cacheControlMaxAge: Millis | null): EpochMillis {
  return fetchedAt + Math.min(Math.max(cacheControlMaxAge ?? LONGEST, SHORTEST), LONGEST);
}

/** `max-age` of a `Cache-Control` field, 0 for `no-store` and `no-cache`, null when it says neither or cannot be read. */
export function cacheControlMaxAge(value: string | undefined): Millis | null {
  if (value === undefined) return null;
  let maxAge: Millis | null = null;
  for (const part of value.split(",")) {
    const [name = "", argument = ""] = part.split("=", 2).map((text) => text.trim().toLowerCase());
    if (name === "no-store" || name === "no-cache") return 0;
    const seconds = /^"?(\d{1,10})"?$/.exec(argument)?.[1];
    if (name === "max-age" && seconds !== undefined && maxAge === null) maxAge = Number(seconds) * 1_000;
  }
  return maxAge;
}
