/**
 * Looks for a declared charset in the first bytes of a page. Source: HTML, "prescan a byte stream to determine its encoding".
 */
import { charsetLabel } from "./charset-label.ts";
import { ascii, equalsName, LOWER, SPACE } from "./html-bytes.ts";

/**
 * Bytes looked at. The standard asks for 1,024 and has the parser start again when a later `meta` names another charset; looking further at
 * once comes to the same, and only pages that declare nothing in their header or first lines pay for it.
 */
const WINDOW = 16_384;
const META = ascii("meta");
const XML = ascii("<?xml");
const isLetter = (c: number): boolean => LOWER[c] >= 97 && LOWER[c] <= 122;

/** The encoding's name, or null when they declare none. UTF-16 cannot be declared this way and counts as UTF-8. */
export function prescan(bytes: Uint8Array): string | null {
  const b = bytes.subarray(0, WINDOW);
  const utf16 = utf16Declaration(b);
  if (utf16 !== null) return utf16;
  const end = b.length;
  let p = 0;
  while (p < end) {
    if (b[p] !== 60) {
      p++;
    } else if (b[p + 1] === 33 && b[p + 2] === 45 && b[p + 3] === 45) {
      p = commentEnd(b, p + 4, end);
    } else if (equalsName(b, p + 1, p + 5, META) && (SPACE[b[p + 5]] === 1 || b[p + 5] === 47)) {
      const attributes = new PrescanAttributes(b, p + 6);
      const encoding = declaredBy(attributes);
      if (encoding !== null) return encoding;
      p = attributes.position;
    } else {
      p = markupEnd(b, p, end);
    }
  }
  return xmlEncoding(b);
}

/** The two dashes of the opening `<!--` may be those of the closing `-->`. */
function commentEnd(b: Uint8Array, from: number, end: number): number {
  for (let p = from; p < end; p++) if (b[p] === 62 && b[p - 1] === 45 && b[p - 2] === 45) return p + 1;
  return end;
}

/** From a `<` that opens neither a comment nor a `meta`. */
function markupEnd(b: Uint8Array, at: number, end: number): number {
  const c = b[at + 1];
  const isTag = isLetter(c) || (c === 47 && isLetter(b[at + 2]));
  let p = at + 1;
  if (isTag) {
    while (p < end && b[p] !== 62 && SPACE[b[p]] === 0) p++;
    const attributes = new PrescanAttributes(b, p);
    while (attributes.next());
    return attributes.position;
  }
  if (c !== 33 && c !== 47 && c !== 63) return p;
  while (p < end && b[p] !== 62) p++;
  return p + 1;
}

function declaredBy(attributes: PrescanAttributes): string | null {
  const seen = new Set<string>();
  let pragma = false;
  let needsPragma: boolean | null = null;
  let encoding: string | null = null;
  while (attributes.next()) {
    const { name, value } = attributes;
    if (seen.has(name)) continue;
    seen.add(name);
    if (name === "http-equiv") {
      pragma ||= value === "content-type";
    } else if (name === "content") {
      const found: string | null = encoding === null ? contentCharset(value) : null;
      if (found !== null) {
        encoding = found;
        needsPragma = true;
      }
    } else if (name === "charset") {
      encoding = charsetLabel(value);
      needsPragma = false;
    }
  }
  if (needsPragma === null || (needsPragma && !pragma) || encoding === null) return null;
  return asDeclared(encoding);
}

function asDeclared(encoding: string): string {
  if (encoding === "utf-16le" || encoding === "utf-16be") return "utf-8";
  return encoding === "x-user-defined" ? "windows-1252" : encoding;
}

/** Source: HTML, "extracting a character encoding from a meta element". */
function contentCharset(content: string): string | null {
  const match = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(["'])|([^\t\n\f\r ;]*))/.exec(content);
  if (match === null || match[3] !== undefined) return null;
  return charsetLabel(match[1] ?? match[2] ?? match[4] ?? "");
}

/** `<?x` in either byte order of UTF-16. */
function utf16Declaration(b: Uint8Array): string | null {
  if (b[0] === 0x3c && b[1] === 0 && b[2] === 0x3f && b[3] === 0 && b[4] === 0x78 && b[5] === 0) return "utf-16le";
  if (b[0] === 0 && b[1] === 0x3c && b[2] === 0 && b[3] === 0x3f && b[4] === 0 && b[5] === 0x78) return "utf-16be";
  return null;
}

/** The `encoding` of an XML declaration at the very start. Source: HTML, "get an XML encoding". */
function xmlEncoding(b: Uint8Array): string | null {
  if (!equalsName(b, 0, XML.length, XML)) return null;
  const close = b.indexOf(62);
  if (close < 0) return null;
  let head = "";
  for (const byte of b.subarray(0, close)) head += String.fromCharCode(byte);
  const match = /encoding[\x00-\x20]*=[\x00-\x20]*(?:"([^"\x00-\x20]*)"|'([^'\x00-\x20]*)')/.exec(head);
  if (match === null) return null;
  const encoding = charsetLabel(match[1] ?? match[2] ?? "");
  return encoding === null ? null : asDeclared(encoding);
}

/** Attributes as the prescan reads them, lower-cased, one `next` at a time. Source: HTML, "get an attribute" when sniffing. */
class PrescanAttributes {
  name = "";
  value = "";
  position: number;
  private readonly b: Uint8Array;

  constructor(b: Uint8Array, position: number) {
    this.b = b;
    this.position = position;
  }

  /** @returns false at the tag's `>` or at the window's end. */
  next(): boolean {
    const { b } = this;
    this.name = "";
    this.value = "";
    while (SPACE[b[this.position]] === 1 || b[this.position] === 47) this.position++;
    if (this.position >= b.length || b[this.position] === 62) return false;
    this.name = this.until((c) => c === 47 || c === 62 || SPACE[c] === 1 || (c === 61 && this.name !== ""), true);
    this.skipSpace();
    if (b[this.position] !== 61) return this.position < b.length;
    this.position++;
    this.skipSpace();
    const quote = b[this.position];
    if (quote === 34 || quote === 39) {
      this.position++;
      this.value = this.until((c) => c === quote, false);
      this.position++;
    } else {
      this.value = this.until((c) => c === 62 || SPACE[c] === 1, false);
    }
    return this.position < b.length;
  }

  private skipSpace(): void {
    while (SPACE[this.b[this.position]] === 1) this.position++;
  }

  private until(stops: (c: number) => boolean, isName: boolean): string {
    const { b } = this;
    let text = "";
    while (this.position < b.length && !stops(b[this.position])) {
      text += String.fromCharCode(LOWER[b[this.position++]]);
      if (isName) this.name = text;
    }
    return text;
  }
}
