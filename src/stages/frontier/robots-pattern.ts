/**
 * Canonical octets and wildcard matching of robots.txt paths (RFC 9309 section 2.2.2 and 2.2.3).
 *
 * Rule and path are brought to one form before they are compared: octets outside ASCII, and those a URL would escape, as
 * upper-case `%XX`; escaped unreserved characters as themselves; a literal `*` or `$` as `%2A` and `%24`, so that only a
 * rule's own `*` is a wildcard. Other reserved characters stay as written: `%2F` and `/` are different paths, which is
 * what sites mean and what RFC 9309's own table and Google's matcher do with `/`.
 */

const PERCENT = 0x25;
const DOLLAR = 0x24;
const STAR = 0x2a;

const isUnreserved = (octet: number): boolean =>
  (octet >= 0x30 && octet <= 0x39) ||
  (octet >= 0x41 && octet <= 0x5a) ||
  (octet >= 0x61 && octet <= 0x7a) ||
  octet === 0x2d ||
  octet === 0x2e ||
  octet === 0x5f ||
  octet === 0x7e;

/** 1 for octets kept as they are. `'` is not among them: URLs escape it in a query and not in a path. */
const KEPT = new Uint8Array(256);
for (let octet = 0; octet < 128; octet++) if (isUnreserved(octet)) KEPT[octet] = 1;
for (const character of "/?:@!&()+,;=[]#") KEPT[character.charCodeAt(0)] = 1;

const CLEAN_PATH = /^[A-Za-z0-9\-._~/?:@!&()+,;=[\]#]*$/;
const HEX = "0123456789ABCDEF";
const encoder = new TextEncoder();

function hexDigit(octet: number | undefined): number {
  if (octet === undefined) return -1;
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const lower = octet | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Longest run turned into text at once: far below the engine's limit on arguments. */
const CHUNK = 4_096;

function asciiText(octets: Uint8Array, from: number, to: number): string {
  if (to - from <= CHUNK) return String.fromCharCode(...octets.subarray(from, to));
  return String.fromCharCode(...octets.subarray(from, from + CHUNK)) + asciiText(octets, from + CHUNK, to);
}

/** Canonical text of `octets[from, to)`. In a pattern `*` stays a wildcard. */
function canonical(octets: Uint8Array, from: number, to: number, isPattern: boolean): string {
  let clean = from;
  while (clean < to && (KEPT[octets[clean] ?? 0] === 1 || (isPattern && octets[clean] === STAR))) clean++;
  if (clean === to) return asciiText(octets, from, to);
  const out: string[] = [asciiText(octets, from, clean)];
  for (let at = clean; at < to; at++) {
    const octet = octets[at] ?? 0;
    const high = octet === PERCENT && at + 2 < to ? hexDigit(octets[at + 1]) : -1;
    const low = high >= 0 ? hexDigit(octets[at + 2]) : -1;
    if (low >= 0) {
      const value = high * 16 + low;
      out.push(isUnreserved(value) ? String.fromCharCode(value) : `%${HEX[high]}${HEX[low]}`);
      at += 2;
    } else if (KEPT[octet] === 1 || octet === PERCENT || (isPattern && octet === STAR)) {
      out.push(String.fromCharCode(octet));
    } else out.push(`%${HEX[octet >> 4]}${HEX[octet & 15]}`);
  }
  return out.join("");
}

/** Canonical form of the path and query of a URL, for comparing with patterns. Costs one regular expression for most URLs. */
export function canonicalRobotsPath(pathAndQuery: string): string {
  if (CLEAN_PATH.test(pathAndQuery)) return pathAndQuery;
  const octets = encoder.encode(pathAndQuery);
  return canonical(octets, 0, octets.length, false);
}

/** A rule's path, ready to match. */
export interface RobotsPattern {
  /** Canonical, without a final `$`, runs of `*` as one; a final `*` is dropped where it means nothing. */
  readonly text: string;
  /** Must match to the end of the path. */
  readonly anchored: boolean;
  /** Octets of the rule, for "longest match wins". */
  readonly weight: number;
  readonly hasWildcard: boolean;
}

/** Reads the path of an `Allow` or `Disallow` line, `octets[from, to)`, already trimmed and not empty. */
export function robotsPattern(octets: Uint8Array, from: number, to: number): RobotsPattern {
  const anchored = octets[to - 1] === DOLLAR;
  const whole = canonical(octets, from, anchored ? to - 1 : to, true);
  const weight = whole.length + (anchored ? 1 : 0);
  if (!whole.includes("*")) return { text: whole, anchored, weight, hasWildcard: false };
  let text = whole.replace(/\*{2,}/g, "*");
  if (!anchored && text.endsWith("*")) text = text.slice(0, -1);
  return { text, anchored, weight, hasWildcard: text.includes("*") };
}

/** Steps that one check may still take. Shared by all patterns tried for one path. */
export interface MatchWork {
  left: number;
}

/**
 * True when a canonical path matches the pattern `patterns[from, to)`. Greedy with one point of return (the last `*`),
 * which is enough because an earlier `*` never gains from taking more: O(pattern × path) steps at worst, counted off `work`.
 * Both are octets rather than text: 2.4 ns a step against 6 (a hostile file's 700 patterns on a path of 2,000 characters).
 * @returns false as well when the work ran out (`work.left` is then negative).
 */
export function patternMatches(
  patterns: Uint8Array,
  from: number,
  to: number,
  anchored: boolean,
  path: Uint8Array,
  work: MatchWork,
): boolean {
  const pathEnd = path.length;
  let inPattern = from;
  let inPath = 0;
  let afterStar = -1;
  let tried = 0;
  let left = work.left;
  let matched = false;
  while (left-- > 0) {
    if (inPattern === to) {
      matched = !anchored || inPath === pathEnd;
      if (matched) break;
    } else {
      const wanted = patterns[inPattern];
      if (wanted === STAR) {
        afterStar = ++inPattern;
        tried = inPath;
        continue;
      }
      // The rest of the path is too short for this literal, and trying further right leaves even less.
      if (inPath === pathEnd) break;
      if (path[inPath] === wanted) {
        inPattern++;
        inPath++;
        continue;
      }
    }
    if (afterStar < 0) break;
    inPath = ++tried;
    inPattern = afterStar;
  }
  work.left = left;
  return matched;
}
