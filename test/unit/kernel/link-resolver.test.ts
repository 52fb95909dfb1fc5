import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalUrl, MAX_URL_LENGTH } from "../../../src/kernel/canonical-url.ts";
import { LinkResolver, URL_TOO_LONG } from "../../../src/kernel/link-resolver.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** More runs by hand: `WEIR_RUNS=2000000 npx vitest run test/unit/kernel/link-resolver.test.ts --testTimeout 600000`. */
const RUNS = Number(process.env.WEIR_RUNS ?? 25_000);

function resolve(link: string, base = "https://example.com/docs/guide/start.html?page=2"): string | null {
  const resolver = new LinkResolver();
  resolver.setBase(base);
  const bytes = encoder.encode(`<${link}>`);
  const length = resolver.resolve(bytes, 1, bytes.length - 1);
  expect(length).toBe(resolver.text().length);
  return length === 0 ? null : resolver.text();
}

const TOKENS = [
  ..."/////....??##::;&=-_~@!$'()*+,|^`{}[]<>\"\\%% \t\n\r\u0000\u001f\u007f",
  ..."abzAZ019hxg",
  "http:", "https:", "http://", "https://", "HTTP://", "hTTps:", "ftp://", "mailto:", "javascript:", "data:", "h", "ht", "http", "https",
  "example.com", "www.example.com", "Example.COM", "a.b", "localhost", "127.0.0.1", "0x7f.1", "1.2.3", "256.1.1.1", "01.2.3.4", "1.2.3.4.",
  "[::1]", "xn--bcher-kva", "xn--a", "a--b", "-a", "a-", "a_b", "é", "ü.de", "日本", "\ud800", "\ufeff", "ß",
  ":80", ":443", ":8080", ":0", ":00", ":65535", ":65536", ":", ":80a", "user@", "user:pass@",
  "%2e", "%2E", ".%2e", "%2e.", "%2f", "%2F", "%41", "%7e", "%7E", "%zz", "%4", "%%37%37", "%C3%A9", "%c3", "%00", "%20", "%25", "%5e",
  "../", "./", "..", ".", "../../", "a/", "/a", "index.html", "a.b", "?q=1", "#top", "?", "#", "//", "///", "a=b&c=d", "+", "a b",
] as const;

const links = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...TOKENS), { maxLength: 9 }).map((tokens) => tokens.join("")) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom("", "http://", "https://", "//", "/", "../", "./"),
        fc.constantFrom("", "example.com", "a.example:8080", "127.0.0.1:8102", "example.com:443", "example.com:80", "sub.example.com."),
        fc.array(fc.constantFrom(...TOKENS), { maxLength: 5 }),
      )
      .map(([start, host, rest]) => start + host + rest.join("")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);
const bases = fc
  .oneof(
    fc.constantFrom(
      "https://example.com/", "http://example.com/docs/a/b.html?x=1/2", "http://127.0.0.1:8102/p/1", "https://[::1]:8080/a/b/", "http://a.b//c//d",
      "https://xn--bcher-kva.example/%zz/%", "http://a_b.example./x?%", "https://example.com/a?", "http://example.com:443/a/b",
    ),
    links.map((link) => `https://example.com/${link}`),
    links,
  )
  .map((text) => canonicalUrl(text))
  .filter((url) => url !== null);

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
        const authority = (url: string) => url.slice(0, url.indexOf("/", 8));
        expect(resolver.pathStart).toBe(authority(expected).length);
        if (resolver.onBase) expect(authority(expected)).toBe(authority(base));
      }),
      { numRuns: RUNS },
    );
  });
});
