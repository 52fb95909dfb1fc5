import { describe, expect, test } from "vitest";
import * as link from "../../../../src/stages/parse/html-links.ts";
import { HtmlScanner } from "../../../../src/stages/parse/html-scanner.ts";

const scanner = new HtmlScanner();

function scan(html: string | Uint8Array, encoding = "utf-8", wantText = false): HtmlScanner {
  scanner.scan(typeof html === "string" ? Buffer.from(html) : html, encoding, { wantText });
  return scanner;
}

/** Texts of the page's links, all kinds or one. */
function links(html: string, kind = -1): string[] {
  scan(html);
  const all = Array.from({ length: scanner.linkCount }, (_, i) => i);
  return all.filter((i) => kind < 0 || (scanner.linkFlags[i] & ~link.NOFOLLOW) === kind).map((i) => scanner.linkText(i));
}

const hash = (html: string): string => {
  const into = new Uint8Array(12);
  scan(html).textHash(into);
  return Buffer.from(into).toString("hex");
};

describe("links", () => {
  test("come from a, area, iframe and, in a frameset, frame", () => {
    expect(links("<a href=1>x</a><map><area href=2></map><iframe src=3></iframe><frame src=4>")).toEqual(["1", "2", "3"]);
    expect(links("<frameset><frame src=4><frame src=5></frameset>", link.LINK_FRAME)).toEqual(["4", "5"]);
  });

  test("are byte ranges of the page where the bytes are the value", () => {
    scan('<p>é<a class=x href=" /p?a=1&b=2 "></a><a href="/é">');
    expect(scanner.linkString(0)).toBe("/p?a=1&b=2");
    expect(scanner.linkString(1)).toBeNull();
    expect(scanner.source.toString("utf8", scanner.linkStart[1], scanner.linkEnd[1])).toBe("/é");
  });

  test("have character references decoded as in attributes", () => {
    expect(links('<a href="?a=1&amp;b&copy=2&copy;&#47;&notit;&not">')).toEqual(["?a=1&b&copy=2©/&notit;¬"]);
  });

  test("take the first of two attributes of one name, in any case, quoted or not", () => {
    expect(links("<A HREF=one href=two><a data-x='>' hReF='th\"ree'><a href\n=\n\"four\"/><a href=five/>")).toEqual([
      "one",
      'th"ree',
      "four",
      "five/",
    ]);
  });

  test("need the attribute to be there: an empty one is a link, none is none", () => {
    expect(links("<a href><a href=''><a name=x><a hre\0f=y>")).toEqual(["", ""]);
  });

  test("in comments, scripts, styles, templates, textareas, titles and frame fallbacks are none", () => {
    const hidden = "<a href=no>x</a>";
    for (const [open, close] of [
      ["<!--", "-->"],
      ["<!-- > ", "--!>"],
      ["<script>", "</script >"],
      ["<script><!--<script></script>", "--></script>"],
      ["<style>", "</STYLE>"],
      ["<template>", "</template>"],
      ["<template><svg>", "</template>"],
      ["<textarea>", "</textarea>"],
      ["<title>", "</title>"],
      ["<iframe>", "</iframe>"],
      ["<noframes>", "</noframes>"],
      ["<xmp>", "</xmp>"],
      ["<select>", "</select>"],
      ["<![CDATA[", ">"],
    ]) {
      expect(links(`<p>${open}${open === "<![CDATA[" ? "<a href=no" : hidden}${close}<a href=yes>`), open).toEqual(["yes"]);
    }
  });

  test("in noscript count: scripting is off", () => {
    expect(links("<head><noscript><link rel=next href=1></noscript></head><noscript><a href=2></noscript>")).toEqual(["1", "2"]);
  });

  test("that a comment seems to hide after an abrupt end are there", () => {
    expect(links("<!--><a href=1><!---><a href=2><!-- --!><a href=3><?x?><a href=4></ x><a href=5></><a href=6>")).toEqual([..."123456"]);
  });

  test("carry nofollow where rel has that word, not for ugc or sponsored", () => {
    scan("<a href=1 rel='ugc NoFollow'><a href=2 rel=ugc><a href=3 rel=nofollower><area href=4 rel=nofollow>");
    expect([...scanner.linkFlags.subarray(0, 4)].map((flags) => (flags & link.NOFOLLOW) !== 0)).toEqual([true, false, false, true]);
  });

  test("of srcset are its URLs", () => {
    expect(links('<img srcset="a.png 1x, b.png 2x"><picture><source srcset="c,d.png 100w,e.png?a=1&amp;b 2x">', link.LINK_SRCSET)).toEqual([
      "a.png",
      "b.png",
      "c,d.png",
      "e.png?a=1&b",
    ]);
  });

  test("of link elements are canonical, alternate, feed, next and prev; a stylesheet is none", () => {
    scan(
      "<link rel=Canonical href=/c><link rel=alternate hreflang=de href=/de><link rel='alternate' type='application/rss+xml' href=/rss>" +
        "<link rel=next href=/2><link rel=prev href=/0><link rel='alternate stylesheet' href=/s><link rel=stylesheet href=/t>",
    );
    const found = Array.from({ length: scanner.linkCount }, (_, i) => [scanner.linkFlags[i], scanner.linkText(i)]);
    expect(found).toEqual([
      [link.LINK_CANONICAL, "/c"],
      [link.LINK_ALTERNATE, "/de"],
      [link.LINK_FEED, "/rss"],
      [link.LINK_NEXT, "/2"],
      [link.LINK_PREV, "/0"],
    ]);
    expect(scanner.canonical).toBe("/c");
  });

  test("in SVG are href or xlink:href, and well-formed SVG needs no parser", () => {
    expect(
      links("<p><svg><a href=1 /><g><a xlink:href=2><title>t</title><path d=z /></a></g><![CDATA[<a href=no>]]></svg><a href=3>"),
    ).toEqual([..."123"]);
    expect(scanner.parsed).toBe(false);
  });

  test("of broken SVG are the parser's", () => {
    expect(links("<div><svg><desc><p><a href=1></div></svg><a href=2><title>t</title>", link.LINK_ANCHOR)).toEqual(["1", "2"]);
    expect(scanner.parsed).toBe(true);
    expect(scanner.approximate).toBe(false);
  });

  test("of a page too deep for the parser are approximate, and say so", () => {
    expect(links(`${"<b>".repeat(600)}<svg></b></svg><a href=1>`)).toEqual(["1"]);
    expect(scanner.approximate).toBe(true);
  });

  test("are bounded in number, and giant arrays are given back", () => {
    const many = links("<a href=x>".repeat(40_000));
    expect(many.length).toBe(40_000);
    expect(scanner.linkFlags.length).toBeGreaterThanOrEqual(40_000);
    scan("<a href=y>");
    expect(scanner.linkFlags.length).toBeLessThan(1_000);
    expect(scanner.linkText(0)).toBe("y");
  });
});

describe("facts", () => {
  test("title is the first HTML title, decoded and collapsed; one in SVG or in a template is not it", () => {
    expect(scan("<svg><title>no</title></svg><template><title>no</title></template><title>\n a &amp;\t<b> \r\n c </title>").title).toBe(
      "a & <b> c",
    );
    expect(scan("<title></title><title>x</title>").title).toBe("");
    expect(scan("<p>x").title).toBeNull();
  });

  test("a title that never ends takes the page, and is marked", () => {
    expect(scan("<title>x<a href=1>").marks).toEqual(["truncated-title"]);
    expect(scanner.linkCount).toBe(0);
  });

  test("base is the first with an href", () => {
    expect(scan("<base target=_top><base href='/a&amp;b/'><base href=/c/>").baseHref).toBe("/a&b/");
    expect(scan("<svg><base href=no></svg>").baseHref).toBeNull();
  });

  test("robots elements count by name, whatever their case, also our own", () => {
    expect(scan("<meta name=Robots content='NoIndex'><meta name=weir content=nofollow><meta name=other content=none>").metaRobots).toEqual([
      { name: "robots", content: "NoIndex" },
      { name: "weir", content: "nofollow" },
    ]);
  });

  test("a refresh is a link and a fact; one without URL is neither", () => {
    expect(links("<meta http-equiv=Refresh content='5'><meta http-equiv=Refresh content='0; url=/t'>", link.LINK_REFRESH)).toEqual(["/t"]);
    expect(scanner.refresh).toEqual({ seconds: 0, url: "/t" });
  });
});

describe("charsets", () => {
  test("UTF-16 is scanned as UTF-8", () => {
    scan(Buffer.from("\ufeff<title>é</title><a href='/ü'>", "utf16le"), "utf-16le");
    expect([scanner.title, scanner.linkText(0)]).toEqual(["é", "/ü"]);
  });

  test("a link in a legacy charset is decoded, an ASCII one is its bytes", () => {
    scan(Buffer.from("<title>\x80</title><a href='/\xfc'><a href=/u>", "latin1"), "windows-1252");
    expect([scanner.title, scanner.linkString(0), scanner.linkString(1)]).toEqual(["€", "/ü", null]);
  });

  test("bytes of a multi-byte character are no markup", () => {
    // 0x83 0x5C is one character of Shift_JIS whose second byte is a backslash.
    scan(Buffer.from("<title>\x83\x5c</title><a href='\x83\x5c'>", "latin1"), "shift_jis");
    expect([scanner.title, scanner.linkText(0)]).toEqual(["ソ", "ソ"]);
  });
});

describe("text", () => {
  test("the fingerprint does not see whitespace or tags between words, and sees digits", () => {
    const page = hash("<title>T</title><p>price 12.50</p><ul><li>a</li><li>b</li></ul>");
    expect(hash("<title> T </title>\n<p class=x>\n  price\t12.50\n</p>\n<ul>\n  <li>a\n  <li>b</ul>\n")).toBe(page);
    expect(hash("<title>T</title><p>price 12.51</p><ul><li>a</li><li>b</li></ul>")).not.toBe(page);
    expect(hash("<title>U</title><p>price 12.50</p><ul><li>a</li><li>b</li></ul>")).not.toBe(page);
  });

  test("the fingerprint does not see scripts, styles, comments, templates and attributes", () => {
    expect(hash("<p>x<script>1</script><style>2</style><!--3--><template>4</template><i data-t=5></i>y")).toBe(hash("<p>x<i></i>y"));
  });

  test("is collapsed, decoded and broken at blocks, not at inline elements", () => {
    scan("<title>no</title><h1> A &amp;\n B</h1><p>c<b>d</b> e<br>f<script>no</script><textarea>t</textarea>", "utf-8", true);
    expect(scanner.text()).toBe("A & B\ncd e\nf\nt");
    expect(scan("<p>x").text()).toBeNull();
    scan("<p>&am<b>p;</b> a &lt; b < c\r\n  d<xmp>&amp;</xmp>", "utf-8", true);
    expect(scanner.text()).toBe("&amp; a < b < c d\n&amp;");
    scan(Buffer.from("<p>\x93&eacute;\xe9<p>&am<b>p;</b>", "latin1"), "windows-1252", true);
    expect(scanner.text()).toBe("\u201céé\n&amp;");
  });

  test("a page of millions of < that open nothing does not take a gigabyte to become text", () => {
    scan("<".repeat(3_000_000), "utf-8", true);
    const before = process.memoryUsage().heapUsed;
    expect(scanner.text()).toHaveLength(3_000_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
    scan("<p>a <&am<b>p;</b> < c &lt<", "utf-8", true);
    expect(scanner.text()).toBe("a <&amp; < c <<");
  });

  test("length is 0 without visible text, whatever the title", () => {
    expect(scan("<title>T</title><body> \n<script>x</script><img alt=y>").textLength).toBe(0);
    expect(scan("<p>x").textLength).toBeGreaterThan(0);
  });
});

describe("marks", () => {
  const shell = (body: string): readonly string[] => scan(`<title>App</title><script src=m.js></script><body>${body}`).marks;

  test("an application's empty mount point and a request for JavaScript are thin", () => {
    expect(shell('<div id="root"></div>')).toEqual(["thin"]);
    expect(shell("<div class=x id=__next><!-- --><div class=spinner></div></div>")).toEqual(["thin"]);
    expect(shell("<app-root>Loading...</app-root>")).toEqual(["thin"]);
    expect(shell("<noscript>You need to enable JavaScript to run this app.</noscript><div id=x></div>")).toEqual(["thin"]);
  });

  test("short real pages and server-rendered applications are not thin", () => {
    expect(shell("<p>Gone fishing.</p>")).toEqual([]);
    expect(shell(`<div id=root><p>${"Real words. ".repeat(10)}</p></div>`)).toEqual([]);
    expect(shell("<div id=root><p>Short, but here.</p></div>")).toEqual([]);
    expect(scan("<title>t</title><div id=root></div>").marks).toEqual([]);
  });

  test("a page without text and title is empty", () => {
    expect(scan("").marks).toEqual(["empty"]);
    expect(scan("<img src=x>").marks).toEqual(["empty"]);
    expect(scan("<title>x</title>").marks).toEqual([]);
  });
});

test("a page cut anywhere is read to its end without a fault", () => {
  const page = Buffer.from(
    "<!DOCTYPE html><title>t&amp;</title><!--c--!><a href='x&lt;'>t</a><svg><![CDATA[x]]></svg><script><!--<script></script>--></script>" +
      "<select><option>o</select><noscript>n</noscript><img srcset='a 1x, b 2x'><meta http-equiv=refresh content='0;url=x'>",
  );
  for (let cut = 0; cut <= page.length; cut++) {
    scanner.scan(page.subarray(0, cut), "utf-8", { wantText: true });
    scanner.text();
    for (let i = 0; i < scanner.linkCount; i++) expect(scanner.linkEnd[i]).toBeLessThanOrEqual(cut);
  }
});
