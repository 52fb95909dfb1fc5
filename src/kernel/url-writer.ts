import { MAX_URL_LENGTH } from "./canonical-url.ts";
import {
  COLON,
  DOT,
  ENCODED,
  HASH,
  HEX_DIGIT,
  HEX_VALUE,
  HOST_BYTES,
  PATH_BYTES,
  PERCENT,
  PLAIN,
  QUERY_BYTES,
  QUESTION,
  UNRESERVED,
  UNUSUAL,
} from "./url-bytes.ts";

/** Room for three bytes of output for each of a long link's, behind a base of usual length. */
export const SCRATCH_BYTES = 4 * MAX_URL_LENGTH;

/** Returned where only the full parser knows. */
export const UNKNOWN = -2;

const HYPHEN_BYTE = 0x2d;
const DOT_BYTE = 0x2e;
const SLASH_BYTE = 0x2f;
const COLON_BYTE = 0x3a;
const QUESTION_BYTE = 0x3f;
const HASH_BYTE = 0x23;
const PERCENT_BYTE = 0x25;

/**
 * Writes the parts of a canonical URL into one buffer, copying, checking and classifying in one pass over the link.
 *
 * Every `write` method reads `input` from `start` to `end`, writes from `at` on, goes on with the parts that follow, and returns
 * where the URL ends: 0 when the link is of another scheme, `UNKNOWN` when only the full parser can say. The caller sees to it
 * that there is room for three bytes of output for each of input.
 */
export class UrlWriter {
  readonly scratch: Uint8Array = new Uint8Array(SCRATCH_BYTES);
  /** The same memory by words. */
  readonly words: Int32Array = new Int32Array(this.scratch.buffer);
  /** Where the path begins in `scratch`. Whoever begins with `writePath` or `writeQuery` has set it. */
  pathStart = 0;
  input: Uint8Array = new Uint8Array(0);
  /** The same bytes as `input`: four at a time, at any offset, which takes less than half the time of single ones. */
  inputView: DataView = new DataView(this.input.buffer);

  readonly #scratchView = new DataView(this.scratch.buffer);

  /** A host, then port, path and query; `secure` for https. */
  writeHost(start: number, end: number, at: number, secure: boolean): number {
    const out = this.scratch;
    let i = start;
    let to = at;
    let label = at;
    let kind = PLAIN;
    for (;;) {
      const run = this.#copyPlain(HOST_BYTES, i, end, to);
      to += run - i;
      i = run;
      if (i === end) break;
      kind = HOST_BYTES[this.input[i]];
      if (kind !== DOT) break;
      if (to === label || isReserved(out, label, to)) return UNKNOWN;
      out[to++] = DOT_BYTE;
      label = to;
      i++;
    }
    if (to === label || isReserved(out, label, to)) return UNKNOWN;
    if (out[label] <= 0x39 && !isDottedDecimal(out, at, to)) return UNKNOWN;
    return kind === COLON ? this.#writePort(i + 1, end, to, secure) : this.writeTail(i, end, to);
  }

  /** What follows the authority, which ends at `at`. The path is `/` at least. */
  writeTail(start: number, end: number, at: number): number {
    this.pathStart = at;
    this.scratch[at] = SLASH_BYTE;
    if (start === end) return at + 1;
    const next = this.input[start];
    if (next === SLASH_BYTE) return this.writePath(start + 1, end, at + 1, false);
    if (next === QUESTION_BYTE) return this.writeQuery(start, end, at + 1);
    return next === HASH_BYTE ? at + 1 : UNKNOWN;
  }

  /** A path behind the slash at `at - 1`. With `mayBeScheme`, a colon can show that the link was not relative. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: two positions move together; a method cannot return both without an object.
  writePath(start: number, end: number, at: number, mayBeScheme: boolean): number {
    const input = this.input;
    let i = start;
    let to = at;
    for (;;) {
      const run = this.#copyPlain(PATH_BYTES, i, end, to);
      to += run - i;
      i = run;
      if (i === end) return to;
      const kind = PATH_BYTES[input[i]];
      if (kind === HASH) return to;
      if (kind === QUESTION) return this.writeQuery(i, end, to);
      if (kind === COLON && mayBeScheme && isScheme(input, start, i)) return isHttp(input, start, i) ? UNKNOWN : 0;
      const next = kind === DOT && this.scratch[to - 1] === SLASH_BYTE ? dotSegmentEnd(input, i, end) : i;
      if (next > i) {
        if (next > i + 1 && input[i + 1] === DOT_BYTE) to = this.#parentOf(to);
        i = next;
        continue;
      }
      to = this.#writeSpecial(kind, i, end, to);
      if (to === UNKNOWN) return UNKNOWN;
      i += kind === PERCENT ? 3 : 1;
    }
  }

  /** A query, from its `?` on. */
  writeQuery(start: number, end: number, at: number): number {
    let i = start;
    let to = at;
    for (;;) {
      const run = this.#copyPlain(QUERY_BYTES, i, end, to);
      to += run - i;
      i = run;
      if (i === end) return to;
      const kind = QUERY_BYTES[this.input[i]];
      if (kind === HASH) return to;
      to = this.#writeSpecial(kind, i, end, to);
      if (to === UNKNOWN) return UNKNOWN;
      i += kind === PERCENT ? 3 : 1;
    }
  }

  /** Copies the plain bytes at `start` and returns where they end. May write up to three bytes more. */
  #copyPlain(kinds: Uint8Array, start: number, end: number, at: number): number {
    const input = this.inputView;
    const out = this.#scratchView;
    const shift = at - start;
    let i = start;
    for (; i + 4 <= end; i += 4) {
      const four = input.getInt32(i, true);
      out.setInt32(i + shift, four, true);
      const first = kinds[four & 255];
      const second = kinds[(four >>> 8) & 255];
      const third = kinds[(four >>> 16) & 255];
      if ((first | second | third | kinds[four >>> 24]) === PLAIN) continue;
      if (first !== PLAIN) return i;
      if (second !== PLAIN) return i + 1;
      return third === PLAIN ? i + 3 : i + 2;
    }
    for (; i < end; i++) {
      const byte = this.input[i];
      if (kinds[byte] !== PLAIN) break;
      this.scratch[i + shift] = byte;
    }
    return i;
  }

  /** The digits behind a colon; the scheme's own port is left out. */
  #writePort(start: number, end: number, at: number, secure: boolean): number {
    const out = this.scratch;
    let to = at;
    let port = 0;
    let i = start;
    out[to++] = COLON_BYTE;
    for (; i < end; i++) {
      const digit = this.input[i] - 0x30;
      if (digit < 0 || digit > 9) break;
      port = port * 10 + digit;
      if (port === 0 || port > 65535) return UNKNOWN;
      out[to++] = digit + 0x30;
    }
    if (i === start) return UNKNOWN;
    return this.writeTail(i, end, port === (secure ? 443 : 80) ? at : to);
  }

  /** The folder that holds the folder ending at `to`, the top one holding itself. */
  #parentOf(to: number): number {
    if (to - 1 === this.pathStart) return to;
    let slash = to - 2;
    while (this.scratch[slash] !== SLASH_BYTE) slash--;
    return slash + 1;
  }

  /** One byte that is not plain, or one escape. */
  #writeSpecial(kind: number, start: number, end: number, to: number): number {
    const byte = this.input[start];
    if (kind === PERCENT) return this.#writeEscape(start, end, to);
    if (kind === ENCODED) return this.#writeEncoded(byte, to);
    if (kind === UNUSUAL) return UNKNOWN;
    this.scratch[to] = byte;
    return to + 1;
  }

  /** An escape in upper case, or decoded where that means the same. */
  #writeEscape(start: number, end: number, to: number): number {
    if (start + 2 >= end) return UNKNOWN;
    const high = HEX_VALUE[this.input[start + 1]];
    const low = HEX_VALUE[this.input[start + 2]];
    const byte = high * 16 + low;
    // An encoded dot can be part of a dot segment.
    if (high === 255 || low === 255 || byte === DOT_BYTE) return UNKNOWN;
    if (UNRESERVED[byte] === 0) return this.#writeEncoded(byte, to);
    this.scratch[to] = byte;
    return to + 1;
  }

  #writeEncoded(byte: number, to: number): number {
    const out = this.scratch;
    out[to] = PERCENT_BYTE;
    out[to + 1] = HEX_DIGIT[byte >> 4];
    out[to + 2] = HEX_DIGIT[byte & 15];
    return to + 3;
  }
}

/** Where the link goes on behind `.` or `..` when the dot at `start`, first in its segment, is one; else `start`. */
function dotSegmentEnd(bytes: Uint8Array, start: number, end: number): number {
  const next = start + 1 < end && bytes[start + 1] === DOT_BYTE ? start + 2 : start + 1;
  if (next === end) return end;
  const byte = bytes[next];
  if (byte === SLASH_BYTE) return next + 1;
  return byte === QUESTION_BYTE || byte === HASH_BYTE ? next : start;
}

/** Whether a label has hyphens as its third and fourth character, as `xn--` has: what they mean is for the full parser. */
function isReserved(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start > 3 && bytes[start + 2] === HYPHEN_BYTE && bytes[start + 3] === HYPHEN_BYTE;
}

/** Four numbers of 0–255 without leading zeros: the only numeric host that is its own canonical form. */
function isDottedDecimal(bytes: Uint8Array, start: number, end: number): boolean {
  let parts = 1;
  let value = -1;
  for (let i = start; i < end; i++) {
    const digit = bytes[i] - 0x30;
    if (bytes[i] === DOT_BYTE) {
      parts++;
      value = -1;
    } else if (digit < 0 || digit > 9 || value === 0) {
      return false;
    } else {
      value = value === -1 ? digit : value * 10 + digit;
      if (value > 255) return false;
    }
  }
  return parts === 4;
}

/** Whether the bytes before a colon are a scheme: a letter, then letters, digits, `+`, `-` and `.`. */
function isScheme(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    const lower = byte | 0x20;
    if (lower >= 0x61 && lower <= 0x7a) continue;
    if (i === start) return false;
    if ((byte < 0x30 || byte > 0x39) && byte !== 0x2b && byte !== HYPHEN_BYTE && byte !== DOT_BYTE) return false;
  }
  return start < end;
}

/** Whether that scheme is `http` or `https`, in any case. Only these can still give a URL. */
function isHttp(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length !== 4 && length !== 5) return false;
  const name = [0x68, 0x74, 0x74, 0x70, 0x73];
  for (let i = 0; i < length; i++) if ((bytes[start + i] | 0x20) !== name[i]) return false;
  return true;
}
