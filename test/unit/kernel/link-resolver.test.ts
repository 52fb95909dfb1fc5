import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalUrl, MAX_URL_LENGTH } from "../../../src/kernel/canonical-url.ts";
import { LinkResolver, URL_TOO_LONG } from "../../../src/kernel/link-resolver.ts";
import { links } from "./url-arbitraries.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** More by hand: `WEIR_RUNS=2000000 npx vitest run test/unit/kernel/link-resolver.test.ts --testTimeout 600000`. */
const RUNS = Number(process.env.WEIR_RUNS ?? 20_000);

const BASE = "https://example.com/docs/guide/start.html?page=2";

function resolve(link: string, base = BASE): string | null {
  const resolver = new LinkResolver();
  resolver.setBase(base);
  const bytes = encoder.encode(`<${link}>`);
  return resolver.resolve(bytes, 1, bytes.length - 1) === 0 ? null : resolver.text();
}

const bases = fc
  .oneof(
    fc.constantFrom(
      "https://example.com/",
      "http://example.com/docs/a/b.html?x=1/2",
      "http://127.0.0.1:8102/p/1",
      "https://[::1]:8080/a/b/",
      "http://a.b//c//d",
      "https://xn--bcher-kva.example/%zz/%",
      "http://a_b.example./x?%",
      "https://example.com/a?",
      "http://example.com:443/a/b",
    ),
    links.map((link) => `https://example.com/${link}`),
    links,
  )
  .map((text) => canonicalUrl(text))
  .filter((url) => url !== null);

const authorityOf = (url: string) => url.slice(0, url.indexOf("/", "https://".length));

describe("LinkResolver", () => {
  test("it gives what canonicalUrl gives, for any bytes and any base", () => {
    const resolver = new LinkResolver();
    fc.assert(
      fc.property(links, bases, (link, base) => {
        resolver.setBase(base);
        const bytes = encoder.encode(link);
        const expected = canonicalUrl(decoder.decode(bytes), base);
        const length = resolver.resolve(bytes, 0, bytes.length);
        expect(length === 0 ? null : resolver.text()).toBe(expected);
        expect(resolver.resolveString(link)).toBe(expected === null ? 0 : expected.length);
        if (expected === null) return;
        expect(resolver.text()).toBe(expected);
        expect(resolver.pathStart).toBe(authorityOf(expected).length);
        if (resolver.onBase) expect(authorityOf(expected)).toBe(authorityOf(base));
      }),
      { numRuns: RUNS },
    );
  });

  test.each([
    ["", "https://example.com/docs/guide/start.html?page=2"],
    ["#top", "https://example.com/docs/guide/start.html?page=2"],
    ["?page=3#x", "https://example.com/docs/guide/start.html?page=3"],
    ["next.html", "https://example.com/docs/guide/next.html"],
    ["./next.html", "https://example.com/docs/guide/next.html"],
    ["../index.html", "https://example.com/docs/index.html"],
    ["../../../../up", "https://example.com/up"],
    ["a/./b/../c/..", "https://example.com/docs/guide/a/"],
    ["..", "https://example.com/docs/"],
    [".hidden/..name", "https://example.com/docs/guide/.hidden/..name"],
    ["/rooted?x=/../y", "https://example.com/rooted?x=/../y"],
    ["//cdn.example.net", "https://cdn.example.net/"],
    ["http://other.example:80/a?b", "http://other.example/a?b"],
    ["https://other.example:8443#f", "https://other.example:8443/"],
    ["http://127.0.0.1:8102/p", "http://127.0.0.1:8102/p"],
    ["http://0x7f.1/", "http://127.0.0.1/"],
    ["https://example.com", "https://example.com/"],
    ["https://EXAMPLE.com/A", "https://example.com/A"],
    [" \t/a b%7e%2f'?'^ \n", "https://example.com/a%20b~%2F'?%27^"],
    ["/caf\u00e9", "https://example.com/caf%C3%A9"],
    ["a:b", null],
    ["http:next", "http://next/"],
    ["https:next", "https://example.com/docs/guide/next"],
    ["1a:b", "https://example.com/docs/guide/1a:b"],
    ["a/b:c", "https://example.com/docs/guide/a/b:c"],
    ["mailto:a@b.example", null],
    ["JavaScript:void(0)", null],
    ["http://", null],
    ["http://a..b:99999/", null],
  ])("%j becomes %s", (link, expected) => {
    expect(resolve(link)).toBe(expected);
  });

  test("a link to the base's host is recognised, however the link is written", () => {
    const resolver = new LinkResolver();
    resolver.setBase(BASE);
    const onBase = (link: string) => [resolver.resolveString(link) > 0, resolver.onBase];
    for (const link of ["x", "/x", "//example.com/x", "https://example.com", "https://ex\u00e4mple.com/../x", "/caf\u00e9"]) {
      expect(onBase(link)).toEqual([true, !link.includes("\u00e4")]);
    }
    for (const link of ["http://example.com/x", "https://example.com.evil.example/", "https://example.com:8443/", "//example.co/"]) {
      expect(onBase(link)).toEqual([true, false]);
    }
  });

  test("a URL beyond the limit is told apart from an unusable one, on the fast path and on the slow one", () => {
    const resolver = new LinkResolver();
    resolver.setBase("https://example.com/");
    const room = MAX_URL_LENGTH - "https://example.com/".length;
    expect(resolver.resolveString("a".repeat(room))).toBe(MAX_URL_LENGTH);
    expect(resolver.resolveString("a".repeat(room + 1))).toBe(URL_TOO_LONG);
    expect(resolver.text()).toBe("");
    expect(resolver.resolveString(`\u00e9${"a".repeat(room - 6)}`)).toBe(MAX_URL_LENGTH);
    expect(resolver.resolveString(`\u00e9${"a".repeat(room - 5)}`)).toBe(URL_TOO_LONG);
    expect(resolver.resolveString("a".repeat(1_000_000))).toBe(URL_TOO_LONG);
    resolver.setBase(`https://example.com/${"b".repeat(100_000)}/`);
    expect(resolver.resolveString("x")).toBe(URL_TOO_LONG);
    expect(resolver.resolveString("/x")).toBe("https://example.com/x".length);
  });

  test("without a base only absolute links are resolved", () => {
    const resolver = new LinkResolver();
    expect(resolver.resolveString("https://example.com/a")).toBe("https://example.com/a".length);
    for (const link of ["", "a", "/a", "//a.example/", "?a", "#a"]) expect(resolver.resolveString(link)).toBe(0);
    expect(resolver.resolveString("https://b\u00fccher.example/")).toBe("https://xn--bcher-kva.example/".length);
  });

  test("letting go of the input keeps the result, and the same input can be given again", () => {
    const resolver = new LinkResolver();
    resolver.setBase(BASE);
    const bytes = encoder.encode("a.html");
    resolver.resolve(bytes, 0, bytes.length);
    resolver.release();
    expect(resolver.text()).toBe("https://example.com/docs/guide/a.html");
    resolver.resolve(bytes, 0, 1);
    expect(resolver.text()).toBe("https://example.com/docs/guide/a");
  });

  test("the words of the scratch are its bytes", () => {
    const resolver = new LinkResolver();
    resolver.resolveString("http://a.example/");
    expect(resolver.words.buffer).toBe(resolver.scratch.buffer);
    expect(resolver.scratch.byteOffset).toBe(0);
  });
});
