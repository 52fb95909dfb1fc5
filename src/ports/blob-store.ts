import type { Bytes, EpochMillis } from "../kernel/units.ts";

/** What the archive's index says of one body. */
export interface BlobEntry {
  /** Final URL it came from. */
  readonly url: string;
  readonly at: EpochMillis;
  readonly contentType: string | null;
}

/** Bodies by the hash of their content. Implementation: `adapters/blob-store-file`. */
export interface BlobStore {
  /**
   * Keeps a body under its SHA-256 (hex, lower case) and notes the visit in the index. The same body is kept once.
   * Rejects with `WEIR_OUTPUT_FAILED`; nothing half-written is ever found under a hash.
   */
  put(hash: string, bytes: Uint8Array, entry: BlobEntry): Promise<void>;
  /** @returns null when it is not kept. */
  get(hash: string): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

/** One line of the index. */
export interface BlobIndexLine {
  readonly hash: string;
  readonly url: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly contentType: string | null;
  readonly bytes: Bytes;
}
