import type { SettledUrl } from "../../../../src/kernel/settled-url.ts";

/** A settled page in which a test sets what it is about. */
export function settledUrl(changes: Partial<SettledUrl> = {}): SettledUrl {
  return {
    seq: 1,
    url: "https://example.com/",
    finalUrl: "https://example.com/",
    redirects: [],
    outcome: "new",
    status: 200,
    fetchedAt: "2024-01-02T03:04:05.000Z",
    ms: 12,
    bytesWire: 900,
    bytesBody: 600,
    provider: "direct",
    attempts: 1,
    depth: 0,
    via: "seed",
    contentType: "text/html",
    charset: "utf-8",
    title: "Example",
    canonical: null,
    robots: { index: true, follow: true },
    type: "page",
    record: null,
    recordHash: null,
    changed: null,
    links: [],
    marks: [],
    error: null,
    duplicateOf: null,
    ...changes,
  };
}
