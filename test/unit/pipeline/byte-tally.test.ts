import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteTally } from "../../../src/pipeline/byte-tally.ts";
import type { FetchMeasure, FetchResult } from "../../../src/ports/fetch-route.ts";

const headers = { get: () => undefined, all: () => [], entries: () => [] };
const measure = (more: Partial<FetchMeasure> = {}): FetchMeasure => ({
  ttfb: 1,
  total: 1,
  paused: 0,
  bytesOut: 300,
  bytesIn: 9_700,
  connected: true,
  setup: 3_000,
  heads: 500,
  ...more,
});
const response = (status: number, size: number, more: Partial<FetchMeasure> = {}): FetchResult => ({
  kind: "response",
  status,
  headers,
  body: new Uint8Array(size),
  measure: measure(more),
});

test.each([
  ["pages", response(200, 10), "page"],
  ["unwanted", response(200, 0), "page"],
  ["unchanged", response(304, 0), "page"],
  ["redirects", response(301, 0), "page"],
  ["errors", response(404, 0), "page"],
  ["errors", response(503, 0), "sitemap"],
  ["sitemaps", response(200, 10), "sitemap"],
  ["robots", response(404, 0), "robots"],
] as const)("of an answer the handshakes and heads are split off, and the rest is %s", (cause, result, purpose) => {
  const tally = new ByteTally();
  tally.add(result, purpose);
  expect(tally.byCause).toMatchObject({ [cause]: 6_500, handshakes: 3_000, headers: 500 });
});

test("what brought nothing is counted whole", () => {
  const tally = new ByteTally();
  tally.add({ kind: "failure", code: "too-slow", phase: "body", message: "", measure: measure() }, "page");
  tally.add({ kind: "refusal", by: "plan", message: "", retryAfter: null, resetAt: null, measure: measure({ bytesIn: 0 }) }, "page");
  expect(tally.byCause).toMatchObject({ failed: 10_000, refused: 300, handshakes: 0, headers: 0 });
});

test("the parts sum to the whole, whatever a route says of its heads", () => {
  const size = fc.nat(10_000);
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ bytesIn: size, bytesOut: size, setup: size, heads: size, status: fc.constantFrom(200, 204, 301, 304, 404, 500) }),
      ),
      (answers) => {
        const tally = new ByteTally();
        for (const { status, ...moved } of answers) tally.add(response(status, 1, moved), "page");
        expect(tally.total).toBe(answers.reduce((sum, { bytesIn, bytesOut }) => sum + bytesIn + bytesOut, 0));
        expect(Math.min(...Object.values(tally.byCause))).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});
