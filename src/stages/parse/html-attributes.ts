/**
 * Attributes of one tag as byte ranges, for the few names anyone asks for.
 */
import { ascii, attributeNameEnd, findByte, LOWER, SPACE } from "./html-bytes.ts";

export const ATTR_HREF = 0;
export const ATTR_REL = 1;
export const ATTR_SRC = 2;
export const ATTR_SRCSET = 3;
export const ATTR_TYPE = 4;
export const ATTR_NAME = 5;
export const ATTR_CONTENT = 6;
export const ATTR_HTTP_EQUIV = 7;
export const ATTR_ENCODING = 8;
export const ATTR_COLOR = 9;
export const ATTR_FACE = 10;
export const ATTR_SIZE = 11;
export const ATTR_XLINK_HREF = 12;

/** Name of each slot. */
export const ATTRIBUTE_NAMES: readonly string[] =
  "href rel src srcset type name content http-equiv encoding color face size xlink:href".split(" ");
const NAMES = ATTRIBUTE_NAMES.map(ascii);
const LONGEST = 10;

/** Slot plus one, by length and first letter; no two names share a cell. */
const CANDIDATE = new Uint8Array((LONGEST + 1) * 32);
for (const [slot, name] of NAMES.entries()) CANDIDATE[name.length * 32 + (name[0] & 31)] = slot + 1;

/**
 * Reads the attributes of one start tag; the result is valid until the next `read`.
 * Of attributes with one name the first counts. Source: HTML, attribute states of the tokenizer.
 */
export class AttributeReader {
  /** Byte range of the raw value of each slot found in the last tag; stale where `has` is false. */
  readonly start: Int32Array = new Int32Array(NAMES.length);
  readonly end: Int32Array = new Int32Array(NAMES.length);
  /** The tag ended with `/>`. Has a meaning in SVG and MathML only. */
  selfClosing = false;
  private found = 0;

  has(slot: number): boolean {
    return (this.found & (1 << slot)) !== 0;
  }

  /** @returns the index behind the tag's `>`, or -1 where the document ends in the tag, which then is no tag at all. */
  read(b: Uint8Array, view: DataView, from: number, end: number): number {
    let p = from;
    this.found = 0;
    for (;;) {
      let slash = false;
      if (b[p] === 32) p++;
      while (p < end && (SPACE[b[p]] === 1 || b[p] === 47)) slash = b[p++] === 47;
      if (p >= end) return -1;
      if (b[p] === 62) {
        this.selfClosing = slash;
        return p + 1;
      }
      const name = p;
      p = attributeNameEnd(b, view, p + 1, end);
      const slot = slotOf(b, name, p);
      while (p < end && b[p] !== 61 && SPACE[b[p]] === 1) p++;
      if (p >= end) return -1;
      if (b[p] !== 61) this.keep(slot, p, p);
      else p = this.value(b, view, p + 1, end, slot);
    }
  }

  private value(b: Uint8Array, view: DataView, from: number, end: number, slot: number): number {
    let p = from;
    while (p < end && b[p] !== 34 && SPACE[b[p]] === 1) p++;
    if (p >= end) return end;
    const quote = b[p];
    if (quote === 34 || quote === 39) {
      const value = ++p;
      p = findByte(b, view, p, end, quote === 34 ? 0x22222222 : 0x27272727);
      this.keep(slot, value, p);
      return p < end ? p + 1 : end;
    }
    const value = p;
    while (p < end && b[p] !== 62 && SPACE[b[p]] === 0) p++;
    this.keep(slot, value, p);
    return p;
  }

  private keep(slot: number, start: number, end: number): void {
    if (slot < 0 || (this.found & (1 << slot)) !== 0) return;
    this.found |= 1 << slot;
    this.start[slot] = start;
    this.end[slot] = end;
  }
}

function slotOf(b: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length > LONGEST) return -1;
  const slot = CANDIDATE[length * 32 + (b[start] & 31)] - 1;
  if (slot < 0) return -1;
  const name = NAMES[slot];
  for (let k = 0; k < length; k++) if (LOWER[b[start + k]] !== name[k]) return -1;
  return slot;
}
