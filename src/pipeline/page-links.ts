import type { Fingerprinter } from "../kernel/fingerprint.ts";
import { hostKey } from "../kernel/host-key.ts";
import { type LinkResolver, URL_TOO_LONG } from "../kernel/link-resolver.ts";
import type { Via } from "../kernel/outcome.ts";
import { PrintBatch } from "../kernel/print-batch.ts";
import type { FoundLinks, ParsedPage } from "../ports/parse-lane.ts";
import type { VisitRow } from "../ports/store.ts";
import type { Frontier } from "../stages/frontier/frontier.ts";
import type { PageParser } from "../stages/parse/page-parser.ts";
import { LINK_VIAS, NOTE_INDEX, NOTE_LISTED, NOTE_NOFOLLOW, NOTE_VIA } from "./link-note.ts";
import { LinkSet } from "./link-set.ts";

const NONE = new Uint8Array(0);

export interface PageLinksDeps {
  readonly frontier: Frontier;
  readonly parser: PageParser;
  /** The parser's. */
  readonly resolver: LinkResolver;
  /** Of the parser's resolver. */
  readonly fingerprinter: Fingerprinter;
  /** Lists of URLs (sitemaps, feeds) are followed. */
  readonly followLists: boolean;
}

/** Enters what a page links to: at once for a page parsed here, piece by piece for one that was parsed elsewhere. */
export class PageLinks {
  readonly #deps: PageLinksDeps;
  readonly #links = new LinkSet();
  readonly #prints = new PrintBatch();
  readonly #ofParser = (index: number): number => this.#deps.parser.resolveLink(index);

  constructor(deps: PageLinksDeps) {
    this.#deps = deps;
  }

  /** Enters the links of the document that the parser has just parsed. @returns their packed ids. */
  enterParsed(parsed: ParsedPage, row: VisitRow): Uint8Array {
    const { frontier, parser, followLists, fingerprinter } = this.#deps;
    const depth = row.depth + 1;
    if (parsed.kind === "list") {
      const via = listVia(parsed);
      // A child of an index is as near as the index itself.
      if (followLists) {
        parser.eachListed((length, isList) => {
          if (isList) frontier.discoverSitemap(length, row.depth);
          else frontier.discover(length, depth, via, false);
        });
      }
      return NONE;
    }
    this.#links.clear();
    this.#prints.clear();
    parser.eachLink((length, via, nofollow, listed, index) => {
      if (length === URL_TOO_LONG) frontier.refuseTooLong();
      if (length <= 0 || (via === "feed" && !followLists)) return;
      fingerprinter.of(length);
      const note = LINK_VIAS.indexOf(via) | (nofollow || !parsed.follow ? NOTE_NOFOLLOW : 0) | (listed ? NOTE_LISTED : 0);
      this.#prints.add(fingerprinter.a, fingerprinter.b, fingerprinter.c, index, note);
    });
    this.#enter(depth, this.#links, this.#ofParser);
    parser.releaseLinks();
    return this.#links.packed();
  }

  /** Enters some of a page's links, `from` to before `to`; those that count as the page's own are added to `links`. */
  enterFound(found: FoundLinks, parsed: ParsedPage, row: VisitRow, from: number, to: number, links: LinkSet): void {
    // Others' pages come between two pieces.
    this.#deps.resolver.setBase(row.url);
    if (parsed.kind === "list") this.#enterListed(found, parsed, row, from, to);
    else this.#enterLinks(found, parsed, row, from, to, links);
    this.#deps.resolver.release();
  }

  #enterLinks(found: FoundLinks, parsed: ParsedPage, row: VisitRow, from: number, to: number, links: LinkSet): void {
    const { resolver, fingerprinter, followLists } = this.#deps;
    const { urls, ends, notes } = found;
    this.#prints.clear();
    const resolveLink = (index: number): number => resolver.resolve(urls, index === 0 ? 0 : ends[index - 1], ends[index]);
    for (let i = from; i < to; i++) {
      if (LINK_VIAS[notes[i] & NOTE_VIA] === "feed" && !followLists) continue;
      const length = resolveLink(i);
      if (length <= 0) continue;
      fingerprinter.of(length);
      const note = parsed.follow ? notes[i] : notes[i] | NOTE_NOFOLLOW;
      this.#prints.add(fingerprinter.a, fingerprinter.b, fingerprinter.c, i, note);
    }
    this.#enter(row.depth + 1, links, resolveLink);
  }

  /** The same right to speak for others as in `PageParser.eachListed`. */
  #enterListed(found: FoundLinks, parsed: ParsedPage, row: VisitRow, from: number, to: number): void {
    const { resolver, frontier, followLists } = this.#deps;
    if (!followLists) return;
    const { urls, ends, notes } = found;
    const own = hostKey(row.url);
    const via = listVia(parsed);
    for (let i = from; i < to; i++) {
      const length = resolver.resolve(urls, i === 0 ? 0 : ends[i - 1], ends[i]);
      if (length <= 0 || !(resolver.onBase || this.#mayName(hostKey(resolver.text()), own))) continue;
      if ((notes[i] & NOTE_INDEX) !== 0) frontier.discoverSitemap(length, row.depth);
      else frontier.discover(length, row.depth + 1, via, false);
    }
  }

  #mayName(host: string, own: string): boolean {
    return host === own || this.#deps.frontier.knowsHost(host);
  }

  /** Enters the links noted: those known and unmoved by what they are, at once; the others one by one. */
  #enter(depth: number, links: LinkSet, resolveLink: (index: number) => number): void {
    const { frontier } = this.#deps;
    const { urls } = frontier;
    const prints = this.#prints;
    urls.findAll(prints);
    for (let i = 0; i < prints.count; i++) {
      const note = prints.note[i];
      let id = prints.found[i];
      if (id < 0 || !urls.isSettledFor(id, depth)) {
        const via = LINK_VIAS[note & NOTE_VIA];
        id = frontier.discover(resolveLink(prints.link[i]), depth, via, (note & NOTE_NOFOLLOW) !== 0);
      }
      if ((note & NOTE_LISTED) !== 0) links.add(id);
    }
  }
}

function listVia(parsed: ParsedPage): Via {
  return parsed.list === "feed" ? "feed" : "sitemap";
}
