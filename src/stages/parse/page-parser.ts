import { canonicalUrl } from "../../kernel/canonical-url.ts";
import { hostKey } from "../../kernel/host-key.ts";
import { canonicalTarget } from "../../kernel/link-header.ts";
import type { LinkResolver } from "../../kernel/link-resolver.ts";
import type { Via } from "../../kernel/outcome.ts";
import { isPage, type PageKind, pageKindOf } from "../../kernel/page-type.ts";
import { type SniffedKind, sniffKind } from "../../kernel/sniff-kind.ts";
import type { Bytes } from "../../kernel/units.ts";
import type { PageInput, ParsedPage } from "../../ports/parse-lane.ts";
import { decodeAll, sniffCharset } from "./charset.ts";
import * as link from "./html-links.ts";
import { parseRefresh } from "./html-refresh.ts";
import { HtmlScanner } from "./html-scanner.ts";
import { robotsDirectives } from "./robots-directives.ts";
import { parseSitemap, plainSitemap, SITEMAP_MAX_BYTES, SITEMAP_MAX_URLS } from "./sitemap.ts";
import type { SitemapEntry } from "./sitemap-entries.ts";
import { TEXT_HASH_BYTES, TEXT_HASH_VERSION, TextFingerprint } from "./text-fingerprint.ts";

/** @param length of the canonical URL in the resolver's scratch, 0 or less when it is none; `listed`: belongs to the page's `links`; `index`: for `resolveLink`. */
export type EachLink = (length: number, via: Via, nofollow: boolean, listed: boolean, index: number) => void;

export interface PageParserDeps {
  readonly resolver: LinkResolver;
  readonly inflate: (bytes: Uint8Array, cap: Bytes) => Uint8Array | null;
  /** Name by which robots directives may mean us. */
  readonly agent: string;
  /** The crawl knows this host: a list may name its URLs. */
  readonly isKnownHost: (host: string) => boolean;
}

interface Listed {
  readonly urls: readonly SitemapEntry[];
  readonly lists: readonly SitemapEntry[];
}
const NOTHING_LISTED: Listed = { urls: [], lists: [] };

const LIST_LIMITS = { maxUrls: SITEMAP_MAX_URLS, maxChildren: SITEMAP_MAX_URLS };
/** Kinds that are hints in the head, not links of the document (ADR 0007). */
const FIRST_UNLISTED = link.LINK_CANONICAL;

/**
 * Looks into one document at a time: kind, charset, the scan, directives. Links and listed URLs are then handed out one by one;
 * they are valid until the next `parse`.
 */
export class PageParser {
  readonly #resolver: LinkResolver;
  readonly #inflate: (bytes: Uint8Array, cap: Bytes) => Uint8Array | null;
  readonly #agent: string;
  readonly #isKnownHost: (host: string) => boolean;
  readonly #scanner: HtmlScanner;
  readonly #fingerprint = new TextFingerprint();
  #base = "";
  #headerRefresh: string | null = null;
  #scanned = false;
  #listed: Listed = NOTHING_LISTED;

  constructor(deps: PageParserDeps) {
    this.#resolver = deps.resolver;
    this.#inflate = deps.inflate;
    this.#agent = deps.agent;
    this.#scanner = new HtmlScanner(deps.agent);
    this.#isKnownHost = deps.isKnownHost;
  }

  parse(input: PageInput): ParsedPage {
    this.#scanned = false;
    this.#headerRefresh = null;
    this.#listed = NOTHING_LISTED;
    const declared = pageKindOf(input.contentType);
    const named = input.via === "sitemap" || input.via === "feed";
    const doubtful =
      declared === "unknown" || declared === "xml" || declared === "feed" || (named && (declared !== "html" || beginsAsList(input.body)));
    if (doubtful) {
      const list = this.#parseList(input);
      if (list !== null) return list;
    }
    switch (formOf(input, declared, doubtful)) {
      case "html":
        return this.#parseHtml(input);
      case "text":
        return this.#parseText(input, declared, true);
      case "opaque":
        return this.#parseText(input, declared, false);
      case "other":
        return this.#document(input, { kind: "other" });
    }
  }

  /** Hands out every link of the last document, in document order; `resolveLink` brings one back. Ends with `releaseLinks`. */
  eachLink(each: EachLink): void {
    if (!this.#scanned) return;
    const resolver = this.#resolver;
    const scanner = this.#scanner;
    resolver.setBase(this.#base);
    const { linkCount, linkStart, linkEnd, linkFlags, source } = scanner;
    for (let i = 0; i < linkCount; i++) {
      const flags = linkFlags[i];
      const kind = flags & ~link.NOFOLLOW;
      const text = scanner.linkString(i);
      const length = text === null ? resolver.resolve(source, linkStart[i], linkEnd[i]) : resolver.resolveString(text);
      const via: Via =
        kind < link.LINK_REFRESH ? "link" : kind === link.LINK_REFRESH ? "refresh" : kind === link.LINK_FEED ? "feed" : "link";
      each(length, via, flags >= link.NOFOLLOW, kind < FIRST_UNLISTED, i);
    }
    if (this.#headerRefresh !== null) each(resolver.resolveString(this.#headerRefresh), "refresh", false, true, linkCount);
  }

  /** Puts a link that `eachLink` handed out into the resolver's scratch again. @returns its length. */
  resolveLink(index: number): number {
    const { linkCount, linkStart, linkEnd, source } = this.#scanner;
    if (index >= linkCount) return this.#resolver.resolveString(this.#headerRefresh ?? "");
    const text = this.#scanner.linkString(index);
    return text === null ? this.#resolver.resolve(source, linkStart[index], linkEnd[index]) : this.#resolver.resolveString(text);
  }

  /** Lets go of the page's bytes. */
  releaseLinks(): void {
    this.#scanned = false;
    this.#scanner.release();
    this.#resolver.release();
  }

  /**
   * Hands out every URL of the last list, as `eachLink` does; `isList` for the children of an index. A list may name URLs of its
   * own host, and of hosts that the crawl knows by other ways (one of their robots.txt named it, perhaps); other hosts' entries
   * are left out, or anybody could speak for anybody. Source: sitemaps.org, "sitemap file location" and "cross submits".
   */
  eachListed(each: (length: number, isList: boolean) => void): void {
    this.#eachEntry(this.#listed.lists, (length) => each(length, true));
    this.#eachEntry(this.#listed.urls, (length) => each(length, false));
    this.#listed = NOTHING_LISTED;
  }

  #eachEntry(entries: readonly { readonly loc: string }[], each: (length: number) => void): void {
    const resolver = this.#resolver;
    const own = hostKey(this.#base);
    resolver.setBase(this.#base);
    for (const { loc } of entries) {
      const length = resolver.resolveString(loc);
      if (length > 0 && (resolver.onBase || this.#mayName(hostKey(resolver.text()), own))) each(length);
    }
  }

  #mayName(host: string, own: string): boolean {
    return host === own || this.#isKnownHost(host);
  }

  /** The document as text, for a consumer that asks for it. */
  decode(body: Uint8Array, charset: string | null): string {
    return decodeAll(body, charset ?? "utf-8");
  }

  #parseHtml(input: PageInput): ParsedPage {
    const scanner = this.#scanner;
    const { encoding } = sniffCharset(input.body, input.contentType ?? null);
    scanner.scan(input.body, encoding, { wantText: input.wantText });
    this.#scanned = true;
    this.#base = (scanner.baseHref === null ? null : canonicalUrl(scanner.baseHref, input.url)) ?? input.url;
    this.#headerRefresh = input.refresh === undefined ? null : (parseRefresh(input.refresh)?.url ?? null);
    const { index, follow } = robotsDirectives(input.robotsTags, scanner.metaRobots, this.#agent, input.now);
    const header = input.linkHeaders.length === 0 ? null : canonicalTarget(input.linkHeaders);
    this.#resolver.setBase(scanner.canonical === null ? input.url : this.#base);
    const canonical = scanner.canonical ?? header;
    const textHash = new Uint8Array(TEXT_HASH_BYTES);
    scanner.textHash(textHash);
    return this.#document(input, {
      kind: "page",
      charset: encoding,
      title: scanner.title,
      canonical: canonical === null || this.#resolver.resolveString(canonical) <= 0 ? null : this.#resolver.text(),
      index,
      follow,
      marks: scanner.marks,
      textHash,
      hasText: scanner.textLength > 0,
      textBytes: scanner.textLength,
      text: scanner.text(),
    });
  }

  /** Text, JSON, XML of no known use: kept, without links. So are bytes that declare no type, then without text. */
  #parseText(input: PageInput, declared: PageKind, readable: boolean): ParsedPage {
    const { encoding } = sniffCharset(input.body, input.contentType ?? null, declared === "xml");
    const { index, follow } = robotsDirectives(input.robotsTags, [], this.#agent, input.now);
    const header = input.linkHeaders.length === 0 ? null : canonicalTarget(input.linkHeaders);
    const textHash = new Uint8Array(TEXT_HASH_BYTES);
    this.#fingerprint.reset();
    this.#fingerprint.take(input.body, 0, input.body.length);
    const hasText = this.#fingerprint.length > 0;
    this.#fingerprint.digest(textHash, 0);
    return this.#document(input, {
      kind: "page",
      charset: encoding,
      canonical: header === null ? null : canonicalUrl(header, input.url),
      index,
      follow,
      marks: hasText ? [] : ["empty"],
      textHash,
      hasText: hasText && readable,
      text: input.wantText && readable ? decodeAll(input.body, encoding) : null,
    });
  }

  #parseList(input: PageInput): ParsedPage | null {
    const plain = plainSitemap(input.body, this.#inflate, SITEMAP_MAX_BYTES);
    if (plain === null) return null;
    const gzipped = plain !== input.body;
    const named = input.via === "sitemap" || input.via === "feed" || gzipped;
    const kind = sniffKind(plain);
    if (kind !== "xml" && kind !== "feed" && !(named && kind === "text")) return null;
    const charset = /charset=["']?([^"';\s]+)/i.exec(input.contentType ?? "")?.[1] ?? null;
    const result = parseSitemap(plain, LIST_LIMITS, { url: input.url, charset, now: input.now });
    if (result.kind === "none" || (result.kind === "text" && (!named || result.urls.length === 0))) return null;
    this.#listed = { urls: result.urls, lists: result.sitemaps };
    this.#base = input.url;
    return this.#document(input, { kind: "list", list: result.kind === "feed" ? "feed" : "sitemap" });
  }

  #document(input: PageInput, found: Partial<ParsedPage> & { readonly kind: ParsedPage["kind"] }): ParsedPage {
    return {
      list: null,
      contentType: input.contentType ?? null,
      charset: null,
      title: null,
      canonical: null,
      index: true,
      follow: true,
      marks: [],
      textHash: NO_HASH,
      textHashVersion: TEXT_HASH_VERSION,
      hasText: false,
      textBytes: null,
      text: null,
      ...found,
    };
  }
}

/**
 * How a document that is no list is read. A declared type is believed between HTML and text (MIME sniffing standard §7), but
 * nothing binary is text; where none is declared, the bytes decide.
 */
function formOf(input: PageInput, declared: PageKind, doubtful: boolean): "html" | "text" | "opaque" | "other" {
  if (declared === "html") return "html";
  const sniffed = sniffKind(input.body);
  if (declared === "unknown" || declared === "other")
    return formOfUndeclared(sniffed, declared === "other" && OPAQUE.test(input.contentType ?? ""), doubtful);
  if (sniffed === "html" && declared === "xml") return "html";
  return isPage(declared) && !UNREADABLE.has(sniffed) ? "text" : "other";
}

/** @param opaque it is declared as bytes, and kept as such when they are nothing known. */
function formOfUndeclared(sniffed: SniffedKind, opaque: boolean, doubtful: boolean): "html" | "text" | "opaque" | "other" {
  if (!opaque && !doubtful) return "other";
  if (sniffed === "html" || (sniffed === "empty" && !opaque)) return "html";
  if (sniffed === "text" || sniffed === "json" || sniffed === "xml") return "text";
  return opaque && (sniffed === "binary" || sniffed === "empty") ? "opaque" : "other";
}

const UNREADABLE: ReadonlySet<SniffedKind> = new Set(["binary", "pdf", "gzip", "image"]);

/** Longest run of blanks and marks before the first byte that counts. */
const LEAD_MOST = 64;

/** Can this be a list though it is declared as HTML? Looks at the first bytes only: gzip, or markup that HTML does not begin with. */
function beginsAsList(body: Uint8Array): boolean {
  if (body[0] === 0x1f && body[1] === 0x8b) return true;
  let at = 0;
  while (at < LEAD_MOST && at < body.length && (body[at] <= 0x20 || body[at] >= 0x80)) at++;
  if (body[at] !== 0x3c) return true;
  const next = body[at + 1] | 0x20;
  return next !== 0x21 && next !== 0x68; // neither `<!` nor `<h`
}

/** Says "some bytes" and no more. */
const OPAQUE = /^application\/octet-stream/i;
const NO_HASH = new Uint8Array(TEXT_HASH_BYTES);
