/**
 * From byte ranges to the strings a document object model would hold.
 */
import { decodeHTML, decodeHTMLAttribute } from "entities";
import { decodeAll } from "./charset.ts";
import { SPACE } from "./html-bytes.ts";

const REFERENCE = 1;
const REWRITTEN = 2;
const HIGH = 4;
const CLASS = new Uint8Array(256);
CLASS[38] = REFERENCE;
CLASS[0] = REWRITTEN; // NUL becomes U+FFFD,
CLASS[13] = REWRITTEN; // CR and CRLF become LF.
CLASS.fill(HIGH, 128);

/** Which of the three ways a range's bytes differ from its text; 0 where they are ASCII and the text. */
function classOf(b: Uint8Array, start: number, end: number): number {
  let seen = 0;
  for (let p = start; p < end; p++) seen |= CLASS[b[p]];
  return seen;
}

/** Whether a range's bytes, read as UTF-8, are its text. */
export function isVerbatim(b: Uint8Array, start: number, end: number, encoding: string): boolean {
  const seen = classOf(b, start, end);
  return seen === 0 || (seen === HIGH && encoding === "utf-8");
}

function text(b: Buffer, start: number, end: number, encoding: string, seen: number): string {
  const raw = (seen & HIGH) === 0 ? b.toString("latin1", start, end) : decodeRange(b, start, end, encoding);
  if ((seen & REWRITTEN) === 0) return raw;
  return raw.replace(/\r\n?/g, "\n").replaceAll("\0", "\u{fffd}");
}

function decodeRange(b: Buffer, start: number, end: number, encoding: string): string {
  return encoding === "utf-8" ? b.toString("utf8", start, end) : decodeAll(b.subarray(start, end), encoding);
}

/** The value of an attribute whose raw bytes are `[start, end)`. */
export function attributeValue(b: Buffer, start: number, end: number, encoding: string): string {
  const seen = classOf(b, start, end);
  const value = text(b, start, end, encoding, seen);
  return (seen & REFERENCE) === 0 ? value : decodeHTMLAttribute(value);
}

/** The text of a text node or of an RCDATA element. */
export function nodeText(b: Buffer, start: number, end: number, encoding: string): string {
  const seen = classOf(b, start, end);
  const value = text(b, start, end, encoding, seen);
  return (seen & REFERENCE) === 0 ? value : decodeHTML(value);
}

/** The text of raw text, where `&` means nothing. */
export function rawText(b: Buffer, start: number, end: number, encoding: string): string {
  return text(b, start, end, encoding, classOf(b, start, end));
}

/** Collapses ASCII whitespace; what is a single space already is not touched, for speed. */
export function collapseInside(value: string): string {
  return value.replace(/[\t\n\f\r ]{2,}|[\t\n\f\r]/g, " ");
}

/** Strips one space at either end. */
export function trimSpace(value: string): string {
  const start = value.startsWith(" ") ? 1 : 0;
  return value.slice(start, value.endsWith(" ") ? Math.max(start, value.length - 1) : value.length);
}

/** Strips and collapses ASCII whitespace, as `document.title` does. */
export function collapse(value: string): string {
  return trimSpace(collapseInside(value));
}

/** The index of the first byte of `[start, end)` that is not whitespace, or `end`. */
export function trimStart(b: Uint8Array, start: number, end: number): number {
  let p = start;
  while (p < end && SPACE[b[p]] === 1) p++;
  return p;
}

/** The index behind the last byte of `[start, end)` that is not whitespace, or `start`. */
export function trimEnd(b: Uint8Array, start: number, end: number): number {
  let p = end;
  while (p > start && SPACE[b[p - 1]] === 1) p--;
  return p;
}
