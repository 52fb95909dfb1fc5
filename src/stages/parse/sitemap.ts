import type { Bytes, EpochMillis } from "../../kernel/units.ts";
import { SitemapEntries, type SitemapEntry } from "./sitemap-entries.ts";
import { SitemapXml } from "./sitemap-xml.ts";
import { XmlReader } from "./xml-reader.ts";
import { textPieces, xmlEncoding } from "./xml-text.ts";

/** Most bytes of one sitemap, inflated. Source: sitemaps.org protocol. */
export const SITEMAP_MAX_BYTES: Bytes = 50 * 1024 * 1024;
/** Most URLs, or children, of one sitemap. Source: sitemaps.org protocol. */
export const SITEMAP_MAX_URLS = 50_000;

export interface SitemapLimits {
  readonly maxUrls: number;
  readonly maxChildren: number;
}

/** Where the bytes come from. */
export interface SitemapSource {
  /** URL of the document itself, behind redirects: the base of Atom's `xml:base`. */
  readonly url: string;
  /** `charset` of its Content-Type, or null. */
  readonly charset: string | null;
  /** Dates more than a day ahead are not believed. */
  readonly now: EpochMillis;
}

/** What a list of URLs holds. Entries are as written and may repeat: `sitemapTargets` makes URLs of them. */
export interface SitemapResult {
  /** `none`: this is no list of URLs (an HTML error page, say), which says nothing about the site's pages. */
  readonly kind: "urlset" | "index" | "feed" | "text" | "none";
  readonly urls: readonly SitemapEntry[];
  /** Children of an index. */
  readonly sitemaps: readonly SitemapEntry[];
  /** False when all dates are the same moment, which is when the list was written. */
  readonly lastmodTrusted: boolean;
  /** The document ends in the middle, or is longer than a limit: entries are missing. */
  readonly truncated: boolean;
  /** For a person: what was left out and why. */
  readonly notes: readonly string[];
}

/**
 * Reads a sitemap, a sitemap index, an RSS or Atom feed, or a text file of one URL a line; which of them the content decides,
 * not the declared type. Tolerant: a broken entry costs itself only, and a document that is cut off gives what is whole.
 * Bounded: reading stops at a limit, nesting and lengths are capped, no entity is expanded, nothing is loaded. Never throws.
 */
export function parseSitemap(bytes: Uint8Array, limits: SitemapLimits, source: SitemapSource): SitemapResult {
  const notes: string[] = [];
  const within = bytes.length > SITEMAP_MAX_BYTES ? bytes.subarray(0, SITEMAP_MAX_BYTES) : bytes;
  if (within !== bytes) notes.push(`longer than ${SITEMAP_MAX_BYTES} bytes`);
  const pages = new SitemapEntries(limits.maxUrls, source.now);
  const children = new SitemapEntries(limits.maxChildren, source.now);
  const encoding = xmlEncoding(within, source.charset);
  const list = looksLikeXml(within, encoding)
    ? readXml(within, encoding, pages, children, source.url, notes)
    : readText(within, encoding, pages, notes);
  const dropped = pages.dropped + children.dropped;
  if (dropped > 0) notes.push(`${dropped} entries are too long or refer to an entity`);
  return {
    kind: list.kind,
    urls: pages.entries,
    sitemaps: children.entries,
    lastmodTrusted: pages.lastmodTrusted && children.lastmodTrusted,
    truncated: list.truncated || within !== bytes,
    notes,
  };
}

interface List {
  readonly kind: SitemapResult["kind"];
  readonly truncated: boolean;
}

/** First bytes looked at to tell XML from text. */
const HEAD = 4_096;

/** XML begins with `<`; if a server puts a warning before it, a root element we know still makes it XML. */
function looksLikeXml(bytes: Uint8Array, encoding: string): boolean {
  const head = new TextDecoder(encoding).decode(bytes.subarray(0, HEAD), { stream: true });
  return /^\s*</.test(head) || /<\?xml\s|<(?:\w+:)?(?:urlset|sitemapindex|rss|feed|rdf)[\s>]/i.test(head);
}

function readXml(
  bytes: Uint8Array,
  encoding: string,
  pages: SitemapEntries,
  children: SitemapEntries,
  base: string,
  notes: string[],
): List {
  const list: SitemapXml = new SitemapXml(() => reader, pages, children, base);
  const reader: XmlReader = new XmlReader(list);
  for (const piece of textPieces(bytes, encoding)) {
    reader.write(piece);
    if (reader.stopped) break;
  }
  list.end();
  if (list.kind === null) {
    notes.push(list.root === null ? "no XML element" : `root element <${list.root.slice(0, 40)}>`);
    return { kind: "none", truncated: false };
  }
  const cut = !list.full && reader.isOpen;
  if (list.full) notes.push("more entries than the limit");
  if (cut) notes.push("the document is cut off");
  return { kind: list.kind, truncated: list.full || cut };
}

/** A longer line is no URL. */
const MAX_LINE = 65_536;

/** One absolute URL a line; when most lines are something else, it is no list. */
function readText(bytes: Uint8Array, encoding: string, pages: SitemapEntries, notes: string[]): List {
  let others = 0;
  let full = false;
  const take = (line: string): void => {
    const text = line.trim();
    if (/^https?:\/\/\S+$/i.test(text)) full ||= !pages.add(text, null, false);
    else if (text !== "") others++;
  };
  let rest = "";
  for (const piece of textPieces(bytes, encoding)) {
    const lines = (rest + piece).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
    if (rest.length > MAX_LINE) rest = "-".repeat(MAX_LINE);
    if (full) break;
  }
  if (!full) take(rest);
  if (pages.entries.length === 0 || pages.entries.length < others) {
    pages.entries.length = 0;
    notes.push("neither XML nor a text file of URLs");
    return { kind: "none", truncated: false };
  }
  if (full) notes.push("more entries than the limit");
  return { kind: "text", truncated: full };
}

/** True for bytes that begin as gzip does: neither the name nor the declared type of a sitemap tells reliably. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Inflates gzip up to `cap` bytes; null when it is not gzip, broken from the start, or longer. */
export type Inflate = (bytes: Uint8Array, cap: Bytes) => Uint8Array | null;

/** Compressed layers taken off one file: one by its name, one more that a misconfigured server adds without saying so. */
const MAX_LAYERS = 2;

/** The plain bytes of a sitemap that may be gzip, whatever it is called; null when it cannot be inflated within `cap`. */
export function plainSitemap(bytes: Uint8Array, inflate: Inflate, cap: Bytes): Uint8Array | null {
  let plain: Uint8Array = bytes;
  for (let layer = 0; layer < MAX_LAYERS && isGzip(plain); layer++) {
    const inflated = inflate(plain, cap);
    if (inflated === null) return null;
    plain = inflated;
  }
  return plain;
}
