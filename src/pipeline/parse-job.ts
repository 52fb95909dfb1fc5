import { LinkResolver, URL_TOO_LONG } from "../kernel/link-resolver.ts";
import type { Bytes } from "../kernel/units.ts";
import type { FoundLinks, PageInput, ParsedPage } from "../ports/parse-lane.ts";
import { PageParser } from "../stages/parse/page-parser.ts";
import { LINK_VIAS, NOTE_INDEX, NOTE_LISTED, NOTE_NOFOLLOW } from "./link-note.ts";

const FIRST_LINKS = 1_024;
const FIRST_BYTES = 65_536;

/** Parses pages away from the crawl's own thread: the same parser, its links packed up for the way back. */
export class ParseJob {
  readonly #resolver = new LinkResolver();
  readonly #parser: PageParser;

  constructor(deps: { readonly agent: string; readonly inflate: (bytes: Uint8Array, cap: Bytes) => Uint8Array | null }) {
    // Who may name whose URLs is judged where the hosts are known.
    this.#parser = new PageParser({ ...deps, resolver: this.#resolver, isKnownHost: () => true });
  }

  run(input: PageInput): { readonly page: ParsedPage; readonly links: FoundLinks } {
    const page = this.#parser.parse(input);
    const pack = new LinkPack();
    const { scratch } = this.#resolver;
    if (page.kind === "list") this.#parser.eachListed((length, isIndex) => pack.add(scratch, length, isIndex ? NOTE_INDEX : 0));
    else {
      this.#parser.eachLink((length, via, nofollow, listed) => {
        pack.add(scratch, length, LINK_VIAS.indexOf(via) | (nofollow ? NOTE_NOFOLLOW : 0) | (listed ? NOTE_LISTED : 0));
      });
      this.#parser.releaseLinks();
    }
    return { page, links: pack.take() };
  }
}

/** Links of one page, one behind the other. */
class LinkPack {
  #urls = new Uint8Array(FIRST_BYTES);
  #ends = new Uint32Array(FIRST_LINKS);
  #notes = new Uint8Array(FIRST_LINKS);
  #count = 0;
  #at = 0;
  #tooLong = 0;

  add(scratch: Uint8Array, length: number, note: number): void {
    if (length === URL_TOO_LONG) this.#tooLong += 1;
    if (length <= 0) return;
    if (this.#count === this.#ends.length) {
      this.#ends = grown(this.#ends, new Uint32Array(this.#count * 2));
      this.#notes = grown(this.#notes, new Uint8Array(this.#count * 2));
    }
    if (this.#at + length > this.#urls.length) this.#urls = grown(this.#urls, new Uint8Array((this.#at + length) * 2));
    this.#urls.set(scratch.subarray(0, length), this.#at);
    this.#at += length;
    this.#ends[this.#count] = this.#at;
    this.#notes[this.#count++] = note;
  }

  /** Cut to what they hold, for they cross as they are. */
  take(): FoundLinks {
    return {
      urls: this.#urls.slice(0, this.#at),
      ends: this.#ends.slice(0, this.#count),
      notes: this.#notes.slice(0, this.#count),
      tooLong: this.#tooLong,
    };
  }
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
