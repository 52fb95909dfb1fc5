import type { Via } from "../kernel/outcome.ts";
import type { Bytes, EpochMillis } from "../kernel/units.ts";

/** What is known of a document before it is looked into. */
export interface PageInput {
  /** Where it was found in the end; base of its links. */
  readonly url: string;
  /** Decoded body. */
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
  readonly robotsTags: readonly string[];
  readonly linkHeaders: readonly string[];
  readonly refresh: string | undefined;
  readonly via: Via;
  readonly now: EpochMillis;
  readonly wantText: boolean;
}

/** What a document is and says. `list`: a sitemap or feed; `other`: not a page. */
export interface ParsedPage {
  readonly kind: "page" | "list" | "other";
  readonly list: "sitemap" | "feed" | null;
  readonly contentType: string | null;
  readonly charset: string | null;
  readonly title: string | null;
  /** Absolute and canonical, or null. */
  readonly canonical: string | null;
  readonly index: boolean;
  readonly follow: boolean;
  readonly marks: readonly string[];
  /** 12 bytes; meaningless when `hasText` is false. */
  readonly textHash: Uint8Array;
  readonly textHashVersion: number;
  readonly hasText: boolean;
  /** Bytes of visible text of an HTML page, without its title; null for anything else. */
  readonly textBytes: Bytes | null;
  /** Visible text, only when asked for. */
  readonly text: string | null;
}

/**
 * Links of a page that was parsed elsewhere: canonical URLs in document order, packed, so that crossing to another thread costs
 * no string each.
 */
export interface FoundLinks {
  /** One behind the other, ASCII. */
  readonly urls: Uint8Array;
  /** Where each ends. */
  readonly ends: Uint32Array;
  /** How it was found and what it is; the bits are the pipeline's. */
  readonly notes: Uint8Array;
  /** Links that are too long to be kept. */
  readonly tooLong: number;
}

export type ParseEnd =
  /** To be parsed by the caller, now: the lane only decided when. */
  | { readonly kind: "here" }
  /** `body` is the body that was handed over, back again. */
  | { readonly kind: "page"; readonly page: ParsedPage; readonly links: FoundLinks; readonly body: Uint8Array }
  /**
   * That page's failure; its body is gone. `crashed`: it ended its worker, which another time it may not (memory). `too-slow`:
   * its worker was ended. `broken`: the parser gave it up, and would again.
   */
  | { readonly kind: "crashed" | "too-slow" | "broken"; readonly message: string };

/**
 * Where a page is parsed that must not be parsed between two events of this thread. Implementations: `adapters/parse-worker`; a
 * simulated parser that takes its time. What waits here holds its parse credit, which bounds it.
 */
export interface ParseLane {
  /** Does this page go through the lane? Pages that do not are parsed at once by the caller. @param bytes decoded size. */
  takes(bytes: Bytes, url: string): boolean;
  /**
   * Takes a page, body and all: the caller must not look at the body until it comes back. `done` is called exactly once, later,
   * never inside `run`.
   * @returns a function that forgets the page: `done` is then not called any more.
   */
  run(input: PageInput, bytes: Bytes, done: (end: ParseEnd) => void): () => void;
  /** Ends what is under way, without a word to anybody. */
  close(): Promise<void>;
}
