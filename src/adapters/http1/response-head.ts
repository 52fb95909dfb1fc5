import type { Bytes } from "../../kernel/units.ts";
import type { HeaderView } from "../../ports/fetch-route.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Header bytes of one response, and of one set of trailers. */
export const HEAD_MOST: Bytes = 64 * 1024;

const STATUS_LINE = /^HTTP\/1\.([01]) +(\d{3})(?: |$)/;
/** RFC 9110 5.6.2. A space before the colon is refused too: it has been used to smuggle (RFC 9112 5.1). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A NUL, or a CR that ends no line. */
const FORBIDDEN = /\0|\r(?!\n)/;
const DIGITS = /^\d{1,15}$/;

/** How the end of a body is told. Source: RFC 9112 6.3. */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly length: Bytes }
  | { readonly kind: "chunked" }
  | { readonly kind: "close" };

const NO_BODY: Framing = { kind: "none" };
const CHUNKED: Framing = { kind: "chunked" };
const UNTIL_CLOSE: Framing = { kind: "close" };

/** Status line and headers of one response. Values are latin1, so bytes above 127 survive a round trip. */
export class ResponseHead implements HeaderView {
  readonly status: number;
  /** In bytes, the empty line included. */
  readonly size: Bytes;
  readonly framing: Framing;
  /** The connection may serve another request. */
  readonly keepAlive: boolean;
  /** Names, lower-case, and values, in turn. */
  readonly #fields: readonly string[];
  /** A bit for each name that is there (`bitOf`): of the many names that every answer is asked for, most are absent. */
  readonly #present: number;

  /**
   * @param text everything before the empty line, as latin1, lines ended by CRLF or LF.
   * @throws ProtocolError
   */
  constructor(text: string) {
    const first = lineEnd(text, 0);
    const line = STATUS_LINE.exec(text.slice(0, first.end));
    if (line === null) throw new ProtocolError(`${JSON.stringify(text.slice(0, Math.min(first.end, 80)))} is no status line of HTTP/1`);
    this.status = Number(line[2]);
    this.size = text.length + 4;
    this.#fields = fieldsOf(text, first.next);
    this.#present = bitsOf(this.#fields);
    this.framing = this.#framing();
    const connection = this.get("connection")?.toLowerCase() ?? "";
    this.keepAlive = line[1] === "1" ? !connection.includes("close") : connection.includes("keep-alive");
  }

  get(name: string): string | undefined {
    if ((this.#present & bitOf(name)) === 0) return undefined;
    const fields = this.#fields;
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1];
    return undefined;
  }

  all(name: string): readonly string[] {
    if ((this.#present & bitOf(name)) === 0) return NONE;
    const fields = this.#fields;
    let values: string[] = NONE;
    for (let i = 0; i < fields.length; i += 2) {
      if (fields[i] === name) values = values === NONE ? [fields[i + 1]] : [...values, fields[i + 1]];
    }
    return values;
  }

  entries(): readonly (readonly [string, string])[] {
    const entries: (readonly [string, string])[] = [];
    for (let i = 0; i < this.#fields.length; i += 2) entries.push([this.#fields[i], this.#fields[i + 1]]);
    return entries;
  }

  #framing(): Framing {
    const { status } = this;
    if (status < 200 || status === 204 || status === 304) return NO_BODY;
    const codings = this.all("transfer-encoding");
    const lengths = this.all("content-length");
    if (codings.length > 0) {
      if (lengths.length > 0) throw new ProtocolError("both Transfer-Encoding and Content-Length");
      return /(?:^|,)\s*chunked\s*$/i.test(codings[codings.length - 1]) ? CHUNKED : UNTIL_CLOSE;
    }
    if (lengths.length === 0) return UNTIL_CLOSE;
    const [length] = lengths;
    if (!DIGITS.test(length)) throw new ProtocolError(`Content-Length is ${JSON.stringify(length)}`);
    if (lengths.some((other) => other !== length)) throw new ProtocolError("several Content-Lengths that differ");
    return { kind: "length", length: Number(length) };
  }
}

const NONE: string[] = [];

/** Names as most servers write them, to lower case: what needs no check. */
const USUAL: ReadonlyMap<string, string> = new Map(
  [
    "Server",
    "Date",
    "Content-Type",
    "Content-Length",
    "Content-Encoding",
    "Last-Modified",
    "Connection",
    "Keep-Alive",
    "ETag",
    "Accept-Ranges",
    "Vary",
    "Cache-Control",
    "Expires",
    "Age",
    "Set-Cookie",
    "Transfer-Encoding",
    "Location",
    "Strict-Transport-Security",
    "X-Content-Type-Options",
    "X-Frame-Options",
  ].flatMap((name) => [[name, name.toLowerCase()] as const, [name.toLowerCase(), name.toLowerCase()] as const]),
);

/** Where a line ends, and where the next one begins. */
function lineEnd(text: string, from: number): { readonly end: number; readonly next: number } {
  const lf = text.indexOf("\n", from);
  if (lf < 0) return { end: text.length, next: text.length };
  return { end: lf > from && text.charCodeAt(lf - 1) === 0x0d ? lf - 1 : lf, next: lf + 1 };
}

/** One of 32 bits, from a name's length and its first two letters. */
function bitOf(name: string): number {
  return 1 << ((7 * name.length + 3 * name.charCodeAt(0) + name.charCodeAt(1)) & 31);
}

function bitsOf(fields: readonly string[]): number {
  let bits = 0;
  for (let i = 0; i < fields.length; i += 2) bits |= bitOf(fields[i]);
  return bits;
}

function fieldsOf(text: string, from: number): string[] {
  if (FORBIDDEN.test(text.slice(from))) throw new ProtocolError("a NUL or a bare CR in the headers");
  const fields: string[] = [];
  for (let at = from; at < text.length; ) {
    const { end, next } = lineEnd(text, at);
    const line = text.slice(at, end);
    at = next;
    const code = line.charCodeAt(0);
    if ((code === 0x20 || code === 0x09) && fields.length > 0) {
      // A folded line (RFC 9112 5.2): obsolete, and still sent.
      fields[fields.length - 1] = `${fields[fields.length - 1]} ${trimmed(line)}`;
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    let known = USUAL.get(name);
    if (known === undefined) {
      if (!TOKEN.test(name)) throw new ProtocolError(`${JSON.stringify(line.slice(0, 80))} is no header`);
      known = name.toLowerCase();
    }
    fields.push(known, trimmed(line.slice(colon + 1)));
  }
  return fields;
}

/** Without blanks around; only these, for bytes above 127 belong to the value. */
function trimmed(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start += 1;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1;
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
