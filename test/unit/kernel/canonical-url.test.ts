import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalUrl } from "../../../src/kernel/canonical-url.ts";
import { links } from "./url-arbitraries.ts";

describe("canonicalUrl", () => {
  test("applying it twice changes nothing, and the result is ASCII without fragment", () => {
    fc.assert(
      fc.property(links, links, (link, base) => {
        const url = canonicalUrl(link, `https://example.com/${base}`);
        if (url === null) return;
        expect(canonicalUrl(url)).toBe(url);
        expect(url).toMatch(/^https?:\/\/[^/@#]+\/[!-~]*$/);
        expect(url).not.toContain("#");
      }),
      { numRuns: 10_000 },
    );
  });

  test.each([
    ["a fragment is dropped", "https://example.com/a#b#c", "https://example.com/a"],
    ["userinfo is dropped", "https://me:secret@example.com/a", "https://example.com/a"],
    ["the scheme's own port is dropped", "https://example.com:443/a", "https://example.com/a"],
    ["scheme and host are lower case", "HTTPS://Example.COM/A", "https://example.com/A"],
    ["escapes are upper case", "https://example.com/a%2fb?c=%3d", "https://example.com/a%2Fb?c=%3D"],
    ["unreserved characters are plain", "https://example.com/%70%7E%2D%5f?%41", "https://example.com/p~-_?A"],
    ["reserved characters stay encoded", "https://example.com/%2F%3F%23%26%3D", "https://example.com/%2F%3F%23%26%3D"],
    ["encoded dot segments are dot segments", "https://example.com/a/%2e%2E/b/.%2e/c", "https://example.com/c"],
    ["dot segments behind a dot name are found", "https://example.com/x/.a/y/..", "https://example.com/x/.a/"],
    ["a caret in a path is encoded, one in a query is not", "https://example.com/a^b?a^b", "https://example.com/a%5Eb?a^b"],
    ["an international name is ASCII", "https://b\u00fccher.example/", "https://xn--bcher-kva.example/"],
    ["a percent sign of no escape stays", "https://example.com/100%?%zz%77", "https://example.com/100%?%zzw"],
    ["decoding makes no new escape", "https://example.com/%%37%37", "https://example.com/%%377"],
    ["decoding makes no new escape of one more digit", "https://example.com/%4%31", "https://example.com/%4%31"],
  ])("%s", (_, text, expected) => {
    expect(canonicalUrl(text)).toBe(expected);
  });

  test.each(["/a?", "/a/", "/a//b", "/A", "/a?b=1&a=2", "/a?a=", "/index.html", "/a;jsessionid=1", "/a%2Fb", "/a%00", "/a%25"])(
    "%s stays a page of its own",
    (path) => {
      expect(canonicalUrl(`https://www.example.com${path}`)).toBe(`https://www.example.com${path}`);
    },
  );

  test.each(["mailto:a@b.example", "ftp://example.com/", "javascript:0", "data:,x", "http://", "https://a b/", "http://1.2.3.400/", "x"])(
    "%s is no URL to crawl",
    (text) => {
      expect(canonicalUrl(text)).toBeNull();
    },
  );

  test.each(["", "#top", "  #"])("%j on a base with an empty query keeps the query", (link) => {
    expect(canonicalUrl(link, "https://example.com/a?")).toBe("https://example.com/a?");
  });

  test("a base that is no URL gives nothing", () => {
    expect(canonicalUrl("/a", "nonsense")).toBeNull();
  });
});
