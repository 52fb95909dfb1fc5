import { usableEtag } from "../kernel/etag.ts";
import type { Fingerprinter } from "../kernel/fingerprint.ts";
import { encodeIds } from "../kernel/id-list.ts";
import { URL_TOO_LONG } from "../kernel/link-resolver.ts";
import type { Via } from "../kernel/outcome.ts";
import { PrintBatch } from "../kernel/print-batch.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import type { StoredPage } from "../ports/store.ts";
import type { Frontier } from "../stages/frontier/frontier.ts";
import type { PageParser, ParsedPage } from "../stages/parse/page-parser.ts";
import type { ContentIndex } from "../stages/store/content-index.ts";
import type { Errand } from "./errand.ts";
import { LinkSet } from "./link-set.ts";
import type { Ending, Visit } from "./visits.ts";

type Response = FetchResult & { kind: "response" };

/** Ways in which a page leads to a URL, by number; and the other bits of a link's note. */
const LINK_VIAS: readonly Via[] = ["link", "refresh", "feed"];
const NOTE_VIA = 0x03;
const NOTE_NOFOLLOW = 0x04;
const NOTE_LISTED = 0x08;

export interface PagesDeps {
  readonly clock: Clock;
  readonly frontier: Frontier;
  readonly parser: PageParser;
  /** Of the parser's resolver. */
  readonly fingerprinter: Fingerprinter;
  readonly content: ContentIndex;
  readonly blobs: BlobStore | null;
  /** Hashes a body for the archive: SHA-256, hex. */
  readonly hashBody: (body: Uint8Array) => string;
  /** Optional fields that a consumer asked for. */
  readonly wants: { readonly text: boolean; readonly headers: boolean; readonly html: boolean };
  /** Lists of URLs (sitemaps, feeds) are followed. */
  readonly followLists: boolean;
  readonly settle: (visit: Visit, errand: Errand, result: Response, ending: Ending) => void;
  /** A page was judged: does it hold what its host did not have? */
  readonly noteContent: (url: string, isNew: boolean) => void;
  /** The errand's page is parsed and handed on: its credit may go back. */
  readonly release: (errand: Errand, result: Response) => void;
  readonly onArchiveTrouble: (error: unknown) => void;
  /** The visit counts for nothing: its rows wait again. */
  readonly giveBack: (visit: Visit) => void;
  /** A body was archived, and its page settled. */
  readonly onArchived: () => void;
}

/** From a complete body to a settled URL: parse, enter its links, compare, settle. */
export class Pages {
  readonly #deps: PagesDeps;
  readonly #links = new LinkSet();
  readonly #prints = new PrintBatch();
  readonly #archiving = new Set<Errand>();

  constructor(deps: PagesDeps) {
    this.#deps = deps;
  }

  /** Pages whose bodies are on their way to the archive: not settled yet, and not in flight any more. */
  get archiving(): number {
    return this.#archiving.size;
  }
  /** The errand's credit is still needed. */
  holds(errand: Errand): boolean {
    return this.#archiving.has(errand);
  }

  take(errand: Errand, visit: Visit, result: Response): void {
    const { parser, clock, wants, release } = this.#deps;
    const { headers } = result;
    const parsed = parser.parse({
      url: visit.row.url,
      body: result.body,
      contentType: headers.get("content-type"),
      robotsTags: headers.all("x-robots-tag"),
      linkHeaders: headers.all("link"),
      refresh: headers.get("refresh"),
      via: visit.row.via,
      now: clock.epoch(),
      wantText: wants.text,
    });
    const links = this.#follow(parsed, visit);
    if (parsed.kind !== "page") {
      this.#deps.settle(visit, errand, result, {
        outcome: "skipped",
        code: "type",
        message: `Not a page: ${parsed.contentType ?? "no type"}`,
      });
      release(errand, result);
    } else if (!parsed.index) {
      this.#deps.settle(visit, errand, result, { outcome: "skipped", code: "noindex", message: "The page asks not to be indexed" });
      release(errand, result);
    } else if (this.#deps.blobs === null || result.body.length === 0) {
      this.#settle(errand, visit, result, parsed, links, null);
      release(errand, result);
    } else this.#archive(this.#deps.blobs, errand, visit, result, parsed, links);
  }

  /** Enters what the page links to. @returns the packed ids of its links. */
  #follow(parsed: ParsedPage, visit: Visit): Uint8Array {
    const { frontier, parser, followLists } = this.#deps;
    const depth = visit.row.depth + 1;
    if (parsed.kind === "list") {
      const via: Via = parsed.list === "feed" ? "feed" : "sitemap";
      // A child of an index is as near as the index itself.
      if (followLists) {
        parser.eachListed((length, isList) => {
          if (isList) frontier.discoverSitemap(length, visit.row.depth);
          else frontier.discover(length, depth, via, false);
        });
      }
      return new Uint8Array(0);
    }
    this.#links.clear();
    this.#prints.clear();
    const { fingerprinter } = this.#deps;
    parser.eachLink((length, via, nofollow, listed, index) => {
      if (length === URL_TOO_LONG) frontier.refuseTooLong();
      if (length <= 0 || (via === "feed" && !followLists)) return;
      fingerprinter.of(length);
      const note = LINK_VIAS.indexOf(via) | (nofollow || !parsed.follow ? NOTE_NOFOLLOW : 0) | (listed ? NOTE_LISTED : 0);
      this.#prints.add(fingerprinter.a, fingerprinter.b, fingerprinter.c, index, note);
    });
    this.#enter(depth);
    parser.releaseLinks();
    return encodeIds(this.#links.ids, this.#links.count);
  }

  /** Enters the links noted: those known and unmoved by what they are, at once; the others one by one. */
  #enter(depth: number): void {
    const { frontier, parser } = this.#deps;
    const { urls } = frontier;
    const prints = this.#prints;
    urls.findAll(prints);
    for (let i = 0; i < prints.count; i++) {
      const note = prints.note[i];
      let id = prints.found[i];
      if (id < 0 || !urls.isSettledFor(id, depth)) {
        const via = LINK_VIAS[note & NOTE_VIA];
        id = frontier.discover(parser.resolveLink(prints.link[i]), depth, via, (note & NOTE_NOFOLLOW) !== 0);
      }
      if ((note & NOTE_LISTED) !== 0) this.#links.add(id);
    }
  }

  /** Keeps the body first, so that no row ever names a body that is not there; the page holds its credit meanwhile. */
  #archive(blobs: BlobStore, errand: Errand, visit: Visit, result: Response, parsed: ParsedPage, links: Uint8Array): void {
    const { hashBody, clock, release, giveBack, onArchiveTrouble, onArchived } = this.#deps;
    this.#archiving.add(errand);
    const hash = hashBody(result.body);
    const done = (): void => {
      this.#archiving.delete(errand);
      release(errand, result);
      onArchived();
    };
    blobs.put(hash, result.body, { url: visit.row.url, at: clock.epoch(), contentType: parsed.contentType }).then(
      () => {
        this.#settle(errand, visit, result, parsed, links, hash);
        done();
      },
      (error: unknown) => {
        // Fetched again by the next run: a page that is settled would stay without its body.
        onArchiveTrouble(error);
        giveBack(visit);
        done();
      },
    );
  }

  #settle(errand: Errand, visit: Visit, result: Response, parsed: ParsedPage, links: Uint8Array, bodyHash: string | null): void {
    const { content, settle } = this.#deps;
    const { row, rowHost } = visit;
    const first = row.textHash === null;
    if (!first && !parsed.hasText && parsed.marks.includes("empty")) {
      settle(visit, errand, result, { outcome: "failed", code: "empty", message: "The page came empty; the earlier copy is kept" });
      return;
    }
    const changed = first ? null : row.textHashVersion === parsed.textHashVersion && !sameBytes(row.textHash, parsed.textHash);
    let duplicateOf: number | null = null;
    if (parsed.hasText) {
      const owner = content.owner(rowHost.id, parsed.textHash);
      if (owner >= 0 && owner !== row.id) duplicateOf = owner;
      else content.hold(rowHost.id, parsed.textHash, row.id);
      this.#deps.noteContent(row.url, duplicateOf === null);
    }
    if (changed === true && row.textHash !== null) content.drop(rowHost.id, row.textHash, row.id);
    const page: StoredPage = {
      contentType: parsed.contentType,
      charset: parsed.charset,
      title: parsed.title,
      canonical: parsed.canonical,
      index: parsed.index,
      follow: parsed.follow,
      links,
      // At first sight nothing tells an empty page from a broken one.
      marks: parsed.marks.filter((mark) => mark !== "empty"),
      textHash: parsed.textHash,
      textHashVersion: parsed.textHashVersion,
      etag: usableEtag(result.headers.get("etag")),
      lastModified: result.headers.get("last-modified") ?? null,
      bodyHash,
    };
    const outcome = duplicateOf !== null ? "duplicate" : first ? "new" : changed ? "changed" : "unchanged";
    settle(visit, errand, result, { outcome, duplicateOf, changed, page, extra: this.#extra(result, parsed) });
  }

  #extra(result: Response, parsed: ParsedPage): string | null {
    const { wants } = this.#deps;
    if (!wants.text && !wants.headers && !wants.html) return null;
    const extra: { text?: string | null; headers?: readonly (readonly [string, string])[]; html?: string } = {};
    if (wants.text) extra.text = parsed.text;
    if (wants.headers) extra.headers = result.headers.entries();
    if (wants.html) extra.html = this.#deps.parser.decode(result.body, parsed.charset);
    return JSON.stringify(extra);
  }
}

function sameBytes(a: Uint8Array | null, b: Uint8Array): boolean {
  if (a === null || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
