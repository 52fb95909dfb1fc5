/**
 * What each byte means in each part of an http(s) URL: one 256-entry table a part, so that one look-up both validates and
 * classifies. Source: URL standard, percent-encode sets and host parser; RFC 3986 §2.3 for `UNRESERVED`.
 */

/** Goes into the canonical URL as it is. */
export const PLAIN = 0;
/** Needs the full parser: backslash, tab, line ends, non-ASCII, anything unusual in a host. */
export const UNUSUAL = 1;
/** ASCII that the canonical URL holds percent-encoded. */
export const ENCODED = 2;
/** Begins an escape. */
export const PERCENT = 3;
/** Ends a host. In a path it is plain. */
export const SLASH = 4;
export const QUESTION = 5;
export const HASH = 6;
/** In a path: may end a scheme. In a host: begins the port. */
export const COLON = 7;
/** In a path: may begin a dot segment. In a host: ends a label. */
export const DOT = 8;

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";

function tableOf(rest: number, groups: readonly (readonly [chars: string, kind: number])[]): Uint8Array {
  const table = new Uint8Array(256).fill(rest);
  for (const [chars, kind] of groups) for (let i = 0; i < chars.length; i++) table[chars.charCodeAt(i)] = kind;
  return table;
}

/** Printable ASCII is plain and controls are encoded, before a part names its exceptions. */
function asciiTable(exceptions: readonly (readonly [chars: string, kind: number])[]): Uint8Array {
  const table = tableOf(UNUSUAL, []);
  table.fill(ENCODED, 0x00, 0x21).fill(PLAIN, 0x21, 0x7f)[0x7f] = ENCODED;
  for (const [chars, kind] of [["\t\n\r", UNUSUAL], ["%", PERCENT], ["#", HASH], ...exceptions] as const) {
    for (let i = 0; i < chars.length; i++) table[chars.charCodeAt(i)] = kind;
  }
  return table;
}

/**
 * `^` joined the path's percent-encode set in 2024; Node 20 still leaves it. It is encoded here for all versions, so that an
 * upgrade of Node does not turn known URLs into new ones.
 */
export const PATH_BYTES = asciiTable([
  ['"<>^`{}', ENCODED],
  ["\\", UNUSUAL],
  ["?", QUESTION],
  [":", COLON],
  [".", DOT],
]);
/** Of a special URL: `'` counts as well. */
export const QUERY_BYTES = asciiTable([["\"<>'", ENCODED]]);
/** Lower-case letters, digits, dots and hyphens; `xn--` and upper case are for the full parser. */
export const HOST_BYTES = tableOf(UNUSUAL, [
  [`${LETTERS}${DIGITS}-`, PLAIN],
  [".", DOT],
  [":", COLON],
  ["/", SLASH],
  ["?", QUESTION],
  ["#", HASH],
]);

/** 1 for letters, digits and `-._~`, which mean the same encoded or not. */
export const UNRESERVED = tableOf(0, [[`${LETTERS}${LETTERS.toUpperCase()}${DIGITS}-._~`, 1]]);

/** Value of a hexadecimal digit, 255 for every other byte. */
export const HEX_VALUE = new Uint8Array(256).fill(255);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  HEX_VALUE[digit.charCodeAt(0)] = value;
  HEX_VALUE[digit.toUpperCase().charCodeAt(0)] = value;
}
/** The upper-case digit of a value of 0–15, as a byte. */
export const HEX_DIGIT = new Uint8Array([...`${DIGITS}ABCDEF`].map((digit) => digit.charCodeAt(0)));
