import type { Sojourn, StageGauge } from "../flow/stage-gauge.ts";
import { usableEtag } from "../kernel/etag.ts";
import type { BlockMark } from "../kernel/signal.ts";
import type { Bytes, UrlId } from "../kernel/units.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import type { FoundLinks, PageInput, ParsedPage, ParseEnd, ParseLane } from "../ports/parse-lane.ts";
import type { StoredPage } from "../ports/store.ts";
import { markOfPage } from "../stages/fetch/challenge.ts";
import { CHALLENGED } from "../stages/fetch/verdict.ts";
import type { PageParser } from "../stages/parse/page-parser.ts";
import type { ContentIndex } from "../stages/store/content-index.ts";
import type { Errand } from "./errand.ts";
import { LinkSet } from "./link-set.ts";
import type { PageLinks } from "./page-links.ts";
import type { Ending, Visit } from "./visits.ts";

type Response = FetchResult & { kind: "response" };

/** Links of a page that was parsed elsewhere are entered so many at a time, some 3 ms, for others want their turn. */
const ENTERED_AT_ONCE = 2_000;
const NO_BODY = new Uint8Array(0);

export interface PagesDeps {
  readonly clock: Clock;
  readonly parser: PageParser;
  readonly links: PageLinks;
  /** Where pages are parsed that would keep this thread too long; null: all are parsed here. */
  readonly lane: ParseLane | null;
  /** This row's page may be what ended the process before: it is not parsed here. */
  readonly needsWorker: (id: UrlId) => boolean;
  /** Pages held, by the share of credit they hold. */
  readonly gauges: { readonly light: StageGauge; readonly heavy: StageGauge };
  /** The page goes through the lane: for its credit it is a heavy one. */
  readonly sentAway: (errand: Errand, bytes: Bytes) => void;
  readonly refuseTooLong: () => void;
  readonly content: ContentIndex;
  readonly blobs: BlobStore | null;
  /** Hashes a body for the archive: SHA-256, hex. */
  readonly hashBody: (body: Uint8Array) => string;
  /** Optional fields that a consumer asked for. */
  readonly wants: { readonly text: boolean; readonly headers: boolean; readonly html: boolean };
  readonly settle: (visit: Visit, errand: Errand, result: Response, ending: Ending) => void;
  /** A page was judged: does it hold what its host did not have? */
  readonly noteContent: (url: string, isNew: boolean) => void;
  /** The errand's page is parsed and handed on: its credit may go back. */
  readonly release: (errand: Errand, result: Response) => void;
  readonly onArchiveTrouble: (error: unknown) => void;
  /** The visit counts for nothing: its rows wait again. */
  readonly giveBack: (visit: Visit) => void;
  /** The page broke the parser, or was too much for it. */
  readonly onBroken: (errand: Errand, visit: Visit, result: Response, error: unknown) => void;
  /** The page ended the worker that parsed it. */
  readonly onCrashed: (errand: Errand, visit: Visit, result: Response, message: string) => void;
  /** A page that was held has come to its end. */
  readonly onLetGo: () => void;
}

/** A page that is not settled yet though its fetch has ended: it is parsed elsewhere, or its body is on its way to the archive. */
interface Held {
  readonly visit: Visit;
  readonly gauge: StageGauge;
  readonly sojourn: Sojourn;
  result: Response;
  /** Forgets what is under way; null where that cannot be. */
  abort: (() => void) | null;
}

/** From a complete body to a settled URL: parse, enter its links, compare, settle. */
export class Pages {
  readonly #deps: PagesDeps;
  readonly #held = new Map<Errand, Held>();

  constructor(deps: PagesDeps) {
    this.#deps = deps;
  }

  /** Pages between their last byte and their settlement. */
  get held(): number {
    return this.#held.size;
  }
  /** The errand's credit is still needed. */
  holds(errand: Errand): boolean {
    return this.#held.size > 0 && this.#held.has(errand);
  }
  /** Rows of the pages held, for the journal. */
  *heldIds(): IterableIterator<UrlId> {
    for (const { visit } of this.#held.values()) yield visit.row.id;
  }

  /** @returns the mark by which the page is known for a challenge; null for a page, and for one that is parsed elsewhere. */
  take(errand: Errand, visit: Visit, result: Response): BlockMark | null {
    const { lane, clock, wants } = this.#deps;
    const { headers } = result;
    const input: PageInput = {
      url: visit.row.url,
      body: result.body,
      contentType: headers.get("content-type"),
      robotsTags: headers.all("x-robots-tag"),
      linkHeaders: headers.all("link"),
      refresh: headers.get("refresh"),
      via: visit.row.via,
      now: clock.epoch(),
      wantText: wants.text,
    };
    const bytes = result.weighs ?? result.body.length;
    if (lane === null || !(lane.takes(bytes, input.url) || this.#deps.needsWorker(visit.row.id)))
      return this.#parseHere(errand, visit, result, input);
    this.#send(lane, errand, visit, result, input, bytes);
    return null;
  }

  /** Forgets the pages that are parsed elsewhere: their rows wait again. */
  abort(): void {
    for (const [errand, { visit, result, abort }] of [...this.#held]) {
      if (abort === null) continue;
      abort();
      this.#deps.giveBack(visit);
      this.#release(errand, result, false);
    }
  }

  #parseHere(errand: Errand, visit: Visit, result: Response, input: PageInput): BlockMark | null {
    const { parser, links } = this.#deps;
    const parsed = parser.parse(input);
    const mark = parsed.textBytes === null ? null : markOfPage(result.body, parsed.textBytes);
    if (mark !== null) {
      parser.releaseLinks();
      this.#deps.settle(visit, errand, result, CHALLENGED);
      this.#release(errand, result);
      return mark;
    }
    this.#conclude(errand, visit, result, parsed, links.enterParsed(parsed, visit.row));
    return null;
  }

  #send(lane: ParseLane, errand: Errand, visit: Visit, result: Response, input: PageInput, bytes: Bytes): void {
    // The body is the lane's now: what is settled without it still tells its size.
    this.#deps.sentAway(errand, bytes);
    const held = this.#hold(errand, visit, { ...result, body: NO_BODY, weighs: bytes });
    held.abort = lane.run(input, bytes, (end) => {
      held.abort = null;
      this.#guarded(errand, held, () => this.#returned(errand, held, result, input, end));
    });
  }

  #returned(errand: Errand, held: Held, result: Response, input: PageInput, end: ParseEnd): void {
    switch (end.kind) {
      case "here":
        held.result = result;
        this.#parseHere(errand, held.visit, result, input);
        return this.#letGo(errand);
      case "page":
        held.result = { ...held.result, body: end.body };
        for (let i = 0; i < end.links.tooLong; i++) this.#deps.refuseTooLong();
        return this.#enter(errand, held, end.page, end.links);
      case "crashed":
        this.#deps.onCrashed(errand, held.visit, held.result, end.message);
        this.#release(errand, held.result);
        return this.#deps.onLetGo();
      case "too-slow":
      case "broken":
        throw new Error(end.message);
      default:
        end satisfies never;
    }
  }

  /** Enters the links piece by piece, then goes on as with any page. */
  #enter(errand: Errand, held: Held, parsed: ParsedPage, found: FoundLinks): void {
    const { clock, links } = this.#deps;
    const own = new LinkSet();
    let from = 0;
    const next = (): void =>
      this.#guarded(errand, held, () => {
        const to = Math.min(found.ends.length, from + ENTERED_AT_ONCE);
        links.enterFound(found, parsed, held.visit.row, from, to, own);
        from = to;
        held.abort = null;
        if (from < found.ends.length) {
          held.abort = clock.after(0, next);
          return;
        }
        this.#conclude(errand, held.visit, held.result, parsed, own.packed());
        this.#letGo(errand);
      });
    next();
  }

  /** A page that breaks what comes back from elsewhere is that page's failure. */
  #guarded(errand: Errand, held: Held, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#deps.onBroken(errand, held.visit, held.result, error);
      this.#release(errand, held.result);
      this.#deps.onLetGo();
    }
  }

  #letGo(errand: Errand): void {
    if (!this.#held.has(errand)) this.#deps.onLetGo();
  }

  #conclude(errand: Errand, visit: Visit, result: Response, parsed: ParsedPage, links: Uint8Array): void {
    if (parsed.kind !== "page") {
      this.#deps.settle(visit, errand, result, {
        outcome: "skipped",
        code: "type",
        message: `Not a page: ${parsed.contentType ?? "no type"}`,
      });
      this.#release(errand, result);
    } else if (!parsed.index) {
      this.#deps.settle(visit, errand, result, { outcome: "skipped", code: "noindex", message: "The page asks not to be indexed" });
      this.#release(errand, result);
    } else if (this.#deps.blobs === null || result.body.length === 0) {
      this.#settle(errand, visit, result, parsed, links, null);
      this.#release(errand, result);
    } else this.#archive(this.#deps.blobs, errand, visit, result, parsed, links);
  }

  #hold(errand: Errand, visit: Visit, result: Response): Held {
    const { gauges, clock } = this.#deps;
    const gauge = errand.held?.heavy ? gauges.heavy : gauges.light;
    const held: Held = { visit, gauge, sojourn: gauge.enter(clock.now(), errand.held?.bytes ?? 0), result, abort: null };
    this.#held.set(errand, held);
    return held;
  }

  /** @param served false when the page was forgotten before its end. */
  #release(errand: Errand, result: Response, served = true): void {
    const held = this.#held.size === 0 ? undefined : this.#held.get(errand);
    if (held !== undefined) {
      this.#held.delete(errand);
      held.gauge.leave(this.#deps.clock.now(), held.sojourn, served);
    }
    this.#deps.release(errand, result);
  }

  /** Keeps the body first, so that no row ever names a body that is not there; the page holds its credit meanwhile. */
  #archive(blobs: BlobStore, errand: Errand, visit: Visit, result: Response, parsed: ParsedPage, links: Uint8Array): void {
    const { hashBody, clock, giveBack, onArchiveTrouble, onLetGo } = this.#deps;
    if (!this.#held.has(errand)) this.#hold(errand, visit, result);
    const hash = hashBody(result.body);
    const done = (): void => {
      this.#release(errand, result);
      onLetGo();
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
