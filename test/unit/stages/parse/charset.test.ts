import { describe, expect, test } from "vitest";
import { decodeAll, sniffCharset } from "../../../../src/stages/parse/charset.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const sniff = (text: string, header: string | null = null): string => {
  const { encoding, source } = sniffCharset(bytes(text), header);
  return `${encoding} ${source}`;
};

describe("sniffing", () => {
  test("a byte order mark wins over the header, the header over the page", () => {
    expect(sniff("\xef\xbb\xbfx", "text/html; charset=koi8-r")).toBe("utf-8 bom");
    expect(sniff("\xff\xfex\0", "text/html; charset=koi8-r")).toBe("utf-16le bom");
    expect(sniff("\xfe\xff\0x")).toBe("utf-16be bom");
    expect(sniff("<meta charset=utf-8>", "text/html; charset=koi8-r")).toBe("koi8-r header");
    expect(sniff("<meta charset=koi8-r>", "text/html")).toBe("koi8-r meta");
    expect(sniff("<p>x")).toBe("windows-1252 default");
  });

  test("reads the header's parameter quoted, in any case, behind others, and passes over an unknown label", () => {
    expect(sniff("", "text/html;charset=UTF-8")).toBe("utf-8 header");
    expect(sniff("", 'text/html; a="; charset=koi8-r"; Charset="Shift_JIS"')).toBe("shift_jis header");
    expect(sniff("", "text/html; charset=latin1 ; charset=utf-8")).toBe("windows-1252 header");
    expect(sniff("<meta charset=koi8-r>", "text/html; charset=none")).toBe("koi8-r meta");
  });

  test("prescans as the standard does", () => {
    expect(sniff("<meta http-equiv=content-type content='text/html; charset=\"koi8-r\"'>")).toBe("koi8-r meta");
    expect(sniff("<meta content='text/html; charset=koi8-r'>")).toBe("windows-1252 default");
    expect(sniff("<!-- <meta charset=koi8-r> --><meta charset=big5>")).toBe("big5 meta");
    expect(sniff("<p title='<meta charset=koi8-r>'><meta charset=big5>")).toBe("big5 meta");
    expect(sniff("<meta charset=utf-16>")).toBe("utf-8 meta");
    expect(sniff("<meta charset=x-user-defined>")).toBe("windows-1252 meta");
    expect(sniff("<meta charset=nonsense><meta charset=big5>")).toBe("big5 meta");
    expect(sniff("<meta content=charset>")).toBe("windows-1252 default");
    expect(sniff(`<!--${"x".repeat(3_000)}--><meta charset=big5>`)).toBe("big5 meta");
    expect(sniff("<?xml version='1.0' encoding='koi8-r'?><p>")).toBe("koi8-r meta");
  });

  test("a page in UTF-8 that declares nothing is not read as mojibake; other bytes stay windows-1252", () => {
    expect(sniff("<p>Caf\xc3\xa9")).toBe("utf-8 guess");
    expect(sniff("<p>Caf\xc3\xa9", "text/html; charset=none")).toBe("utf-8 guess");
    expect(sniff("<p>Caf\xe9")).toBe("windows-1252 default");
    expect(sniff("<p>Caf\xc3\xa9 \x93")).toBe("windows-1252 default");
    expect(sniff("<p>Caf\xc3\xa9", "text/html; charset=latin1")).toBe("windows-1252 header");
  });

  test("JSON and plain text that quote a meta are not decoded by it", () => {
    const quoted = bytes('{"html":"<meta charset=koi8-r>","name":"Caf\xc3\xa9"}');
    expect(sniffCharset(quoted, "application/json", false)).toEqual({ encoding: "utf-8", source: "guess" });
  });

  test("ends on any cut of a declaration", () => {
    const page = "<?xml encoding='big5'?><!-- x --><p a='b' c><meta http-equiv=content-type content='a; charset=koi8-r'>";
    for (let cut = 0; cut <= page.length; cut++)
      expect(sniff(page.slice(0, cut))).toMatch(/^(windows-1252 default|big5 meta|koi8-r meta)$/);
  });
});

describe("decoding", () => {
  test("windows-1252 has its quotes and euro sign, whatever the platform's decoder says", () => {
    expect(decodeAll(bytes("\x80\x93a\x94\x81\xe9"), "windows-1252")).toBe("€“a”\u0081é");
  });

  test("drops a byte order mark and never throws", () => {
    expect(decodeAll(bytes("\xef\xbb\xbfa\xff"), "utf-8")).toBe("a\u{fffd}");
    expect(decodeAll(bytes("\xff\xfea\0"), "utf-16le")).toBe("a");
    expect(decodeAll(bytes("abc"), "replacement")).toBe("\u{fffd}");
    expect(decodeAll(bytes("abc"), "iso-8859-16")).toBe("abc");
  });
});
