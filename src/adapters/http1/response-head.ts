import type { Bytes } from "../../kernel/units.ts";
import type { HeaderView } from "../../ports/fetch-route.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Header bytes of one response, and of one set of trailers. */
export const HEAD_MOST: Bytes = 64 * 1024;

const STATUS_LINE = /^HTTP\/1\.([01]) +(\d{3})(?: |$)/;
/** RFC 9110 5.6.2. A space before the colon is refused too: it has been used to smuggle (RFC 9112 5.1). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FORBIDDEN = /[\0\r]/;
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
    this.framing = this.#framing();
    const connection = this.get("connection")?.toLowerCase() ?? "";
    this.keepAlive = line[1] === "1" ? !connection.includes("close") : connection.includes("keep-alive");
  }

  get(name: string): string | undefined {
    const fields = this.#fields;
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1];
    return undefined;
  }

  all(name: string): readonly string[] {
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

/** Where a line ends, and where the next one begins. */
function lineEnd(text: string, from: number): { readonly end: number; readonly next: number } {
  const lf = text.indexOf("\n", from);
  if (lf < 0) return { end: text.length, next: text.length };
  return { end: lf > from && text.charCodeAt(lf - 1) === 0x0d ? lf - 1 : lf, next: lf + 1 };
}

function fieldsOf(text: string, from: number): string[] {
  const fields: string[] = [];
  for (let at = from; at < text.length; ) {
    const { end, next } = lineEnd(text, at);
    const line = text.slice(at, end);
    at = next;
    if (FORBIDDEN.test(line)) throw new ProtocolError("a NUL or a bare CR in the headers");
    const code = line.charCodeAt(0);
    if ((code === 0x20 || code === 0x09) && fields.length > 0) {
      // A folded line (RFC 9112 5.2): obsolete, and still sent.
      fields[fields.length - 1] = `${fields[fields.length - 1]} ${trimmed(line)}`;
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    if (!TOKEN.test(name)) throw new ProtocolError(`${JSON.stringify(line.slice(0, 80))} is no header`);
    fields.push(name.toLowerCase(), trimmed(line.slice(colon + 1)));
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
