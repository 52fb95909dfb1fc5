/**
 * What one HTML page contains: links, title, base, robots and refresh elements, and the fingerprint of its visible text.
 */
import { decodeAll } from "./charset.ts";
import { PageCollector } from "./html-collector.ts";
import { EXACT_BYTES } from "./html-exact.ts";
import type { Refresh } from "./html-refresh.ts";
import { awaitsScript, THIN_TEXT_BYTES } from "./html-thin.ts";
import { VisibleText } from "./html-visible.ts";
import { HtmlWalk } from "./html-walk.ts";
import type { MetaRobots } from "./robots-directives.ts";
import { TEXT_HASH_BYTES } from "./text-fingerprint.ts";

/** Encodings whose bytes cannot be scanned as they are. */
const RE_ENCODED: ReadonlySet<string> = new Set(["utf-16le", "utf-16be", "iso-2022-jp", "replacement"]);
const NO_BYTES = Buffer.alloc(0);

/**
 * Reads one page at a time, in one pass; results are valid until the next `scan` or `release`.
 *
 * Links and facts are those of the HTML standard with scripting off. Where a page's markup needs the whole tree to be decided (broken or
 * HTML-carrying SVG, table parts or templates inside a select, framesets, titles and bases behind a table) they come from parse5 instead,
 * within bounds; beyond them the pass's approximation stands and `approximate` says so. Text is always the pass's own.
 */
export class HtmlScanner {
  /** What link ranges refer to: the scanned bytes, or a UTF-8 copy of a page in UTF-16 or ISO-2022-JP. */
  source: Buffer = NO_BYTES;
  /** Links and facts are the parser's. */
  parsed = false;
  /** The parser would have been needed and the page was beyond its bounds: links may differ from a browser's. */
  approximate = false;
  private readonly collector: PageCollector;
  private readonly visible = new VisibleText();
  private readonly walk: HtmlWalk;
  private readonly hash = new Uint8Array(TEXT_HASH_BYTES);
  private encoding = "utf-8";
  private markList: string[] = [];

  /** @param agent product name to which pages may address robots elements, beside `robots`. */
  constructor(agent = "weir") {
    this.collector = new PageCollector(agent);
    this.walk = new HtmlWalk(this.collector, this.visible);
  }

  /** @param encoding lower-case name as `sniffCharset` gives it. */
  scan(page: Uint8Array, encoding: string, options: { readonly wantText: boolean }): void {
    const reEncoded = RE_ENCODED.has(encoding);
    this.source = reEncoded ? Buffer.from(decodeAll(page, encoding)) : asBuffer(page);
    this.encoding = reEncoded ? "utf-8" : encoding;
    this.collector.begin(this.source, this.encoding);
    this.visible.reset(options.wantText);
    this.walk.reset(this.encoding);
    this.walk.walk(this.source, byteOrderMark(this.source, this.encoding));
    this.parsed = this.walk.inexact && this.parse();
    this.approximate = this.walk.inexact && !this.parsed;
    this.markList = this.evidence();
    this.visible.fingerprint.digest(this.hash, 0);
  }

  get linkCount(): number {
    return this.collector.links.count;
  }

  /** Byte ranges in `source` of the links' values, without whitespace around; see `linkString`. */
  get linkStart(): Int32Array {
    return this.collector.links.start;
  }

  get linkEnd(): Int32Array {
    return this.collector.links.end;
  }

  /** Kind of each link (`LINK_…` of html-links.ts), with the bit `NOFOLLOW`. */
  get linkFlags(): Uint8Array {
    return this.collector.links.flags;
  }

  /** Links beyond the bound of one page, which are not kept. */
  get linksDropped(): number {
    return this.collector.links.dropped;
  }

  /** The text of link `i` where its bytes, read as UTF-8, are not it; null where they are. */
  linkString(i: number): string | null {
    return this.collector.links.string(i);
  }

  /** The text of link `i`. Allocates; for callers that are not in a hurry. */
  linkText(i: number): string {
    return this.linkString(i) ?? this.source.toString("utf8", this.linkStart[i], this.linkEnd[i]);
  }

  /** `href` of the first base that has one, as written. */
  get baseHref(): string | null {
    return this.collector.facts.baseHref;
  }

  /** Text of the first title as `document.title` gives it; "" for an empty one, null for none. */
  get title(): string | null {
    return this.collector.facts.title;
  }

  /** `href` of the first `link rel=canonical`, as written. */
  get canonical(): string | null {
    return this.collector.facts.canonical;
  }

  get refresh(): Refresh | null {
    return this.collector.facts.refresh;
  }

  get metaRobots(): readonly MetaRobots[] {
    return this.collector.facts.metaRobots;
  }

  /** `empty`: no visible text and no title. `thin`: built by script. `truncated-title`: the title never ends and took all that follows. */
  get marks(): readonly string[] {
    return this.markList;
  }

  get sawAnyTag(): boolean {
    return this.walk.sawAnyTag;
  }

  /** Bytes of visible text above 0x20; the title is not counted. */
  get textLength(): number {
    return this.visible.fingerprint.length - this.visible.titleLength;
  }

  /** Writes the 12-byte fingerprint (`TEXT_HASH_VERSION`) of title and visible text. */
  textHash(into: Uint8Array, offset = 0): void {
    into.set(this.hash, offset);
  }

  /** Visible text without the title, a line for each block; null unless asked for in `scan`. */
  text(): string | null {
    return this.visible.wanted ? this.visible.runs.toText(this.source, this.encoding) : null;
  }

  /** Lets go of the page's bytes and of arrays a giant page has grown. */
  release(): void {
    this.scan(NO_BYTES, "utf-8", { wantText: false });
  }

  private parse(): boolean {
    return this.source.length <= EXACT_BYTES && this.collector.parse(decodeAll(this.source, this.encoding));
  }

  private evidence(): string[] {
    const { walk, visible } = this;
    const marks: string[] = [];
    const length = this.textLength;
    if (length === 0 && (this.title ?? "") === "") marks.push("empty");
    if (walk.titleOpen) marks.push("truncated-title");
    const outside = length - visible.noscriptLength;
    if (outside < THIN_TEXT_BYTES && walk.scripts > 0) {
      const noscript = this.source.subarray(visible.noscriptStart, visible.noscriptEnd);
      if (awaitsScript(this.source, noscript, outside === 0)) marks.push("thin");
    }
    return marks;
  }
}

function asBuffer(page: Uint8Array): Buffer {
  return Buffer.isBuffer(page) ? page : Buffer.from(page.buffer, page.byteOffset, page.byteLength);
}

function byteOrderMark(b: Uint8Array, encoding: string): number {
  return encoding === "utf-8" && b[0] === 0xef && b[1] === 0xbb && b[2] === 0xbf ? 3 : 0;
}
