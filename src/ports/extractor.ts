import type { EpochMillis } from "../kernel/units.ts";

/** A page whose record is wanted. */
export interface ExtractRequest {
  /** Position of its type's rule in the configuration. */
  readonly rule: number;
  readonly url: string;
  /** Decoded; stays the caller's. */
  readonly body: Uint8Array;
  readonly contentType: string | null;
  readonly now: EpochMillis;
}

export type ExtractEnd =
  /** `json` is canonical (RFC 8785), `hash` its SHA-256 in hex; `missing` names fields for which nothing was found. */
  | { readonly kind: "record"; readonly json: string; readonly hash: string; readonly missing: readonly string[] }
  /** No record: the extractor threw, found nothing at all, or took too long. */
  | { readonly kind: "failed"; readonly message: string; readonly missing: readonly string[] };

/**
 * Takes records from pages, away from this thread: an extractor is a user's program. Implementations: `adapters/extract-worker`;
 * tests have scripted ones.
 */
export interface Extractor {
  /**
   * `done` is called exactly once, later, never inside `run`. What waits here holds its page's parse credit, which bounds it.
   * @returns a function that forgets the page: `done` is then not called any more.
   */
  run(request: ExtractRequest, done: (end: ExtractEnd) => void): () => void;
  /** Ends what is under way, without a word to anybody. */
  close(): Promise<void>;
}
