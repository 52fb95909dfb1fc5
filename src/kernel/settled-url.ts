import type { Outcome, Via } from "./outcome.ts";
import type { Bytes, Millis, Seq } from "./units.ts";

/**
 * One settled URL as consumers get it: a line of `-o` and of `weir export`, and what the library's loop yields. The names are
 * a contract with users' programs: fields are added, never renamed. Everything is plain JSON.
 */
export interface SettledUrl {
  /** Delivery number, from 1, increasing; the same URL delivered twice after a crash carries the same one. 0: never delivered, only exported. */
  readonly seq: Seq;
  /** Canonical URL. */
  readonly url: string;
  /** Where the chain of redirects ended; null when nothing answered. */
  readonly finalUrl: string | null;
  readonly redirects: readonly { readonly url: string; readonly status: number }[];
  readonly outcome: Outcome;
  /** Of the last attempt, as are the next five; null when there was no answer. */
  readonly status: number | null;
  /** ISO 8601, UTC; null when it was decided at discovery not to fetch it. */
  readonly fetchedAt: string | null;
  readonly ms: Millis | null;
  /** Both directions, raw. */
  readonly bytesWire: Bytes;
  /** Decoded. */
  readonly bytesBody: Bytes;
  readonly provider: string | null;
  /** Attempts of the incident that ended with this; 0 when it was never asked for. */
  readonly attempts: number;
  /** Links from a seed. */
  readonly depth: number;
  readonly via: Via;
  readonly contentType: string | null;
  readonly charset: string | null;
  readonly title: string | null;
  readonly canonical: string | null;
  readonly robots: { readonly index: boolean; readonly follow: boolean } | null;
  /** Page type; null when there is no page. */
  readonly type: string | null;
  readonly record: unknown;
  readonly recordHash: string | null;
  /** null at first sight. */
  readonly changed: boolean | null;
  /** Absolute, unique, in document order. */
  readonly links: readonly string[];
  readonly marks: readonly string[];
  /** Of a `skipped` URL the code is the reason. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The URL that holds the content. */
  readonly duplicateOf: string | null;
  /** Visible text. Only when asked for by `--fields`, as are the next two. */
  readonly text?: string | null;
  readonly headers?: readonly (readonly [string, string])[] | null;
  readonly html?: string | null;
}

/** Every field that is written when no choice is made, in the order of the columns. */
export const STANDARD_FIELDS = [
  "seq",
  "url",
  "finalUrl",
  "redirects",
  "outcome",
  "status",
  "fetchedAt",
  "ms",
  "bytesWire",
  "bytesBody",
  "provider",
  "attempts",
  "depth",
  "via",
  "contentType",
  "charset",
  "title",
  "canonical",
  "robots",
  "type",
  "record",
  "recordHash",
  "changed",
  "links",
  "marks",
  "error",
  "duplicateOf",
] as const satisfies readonly (keyof SettledUrl)[];

/** Fields that cost memory or room and are written only when named. */
export const OPTIONAL_FIELDS = ["text", "headers", "html"] as const satisfies readonly (keyof SettledUrl)[];

export type SettledField = (typeof STANDARD_FIELDS)[number] | (typeof OPTIONAL_FIELDS)[number];
export type OptionalField = (typeof OPTIONAL_FIELDS)[number];
