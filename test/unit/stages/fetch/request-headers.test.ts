import { describe, expect, test } from "vitest";
import type { VisitRow } from "../../../../src/ports/store.ts";
import { Cookies } from "../../../../src/stages/fetch/cookies.ts";
import { requestHeaders } from "../../../../src/stages/fetch/request-headers.ts";

const NONE = { headers: [], origins: new Set<string>() };
const OWN = {
  headers: [
    ["X-Key", "secret"],
    ["cookie", "me=1"],
  ] as const,
  origins: new Set(["http://a.test"]),
};
const row = (etag: string | null, lastModified: string | null): VisitRow => ({
  id: 0,
  url: "http://a.test/",
  token: 0,
  attempts: 0,
  tries: 0,
  delay: 0,
  code: null,
  depth: 0,
  via: "seed",
  etag,
  lastModified,
  textHash: null,
  textHashVersion: 0,
});

describe("validators", () => {
  test("go back exactly as they came, each when there is one", () => {
    const date = "Tue, 03 Jun 2025 10:00:00 GMT";
    expect(requestHeaders("http://a.test/", "http://a.test", NONE, row('W/"caf\u00e9"', date), null)).toEqual([
      ["If-None-Match", 'W/"caf\u00e9"'],
      ["If-Modified-Since", date],
    ]);
    expect(requestHeaders("http://a.test/", "http://a.test", NONE, row(null, null), null)).toEqual([]);
  });

  test("do not go with a hop", () => {
    expect(requestHeaders("http://b.test/", "http://b.test", NONE, null, null)).toEqual([]);
  });
});

describe("the user's headers", () => {
  test("go to their origins and nowhere else, not even to another scheme or port", () => {
    expect(requestHeaders("http://a.test/x", "http://a.test", OWN, null, null)).toEqual([
      ["X-Key", "secret"],
      ["Cookie", "me=1"],
    ]);
    for (const origin of ["http://b.test", "https://a.test", "http://a.test:8080"])
      expect(requestHeaders(`${origin}/`, origin, OWN, null, null)).toEqual([]);
  });

  test("share one Cookie field with the chain's cookies", () => {
    const cookies = new Cookies();
    cookies.take("http://a.test/", ["seen=yes; Path=/"]);
    expect(requestHeaders("http://a.test/x", "http://a.test", OWN, null, cookies)).toContainEqual(["Cookie", "me=1; seen=yes"]);
    expect(requestHeaders("http://a.test/x", "http://a.test", NONE, null, cookies)).toEqual([["Cookie", "seen=yes"]]);
  });
});
