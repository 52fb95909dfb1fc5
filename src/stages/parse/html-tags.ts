/**
 * Numbers for the tag names the scan acts on, and their look-up from bytes without making a string. Any other name is 0.
 */
import { ascii, equalsName, LOWER } from "./html-bytes.ts";

export const TAG_A = 1;
export const TAG_AREA = 2;
export const TAG_BASE = 3;
export const TAG_FRAME = 4;
export const TAG_IFRAME = 5;
export const TAG_IMAGE = 6;
export const TAG_IMG = 7;
export const TAG_LINK = 8;
export const TAG_META = 9;
export const TAG_SOURCE = 10;
export const TAG_FRAMESET = 11;
export const TAG_INPUT = 12;
export const TAG_KEYGEN = 13;
export const TAG_MATH = 14;
export const TAG_NOEMBED = 15;
export const TAG_NOFRAMES = 16;
export const TAG_NOSCRIPT = 17;
export const TAG_PLAINTEXT = 18;
export const TAG_SCRIPT = 19;
export const TAG_SELECT = 20;
export const TAG_STYLE = 21;
export const TAG_SVG = 22;
export const TAG_TABLE = 23;
export const TAG_TEMPLATE = 24;
export const TAG_TEXTAREA = 25;
export const TAG_TITLE = 26;
export const TAG_XMP = 27;
/** Up to this number an element contributes a link or a fact; behind it are those that change how what follows is read. */
export const TAG_LAST_COLLECTED = TAG_SOURCE;

/** Lower-case bytes of each name, by number. */
export const TAG_NAMES: readonly Uint8Array[] = [
  ...["", "a", "area", "base", "frame", "iframe", "image", "img", "link", "meta", "source", "frameset", "input", "keygen", "math"],
  ...["noembed", "noframes", "noscript", "plaintext", "script", "select", "style", "svg", "table", "template", "textarea", "title", "xmp"],
].map(ascii);

/** Candidate by first and third letter (5 bits each); two names share one cell, the second is in `OTHER`. */
const CANDIDATE = new Uint8Array(1024);
const OTHER = new Uint8Array(TAG_NAMES.length);
for (let id = TAG_AREA; id < TAG_NAMES.length; id++) {
  const cell = ((TAG_NAMES[id][0] & 31) << 5) | (TAG_NAMES[id][2] & 31);
  if (CANDIDATE[cell] === 0) CANDIDATE[cell] = id;
  else OTHER[CANDIDATE[cell]] = id;
}

function isTag(b: Uint8Array, start: number, length: number, id: number): boolean {
  const name = TAG_NAMES[id];
  if (name.length !== length) return false;
  for (let k = 0; k < length; k++) if (LOWER[b[start + k]] !== name[k]) return false;
  return true;
}

/** The number of the tag name of `length` bytes at `start`, or 0. */
export function tagId(b: Uint8Array, start: number, length: number): number {
  if (length < 3) return length === 1 && LOWER[b[start]] === 97 ? TAG_A : 0;
  const id = CANDIDATE[((b[start] & 31) << 5) | (b[start + 2] & 31)];
  if (id === 0) return 0;
  if (isTag(b, start, length, id)) return id;
  return OTHER[id] !== 0 && isTag(b, start, length, OTHER[id]) ? OTHER[id] : 0;
}

const SLOTS = 256;

/** A set of at most some sixty lower-case names, matched against bytes. */
export class NameSet {
  /** Names by hash, the next free slot taken where two meet; mostly empty, so that most look-ups end at once. */
  private readonly slots: (Uint8Array | null)[] = new Array(SLOTS).fill(null);
  private readonly longest: number;

  constructor(names: string) {
    const list = names.split(" ").map(ascii);
    this.longest = Math.max(...list.map((name) => name.length));
    for (const name of list) {
      let slot = slotOf(name, 0, name.length);
      while (this.slots[slot] !== null) slot = (slot + 1) % SLOTS;
      this.slots[slot] = name;
    }
  }

  has(b: Uint8Array, start: number, end: number): boolean {
    if (end - start > this.longest) return false;
    let slot = slotOf(b, start, end);
    for (let name = this.slots[slot]; name !== null; name = this.slots[slot]) {
      if (equalsName(b, start, end, name)) return true;
      slot = (slot + 1) % SLOTS;
    }
    return false;
  }
}

function slotOf(b: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let p = start; p < end; p++) hash = (Math.imul(hash, 31) + LOWER[b[p]]) | 0;
  return (hash ^ (hash >>> 8)) & (SLOTS - 1);
}

/** Start tags that leave SVG and MathML. `font` does so too with one of three attributes. Source: HTML, rules for foreign content. */
export const BREAKOUT: NameSet = new NameSet(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s " +
    "small span strong strike sub sup table tt u ul var",
);
/** Tags that close a select which stands in a table, and are ignored in any other. */
export const TABLE_PARTS: NameSet = new NameSet("caption table tbody tfoot thead tr td th");
/** Elements that keep an `a` around them from being closed inside. Source: HTML, markers and scope. */
export const MARKERS: NameSet = new NameSet("applet object marquee table td th caption template");
/** Elements that do not interrupt a line of text; any other tag does. */
export const INLINE: NameSet = new NameSet(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt ruby s samp small span strike strong " +
    "sub sup time tt u var wbr tspan mi mo mn ms mtext",
);
