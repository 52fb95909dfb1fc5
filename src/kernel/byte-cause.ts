/**
 * What the bytes on the wire were spent on: a closed list whose parts sum to all of them (spec C2; `docs/output.md` says what each
 * holds).
 */
export const BYTE_CAUSES = [
  "pages",
  "unchanged",
  "redirects",
  "robots",
  "sitemaps",
  "unwanted",
  "errors",
  "failed",
  "refused",
  "handshakes",
  "headers",
] as const;
export type ByteCause = (typeof BYTE_CAUSES)[number];
