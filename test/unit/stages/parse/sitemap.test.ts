import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isGzip, parseSitemap, plainSitemap, type SitemapResult } from "../../../../src/stages/parse/sitemap.ts";

const NOW = Date.UTC(2026, 0, 1);
const SOURCE = { url: "https://a.test/dir/list.xml", charset: null, now: NOW };
const LIMITS = { maxUrls: 100, maxChildren: 100 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string, limits = LIMITS): SitemapResult => parseSitemap(bytes(text), limits, SOURCE);
const locs = (text: string): string[] => read(text).urls.map(({ loc }) => loc);
const urlset = (inner: string): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</urlset>`;

describe("sitemaps", () => {
  it("URLs and their dates are read, whichever comes first", () => {
    const result = read(
      urlset("<url><loc> /a?x=1&amp;y=2 </loc><lastmod>2025-05-01</lastmod></url><url><lastmod>junk</lastmod><loc>/b</loc></url>"),
    );
    expect(result).toMatchObject({ kind: "urlset", truncated: false });
    expect(result.urls).toEqual([
      { loc: "/a?x=1&y=2", lastmod: Date.UTC(2025, 4, 1), lastmodText: "2025-05-01" },
      { loc: "/b", lastmod: null, lastmodText: "junk" },
    ]);
  });

  it("a date far ahead is not believed", () => {
    expect(read(urlset("<url><loc>/a</loc><lastmod>2030-01-01</lastmod></url>")).urls[0]).toMatchObject({
      lastmod: null,
      lastmodText: "2030-01-01",
    });
  });

  it("the same moment everywhere is when the list was written", () => {
    const entry = (date: string): string => `<url><loc>/${date}</loc><lastmod>${date}</lastmod></url>`;
    expect(read(urlset(entry("2025-05-01T10:00:01Z").repeat(3))).lastmodTrusted).toBe(false);
    expect(read(urlset(entry("2025-05-01").repeat(3))).lastmodTrusted).toBe(true);
    expect(read(urlset(entry("2025-05-01T10:00:01Z").repeat(3) + entry("2025-05-02T10:00:01Z"))).lastmodTrusted).toBe(true);
  });

  it("locations of extensions are no pages", () => {
    const image = '<i:image><i:loc>/a.jpg</i:loc></i:image><i:loc>/b.jpg</i:loc><loc xmlns="https://x.test/ext">/c</loc>';
    expect(locs(urlset(`<url xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><loc>/a</loc>${image}</url>`))).toEqual(["/a"]);
    expect(locs("<urlset><url><loc>/a</loc><video:loc>/v</video:loc></url></urlset>")).toEqual(["/a"]);
  });

  it("any prefix and any old namespace will do, in any case of letters", () => {
    expect(locs('<S:URLSET xmlns:S="http://old.test/0.84"><S:Url><S:Loc>/a</S:Loc></S:Url></S:URLSET>')).toEqual(["/a"]);
    expect(
      locs('<urlset xmlns="x" xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>/a</s:loc></s:url></urlset>'),
    ).toEqual(["/a"]);
  });

  it("CDATA, bare ampersands, empty entries and crossed tags cost nothing", () => {
    expect(locs(urlset("<url><loc><![CDATA[/a?x&y]]></loc></url><url><loc>/b?x&y=1</loc></url><url><loc></loc></url><url/>"))).toEqual([
      "/a?x&y",
      "/b?x&y=1",
    ]);
    expect(locs(urlset("<url><loc>/a</url><url><loc>/b</loc><url><loc>/c</loc></url>"))).toEqual(["/a", "/b", "/c"]);
    expect(locs(urlset("<url><loc><url>/a</url></loc></url>"))).toEqual(["/a"]);
  });

  it("a document that is cut off gives what is whole", () => {
    const whole = urlset("<url><loc>/a</loc></url><url><loc>/b</loc></url>");
    const cut = read(whole.slice(0, whole.indexOf("/b") + 2));
    expect(cut.urls.map(({ loc }) => loc)).toEqual(["/a"]);
    expect(cut.truncated).toBe(true);
  });

  it("every prefix of a document gives a prefix of its URLs", () => {
    const whole = urlset(
      Array.from({ length: 5 }, (_, i) => `<url><loc>/page-${i}</loc><lastmod>2025-01-0${i + 1}</lastmod></url>`).join(""),
    );
    const all = locs(whole);
    for (let length = 0; length <= whole.length; length++) {
      const some = locs(whole.slice(0, length));
      expect(all.slice(0, some.length)).toEqual(some);
    }
  });

  it("tokens that lie across two pieces of 64 KiB are read whole", () => {
    for (let shift = 0; shift < 60; shift++) {
      const filler = `<!--${"x".repeat(65_536 - 85 - shift)}-->`;
      expect(locs(urlset(`${filler}<url><loc><![CDATA[/a]]>&amp;b</loc></url>`)), String(shift)).toEqual(["/a&b"]);
    }
  });

  it("no entity is expanded, and an entry that needs one is left out", () => {
    const result = read('<!DOCTYPE u [<!ENTITY e "/evil">]><urlset><url><loc>&e;</loc></url><url><loc>/a&amp;b</loc></url></urlset>');
    expect(result.urls.map(({ loc }) => loc)).toEqual(["/a&b"]);
    expect(result.notes).toContain("1 entries are too long or refer to an entity");
  });

  it("an index gives children, not pages", () => {
    const result = read("<sitemapindex><sitemap><loc>/1.xml</loc><lastmod>2025-01-01</lastmod></sitemap></sitemapindex>");
    expect(result).toMatchObject({ kind: "index", urls: [], sitemaps: [{ loc: "/1.xml", lastmod: Date.UTC(2025, 0, 1) }] });
  });

  it("limits end the reading", () => {
    const result = read(urlset("<url><loc>/a</loc></url>".repeat(9)), { maxUrls: 3, maxChildren: 3 });
    expect(result.urls).toHaveLength(3);
    expect(result).toMatchObject({ truncated: true, notes: ["more entries than the limit"] });
    expect(read(urlset("<url><loc>/a</loc></url>".repeat(3)), { maxUrls: 3, maxChildren: 3 }).truncated).toBe(false);
    expect(locs(urlset(`<url><loc>/${"x".repeat(9_000)}</loc></url><url><loc>/a</loc></url>`))).toEqual(["/a"]);
  });

  it.each([
    ["\ufeff", "utf-8"],
    ["\n \n", "utf-8"],
    ["Warning: something on line 3\n", "utf-8"],
  ])("%j before the document does not matter", (before) => {
    expect(locs(before + urlset("<url><loc>/ä</loc></url>"))).toEqual(["/ä"]);
  });

  it("other encodings are read: declared in the document or the header, or by mark", () => {
    const document = (label: string): string => `<?xml version="1.0" encoding="${label}"?><urlset><url><loc>/\u00e4</loc></url></urlset>`;
    const latin1 = Uint8Array.from(document("ISO-8859-1"), (character) => character.charCodeAt(0));
    expect(parseSitemap(latin1, LIMITS, SOURCE).urls[0]?.loc).toBe("/ä");
    const undeclared = Uint8Array.from(urlset("<url><loc>/\u00e4</loc></url>"), (character) => character.charCodeAt(0));
    expect(parseSitemap(undeclared, LIMITS, { ...SOURCE, charset: "latin1" }).urls[0]?.loc).toBe("/ä");
    const wide = Uint8Array.from(
      [...`\ufeff${document("utf-16")}`].flatMap((character) => [character.charCodeAt(0) & 255, character.charCodeAt(0) >> 8]),
    );
    expect(parseSitemap(wide, LIMITS, SOURCE).urls[0]?.loc).toBe("/ä");
    expect(locs(document("no-such-encoding"))).toEqual(["/ä"]);
  });
});

describe("text files", () => {
  it("are one URL a line", () => {
    expect(read("\ufeffhttps://a.test/1\r\n\r\n  https://a.test/2\rnot a URL\nhttps://a.test/3")).toMatchObject({
      kind: "text",
      urls: [{ loc: "https://a.test/1" }, { loc: "https://a.test/2" }, { loc: "https://a.test/3" }],
    });
  });

  it.each([
    "",
    "User-agent: *\nSitemap: https://a.test/s.xml\nDisallow: /",
    "Not found",
    '{"a":"https://a.test"}',
    "<!doctype html><title>x</title>",
    "<html/>",
  ])("%j is no list", (text) => {
    expect(read(text)).toMatchObject({ kind: "none", urls: [], truncated: false });
  });
});

describe("feeds", () => {
  it("RSS gives each item's page and date, not the channel's", () => {
    const item = "<item><link> https://a.test/1 </link><pubDate>Thu, 01 May 2025 10:00:00 GMT</pubDate></item>";
    const other = '<item><guid isPermaLink="false">x</guid><guid>https://a.test/2</guid><enclosure url="https://a.test/2.mp3"/></item>';
    const result = read(
      `<rss><channel><link>https://a.test/</link><pubDate>Fri, 02 May 2025 10:00:00 GMT</pubDate>${item}${other}</channel></rss>`,
    );
    expect(result.kind).toBe("feed");
    expect(result.urls.map(({ loc, lastmod }) => [loc, lastmod])).toEqual([
      ["https://a.test/1", Date.UTC(2025, 4, 1, 10)],
      ["https://a.test/2", null],
    ]);
  });

  it("RSS 1.0 has its items beside the channel", () => {
    const text = `<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d"><channel><link>/c</link></channel>
      <item rdf:about="/1"><title>t</title><link>/1</link><dc:date>2025-05-01</dc:date></item></rdf:RDF>`;
    expect(read(text).urls).toEqual([{ loc: "/1", lastmod: Date.UTC(2025, 4, 1), lastmodText: "2025-05-01" }]);
  });

  it("Atom gives the alternate link under xml:base, and the date of the last change", () => {
    const links = '<link rel="self" href="self"/><link rel="enclosure" href="e.mp3"/><link href="post"/><source><link href="no"/></source>';
    const entry = `<entry xml:base="2025/">${links}<published>2025-01-01</published><updated>2025-02-01</updated></entry>`;
    const result = read(
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/"><link href="/"/>${entry}<entry><link href="/p"/></entry></feed>`,
    );
    expect(result.urls).toEqual([
      { loc: "https://a.test/blog/2025/post", lastmod: Date.UTC(2025, 1, 1), lastmodText: "2025-02-01" },
      { loc: "https://a.test/p", lastmod: null, lastmodText: null },
    ]);
  });
});

describe("hostile documents", () => {
  it.each([
    ["deep nesting", `<urlset>${"<a>".repeat(300_000)}`],
    ["end tags of nothing", `<urlset>${"<a>".repeat(100)}${"</b>".repeat(300_000)}`],
    ["ampersands", `<urlset><url><loc>${"&".repeat(1_000_000)}</loc></url>`],
    ["attributes", `<urlset ${"a=b ".repeat(300_000)}>`],
  ])("%s are read in linear time", (_, text) => {
    const started = process.hrtime.bigint();
    expect(read(text).urls).toEqual([]);
    // About 50 ms each when nothing disturbs; a stack that is searched for each tag takes minutes.
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(2_000);
  });

  it("any bytes give a result", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (body, text) => {
        expect(() => parseSitemap(body, LIMITS, SOURCE)).not.toThrow();
        expect(() => read(`<urlset><url><loc>${text}`)).not.toThrow();
      }),
    );
  });
});

describe("gzip", () => {
  const inflate = (body: Uint8Array, cap: number): Uint8Array | null => {
    try {
      return gunzipSync(body, { maxOutputLength: cap });
    } catch {
      return null;
    }
  };

  it("is told by its first bytes and taken off, twice if need be", () => {
    const plain = bytes("https://a.test/1");
    expect([isGzip(plain), isGzip(gzipSync(plain))]).toEqual([false, true]);
    for (const body of [plain, gzipSync(plain), gzipSync(gzipSync(plain))]) {
      expect(new TextDecoder().decode(plainSitemap(body, inflate, 1_000) ?? new Uint8Array())).toBe("https://a.test/1");
    }
  });

  it("beyond the cap there is nothing", () => {
    expect(plainSitemap(gzipSync(new Uint8Array(5_000)), inflate, 1_000)).toBeNull();
  });
});
