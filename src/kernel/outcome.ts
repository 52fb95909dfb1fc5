/** How a URL was settled. The words are the contract of `outcome` in the output. The order is stored (by position): append only. */
export const OUTCOMES = [
  "new",
  "changed",
  "unchanged",
  "duplicate",
  "redirect",
  "gone",
  "missing",
  "blocked",
  "skipped",
  "failed",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Why weir decided not to fetch, or not to store. The order is stored (by position): append only. */
export const SKIP_REASONS = [
  "robots",
  "noindex",
  "nofollow",
  "scope",
  "depth",
  "private-address",
  "trap",
  "shed",
  "type",
  "excluded",
  "url-too-long",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** How a URL was found. The order is stored (by position): append only. */
export const VIAS = ["seed", "link", "redirect", "sitemap", "feed", "refresh"] as const;
export type Via = (typeof VIAS)[number];

/**
 * Codes of what went wrong with one fetch. `http-<status>` is the open family; everything else is in this list and in
 * `docs/errors.md`.
 */
export const FETCH_ERRORS = [
  "timeout",
  "too-slow",
  "too-large",
  "incomplete",
  "decode",
  "dns",
  "connect",
  "tls",
  "protocol",
  "redirect-loop",
  "private-address",
  "proxy",
  "challenge",
  "robots-unavailable",
  "parse",
  "empty",
  "crashed",
] as const;
export type FetchErrorCode = (typeof FETCH_ERRORS)[number] | `http-${number}`;
