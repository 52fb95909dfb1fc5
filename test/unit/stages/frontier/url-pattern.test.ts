import { describe, expect, test } from "vitest";
import { parsePatterns } from "../../../../src/stages/frontier/url-pattern.ts";

async function matches(source: string, url: string): Promise<boolean> {
  const { patterns, problems } = await parsePatterns([source], "include");
  expect(problems).toEqual([]);
  return patterns[0].matches(url);
}

describe("parsePatterns", () => {
  test.each([
    ["https://example.com/blog/", "https://example.com/blog/1", "https://example.com/blog"],
    ["https://example.com", "https://example.com/", "https://example.community/"],
    ["HTTPS://Example.com/%7Eme", "https://example.com/~me/x", "https://example.com/~you"],
    ["http://example.com:8080/a", "http://example.com:8080/abc", "http://example.com/a"],
    ["/blog/", "http://any.example:81/blog/1?x", "http://any.example/a/blog/"],
    ["/search?q=", "https://example.com/search?q=1", "https://example.com/search?p=1"],
    ["/p/*", "https://any.example:8443/p/1/2?x=y", "https://any.example/a/p/1"],
    ["/p/*", "http://127.0.0.1/p/", "http://127.0.0.1/p"],
    ["/p/:id", "https://example.com/p/1?x=y", "https://example.com/p/1/2"],
    ["/p{/new}?/x", "https://example.com/p/new/x", "https://example.com/p/old/x"],
    ["/list?page=*", "https://example.com/list?page=2", "https://example.com/list?sort=1"],
    ["/list*?page=*", "https://example.com/lists?page=2", "https://example.com/lists"],
    ["https://*.example.com/p/*", "https://a.b.example.com/p/1", "https://example.com/p/1"],
    ["https://example.com/*?sort=*", "https://example.com/a/b?sort=up", "https://example.com/a/b"],
    ["http{s}?://example.com/*", "http://example.com/x", "http://example.org/x"],
    ["*://example.com/*", "https://example.com/x", "https://example.org/x"],
    ["*.pdf", "https://example.com/a/b.pdf", "https://example.com/a/b.pdf?x"],
    ["*sort=*", "https://example.com/a?b=1&sort=up", "https://example.com/a?b=1"],
    ["*/print/*", "https://example.com/print/a", "https://example.com/printer"],
    ["*(1)*", "https://example.com/a(1)b", "https://example.com/a1b"],
  ])("%s takes %s and not %s", async (source, taken, refused) => {
    expect(await matches(source, taken)).toBe(true);
    expect(await matches(source, refused)).toBe(false);
  });

  test("what cannot be used is a problem with its place, and the rest can be used", async () => {
    const { patterns, problems } = await parsePatterns(
      ["/a/", "blog", "", "https://", "/x(*", "https://a.example/{b", "example.com/*"],
      "exclude",
    );
    expect(patterns.map((pattern) => pattern.source)).toEqual(["/a/"]);
    expect(problems.map(({ path, got }) => [path, got])).toEqual([
      ["exclude[1]", '"blog"'],
      ["exclude[2]", '""'],
      ["exclude[3]", '"https://"'],
      ["exclude[4]", '"/x(*"'],
      ["exclude[5]", '"https://a.example/{b"'],
      ["exclude[6]", '"example.com/*"'],
    ]);
    for (const { expected } of problems) expect(expected).toMatch(/^a (?:pattern|URL)/);
  });
});
