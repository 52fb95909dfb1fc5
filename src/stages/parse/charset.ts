/**
 * Which charset a page is in, and its text in it.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { charsetLabel } from "./charset-label.ts";
import { prescan } from "./charset-prescan.ts";

export interface Charset {
  /** Encoding standard name, lower case. */
  readonly encoding: string;
  readonly source: "bom" | "header" | "meta" | "guess" | "default";
}

const UTF8_BOM: Charset = { encoding: "utf-8", source: "bom" };
const UTF16LE_BOM: Charset = { encoding: "utf-16le", source: "bom" };
const UTF16BE_BOM: Charset = { encoding: "utf-16be", source: "bom" };
const UTF8_HEADER: Charset = { encoding: "utf-8", source: "header" };
const UTF8_GUESS: Charset = { encoding: "utf-8", source: "guess" };
const FALLBACK: Charset = { encoding: "windows-1252", source: "default" };

/** The usual spellings, which need no parsing. */
const PLAIN_UTF8 = /^text\/html; ?charset=utf-8$/i;

/**
 * Byte order mark, then the `charset` of Content-Type, then a `meta` near the start, then UTF-8 where the bytes are that and more
 * than ASCII, which text in another charset never is by chance, then windows-1252.
 * Source: HTML, encoding sniffing algorithm (a BOM wins over the header there too; its step 8 allows the guess).
 * @param isMarkup false for plain text and JSON, which may quote a `meta` and cannot have one.
 */
export function sniffCharset(bytes: Uint8Array, contentType: string | null, isMarkup = true): Charset {
  const b0 = bytes[0];
  if (b0 === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return UTF8_BOM;
  if (b0 === 0xff && bytes[1] === 0xfe) return UTF16LE_BOM;
  if (b0 === 0xfe && bytes[1] === 0xff) return UTF16BE_BOM;
  if (contentType !== null) {
    if (PLAIN_UTF8.test(contentType)) return UTF8_HEADER;
    const encoding = headerCharset(contentType);
    if (encoding !== null) return { encoding, source: "header" };
  }
  const encoding = isMarkup ? prescan(bytes) : null;
  if (encoding !== null) return { encoding, source: "meta" };
  return isUtf8(bytes) && !isAscii(bytes) ? UTF8_GUESS : FALLBACK;
}

/** One parameter of a Content-Type value: name, quoted value, plain value. */
const PARAMETER = /;[\t\n\r ]*([^;=]*)(?:=(?:"((?:\\.|[^"\\])*)"?[^;]*|([^;,]*)))?/g;

/** The first `charset` parameter, where it names an encoding. Source: MIME Sniffing, "parse a MIME type". */
function headerCharset(contentType: string): string | null {
  for (const [, name, quoted, plain] of contentType.slice(0, 1_000).matchAll(PARAMETER)) {
    if (name.toLowerCase() === "charset") return charsetLabel(quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "");
  }
  return null;
}

type Decoder = InstanceType<typeof TextDecoder>;
const decoders = new Map<string, Decoder | null>();

/** The platform's decoder, kept; null for the few encodings Node has none for. */
function decoderFor(encoding: string): Decoder | null {
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    try {
      decoder = new TextDecoder(encoding);
    } catch {
      decoder = null; // iso-8859-16 and x-user-defined; read as windows-1252, which has the same ASCII.
    }
    decoders.set(encoding, decoder);
  }
  return decoder;
}

/** Characters of windows-1252 at 0x80 to 0x9F. Node 20's own decoder reads these as ISO-8859-1 controls. */
const WINDOWS_1252 =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

/** The text of `bytes`, without a byte order mark, in an encoding named by `sniffCharset`. Never throws: what is malformed is U+FFFD. */
export function decodeAll(bytes: Uint8Array, encoding: string): string {
  if (encoding === "replacement") return bytes.length === 0 ? "" : "\u{fffd}";
  const decoder = encoding === "windows-1252" ? null : decoderFor(encoding);
  if (decoder !== null) return decoder.decode(bytes);
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return latin1.replace(/[\u0080-\u009f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80]);
}
