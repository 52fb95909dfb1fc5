import { expect, test } from "vitest";
import { LinkResolver } from "../../../../src/kernel/link-resolver.ts";
import type { Via } from "../../../../src/kernel/outcome.ts";
import { PageParser } from "../../../../src/stages/parse/page-parser.ts";

const resolver = new LinkResolver();
const parser = new PageParser({ resolver, inflate: () => null, agent: "weir", isKnownHost: (host) => host === "b.test" });

function parse(body: string, options: { readonly contentType?: string | undefined; readonly via?: Via } = {}) {
  return parser.parse({
    url: "https://a.test/dir/list.xml",
    body: new TextEncoder().encode(body),
    contentType: options.contentType,
    robotsTags: [],
    linkHeaders: [],
    refresh: undefined,
    via: options.via ?? "link",
    now: 0,
    wantText: true,
  });
}

function listed(): string[] {
  const urls: string[] = [];
  parser.eachListed((length, isList) => {
    expect(length).toBeGreaterThan(0);
    urls.push(`${isList ? "list " : ""}${resolver.text()}`);
  });
  return urls;
}

function links(): string[] {
  const urls: string[] = [];
  parser.eachLink((length, via, nofollow, isListed) => {
    urls.push(`${length > 0 ? resolver.text() : "-"} ${via}${nofollow ? " nofollow" : ""}${isListed ? "" : " unlisted"}`);
  });
  return urls;
}

test("a sitemap names URLs of its own host and of hosts known otherwise, and nobody else's", () => {
  const locs = ["x", "/dir/y#z", "http://b.test/y", "http://c.test/z", "mailto:x"].map((loc) => `<url><loc>${loc}</loc></url>`);
  expect(parse(`<?xml version="1.0"?><urlset>${locs.join("")}</urlset>`, { contentType: "text/xml" })).toMatchObject({
    kind: "list",
    list: "sitemap",
  });
  expect(listed()).toEqual(["https://a.test/dir/x", "https://a.test/dir/y", "http://b.test/y"]);
  expect(listed()).toEqual([]);
});

test("children of an index are told from pages", () => {
  parse("<sitemapindex><sitemap><loc>b.xml</loc></sitemap></sitemapindex>", { contentType: "application/xml" });
  expect(listed()).toEqual(["list https://a.test/dir/b.xml"]);
});

test("a page that a sitemap names stays a page, and an HTML answer to a sitemap's URL is one too", () => {
  const html = '<!doctype html><title>t</title><a href="one">1</a>';
  for (const contentType of ["text/html", "application/xml", undefined]) {
    expect(parse(html, { contentType, via: "sitemap" })).toMatchObject({ kind: "page", title: "t" });
    expect(links()).toEqual(["https://a.test/dir/one link"]);
  }
});

test("hints of the head are followed and not listed; nofollow is told; what is no URL has no length", () => {
  parse(
    '<link rel=canonical href=/c><link rel=alternate type=application/rss+xml href=/feed><a rel=nofollow href=/n>n</a><a href="mailto:x">m</a><area href=/r>',
    { contentType: "text/html" },
  );
  expect(links()).toEqual([
    "https://a.test/c link unlisted",
    "https://a.test/feed feed unlisted",
    "https://a.test/n link nofollow",
    "- link",
    "https://a.test/r link",
  ]);
});

test.each([
  ["text/plain", "hello", "page"],
  ["application/json", '{"a":1}', "page"],
  ["application/octet-stream", "\u0000\u0001\u0002", "page"],
  ["text/plain", "\u0000\u0001\u0002", "other"],
  ["application/pdf", "%PDF-1.7", "other"],
  [undefined, "%PDF-1.7", "other"],
  [undefined, "", "page"],
])("a body declared as %s that holds %j is taken as %s", (contentType, body, kind) => {
  expect(parse(body, { contentType }).kind).toBe(kind);
});
