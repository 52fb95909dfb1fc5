/**
 * Byte classes and the bounded skips the HTML scan is made of. All work on the raw bytes of an ASCII-compatible encoding: every byte with a
 * meaning in markup is below 0x40 and never a trail byte of a multi-byte character (Encoding standard).
 *
 * A skip returns the index behind what it skipped, or `end` where the document stops first. None looks further than the construct it skips.
 */

const table = (bytes: Iterable<number>): Uint8Array => {
  const classes = new Uint8Array(256);
  for (const byte of bytes) classes[byte] = 1;
  return classes;
};

/** Tokenizer whitespace: tab, LF, FF, CR (a CR is a newline once the input is normalised), space. */
export const SPACE: Uint8Array = table([9, 10, 12, 13, 32]);
/** What ends a tag name: whitespace, `/`, `>`. */
export const NAME_END: Uint8Array = table([9, 10, 12, 13, 32, 47, 62]);
/** What ends an attribute name behind its first byte: the same and `=`. */
export const ATTRIBUTE_END: Uint8Array = table([9, 10, 12, 13, 32, 47, 62, 61]);
/** ASCII lower case of each byte. */
export const LOWER: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

/** The ASCII bytes of a name to compare with, lower case. */
export const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Whether `[start, end)` equals `name`, ASCII case-insensitively. */
export function equalsName(b: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  const length = name.length;
  if (end - start !== length) return false;
  for (let k = 0; k < length; k++) if (LOWER[b[start + k]] !== name[k]) return false;
  return true;
}

/** Whether `[start, end)` has `token` among its space-separated words, ASCII case-insensitively. */
export function hasToken(b: Uint8Array, start: number, end: number, token: Uint8Array): boolean {
  let p = start;
  while (p < end) {
    while (p < end && SPACE[b[p]] === 1) p++;
    const word = p;
    while (p < end && SPACE[b[p]] === 0) p++;
    if (p > word && equalsName(b, word, p, token)) return true;
  }
  return false;
}

/** Reads four bytes at once out of `b`. The scan's loops end anywhere, and each end is a mispredicted branch: fewer, wider steps pay. */
export function viewOf(b: Uint8Array): DataView {
  return new DataView(b.buffer, b.byteOffset, b.byteLength);
}

/**
 * Which of the four bytes of `word` equal the byte that `pattern` repeats: bit 7 of each; bits above the lowest one set may be wrong.
 * The byte the lowest bit is in is `(31 - Math.clz32(bits & -bits)) >> 3`, written out wherever it is needed: as a function it was left
 * uninlined in the larger loops and cost 5 % of the scan.
 */
export function matches(word: number, pattern: number): number {
  const zeroed = word ^ pattern;
  return (zeroed - 0x01010101) & ~zeroed & 0x80808080;
}

/** The index of the next byte that `pattern` repeats four times, or `end`. */
export function findByte(b: Uint8Array, view: DataView, from: number, end: number, pattern: number): number {
  let p = from;
  while (p + 4 <= end) {
    const hits = matches(view.getInt32(p, true), pattern);
    if (hits !== 0) return p + ((31 - Math.clz32(hits & -hits)) >> 3);
    p += 4;
  }
  const byte = pattern & 255;
  while (p < end && b[p] !== byte) p++;
  return p;
}

/** The index of the next `=` or `>`, or `end`. Of the four bytes 0x3C to 0x3F `<` and `?` are stepped over. */
function findAssignOrClose(b: Uint8Array, view: DataView, from: number, end: number): number {
  let p = from;
  for (;;) {
    while (p + 4 <= end) {
      const hits = matches(view.getInt32(p, true) & 0xfcfcfcfc, 0x3c3c3c3c);
      if (hits !== 0) {
        p += (31 - Math.clz32(hits & -hits)) >> 3;
        break;
      }
      p += 4;
    }
    if (p >= end || b[p] === 62 || b[p] === 61) return p;
    p++;
  }
}

/** The end of a tag name whose first byte is at `name`. Letters, unlike what ends a name, have bit 6 set. */
export function nameEnd(b: Uint8Array, view: DataView, name: number, end: number): number {
  let p = name + 1;
  if (p + 4 <= end) {
    const others = ~view.getInt32(p, true) & 0x40404040;
    p += others === 0 ? 4 : (31 - Math.clz32(others & -others)) >> 3;
  }
  while (p < end && NAME_END[b[p]] === 0) p++;
  return p;
}

/** The end of an attribute's name from any byte of it. */
export function attributeNameEnd(b: Uint8Array, view: DataView, from: number, end: number): number {
  let p = from;
  for (;;) {
    if (p + 4 <= end) {
      const others = ~view.getInt32(p, true) & 0x40404040;
      if (others === 0) {
        p += 4;
        continue;
      }
      p += (31 - Math.clz32(others & -others)) >> 3;
    }
    if (p >= end || ATTRIBUTE_END[b[p]] === 1) return p;
    p++;
  }
}

/** Skips to behind the next `>`: bogus comments and DOCTYPE, whose quotes do not protect a `>`. */
export function skipBogusComment(b: Uint8Array, from: number, end: number): number {
  let p = from;
  while (p < end && b[p] !== 62) p++;
  return p < end ? p + 1 : end;
}

/**
 * Skips a comment, `from` being behind its `<!--`. Ends at `-->`, `--!>`, and at once at `>` or `->`.
 * Source: HTML, comment start state to comment end bang state.
 */
export function skipComment(b: Uint8Array, from: number, end: number): number {
  if (b[from] === 62 && from < end) return from + 1;
  if (b[from] === 45 && b[from + 1] === 62 && from + 1 < end) return from + 2;
  for (let p = from + 2; p < end; p++) {
    if (b[p] !== 62) continue;
    if (b[p - 1] === 45 && b[p - 2] === 45) return p + 1;
    if (b[p - 1] === 33 && p - 3 >= from && b[p - 2] === 45 && b[p - 3] === 45) return p + 1;
  }
  return end;
}

/** Skips the text of a CDATA section, `from` being behind its `<![CDATA[`; returns the index of `]]>` or `end`. */
export function cdataEnd(b: Uint8Array, from: number, end: number): number {
  for (let p = from; p + 2 < end; p++) if (b[p + 2] === 62 && b[p] === 93 && b[p + 1] === 93) return p;
  return end;
}

/**
 * Skips the attributes of a tag nobody is interested in; `from` is the byte that ended its name. Quotes protect a `>` only in a value.
 * Of what stands between values only `=` and `>` matter, and of a `=` only whether it ends a name or begins one.
 */
export function skipTag(b: Uint8Array, view: DataView, from: number, end: number): number {
  let p = from;
  for (;;) {
    const found = findAssignOrClose(b, view, p, end);
    if (found >= end) return end;
    if (b[found] === 62) return found + 1;
    const before = b[found - 1];
    if (found > p && before !== 32 && before !== 47 && SPACE[before] === 0) {
      // The usual attribute, and often the last.
      p = b[found + 1] === 34 ? findByte(b, view, found + 2, end, 0x22222222) + 1 : skipValue(b, view, found + 1, end);
      if (b[p] === 62) return p + 1;
      if (p >= end) return end;
    } else p = beginsName(b, p, found) ? skipOddAttribute(b, view, found, end) : skipValue(b, view, found + 1, end);
  }
}

/** Whether the `=` at `at` is the first byte of a name: no name is open since `from`. */
function beginsName(b: Uint8Array, from: number, at: number): boolean {
  let p = at - 1;
  while (p >= from && SPACE[b[p]] === 1) p--;
  return p < from || b[p] === 47;
}

/** Skips an attribute whose name begins with a `=`. */
function skipOddAttribute(b: Uint8Array, view: DataView, at: number, end: number): number {
  let p = at + 1;
  while (p < end && ATTRIBUTE_END[b[p]] === 0) p++;
  while (p < end && SPACE[b[p]] === 1) p++;
  return p < end && b[p] === 61 ? skipValue(b, view, p + 1, end) : p;
}

/** Skips an attribute's value, `from` being behind its `=`. A `>` in place of a value is left for the caller to see. */
export function skipValue(b: Uint8Array, view: DataView, from: number, end: number): number {
  let p = from;
  while (p < end && SPACE[b[p]] === 1) p++;
  if (p >= end) return end;
  const quote = b[p];
  if (quote === 34 || quote === 39) {
    p = findByte(b, view, p + 1, end, quote === 34 ? 0x22222222 : 0x27272727);
    return p < end ? p + 1 : end;
  }
  while (p < end && b[p] !== 62 && SPACE[b[p]] === 0) p++;
  return p;
}

/** Whether `name` and then a byte that ends a tag name stand at `at`. */
function nameAt(b: Uint8Array, at: number, end: number, name: Uint8Array): boolean {
  const behind = at + name.length;
  return behind < end && NAME_END[b[behind]] === 1 && equalsName(b, at, behind, name);
}

/** The index of the `<` of the end tag that closes a raw text or RCDATA element, or `end`. */
export function rawTextEnd(b: Uint8Array, view: DataView, from: number, end: number, name: Uint8Array): number {
  let p = from;
  for (;;) {
    p = findByte(b, view, p, end, 0x3c3c3c3c);
    if (p >= end || (b[p + 1] === 47 && nameAt(b, p + 2, end, name))) return p;
    p++;
  }
}

const SCRIPT = ascii("script");

/**
 * The index of the `<` of the end tag that closes a script, or `end`.
 * Inside `<!--` … `-->` a `<script` opens a level in which `</script` closes only that level.
 * Source: HTML, script data states: plain, escaped, double escaped.
 */
export function scriptEnd(b: Uint8Array, view: DataView, from: number, end: number): number {
  let p = from;
  for (;;) {
    p = findByte(b, view, p, end, 0x3c3c3c3c);
    if (p >= end || (b[p + 1] === 47 && nameAt(b, p + 2, end, SCRIPT))) return p;
    if (b[p + 1] === 33 && b[p + 2] === 45 && b[p + 3] === 45) {
      const escaped = escapedScriptEnd(b, p + 2, end);
      if (escaped >= end || b[escaped] === 60) return escaped;
      p = escaped + 1;
    } else {
      p++;
    }
  }
}

/** From the first dash of a script's `<!--`: the index of the end tag's `<`, or of the `>` that ends the escape, or `end`. */
function escapedScriptEnd(b: Uint8Array, from: number, end: number): number {
  let doubled = false;
  for (let p = from; p < end; p++) {
    const c = b[p];
    if (c === 62) {
      if (p - 2 >= from && b[p - 1] === 45 && b[p - 2] === 45) return p;
    } else if (c === 60) {
      const closes = b[p + 1] === 47;
      if (!nameAt(b, closes ? p + 2 : p + 1, end, SCRIPT)) continue;
      if (closes && !doubled) return p;
      doubled = !closes;
    }
  }
  return end;
}
