import type { Millis } from "./units.ts";

/** What a field's text is read as. */
export const FIELD_KINDS = ["text", "number", "integer", "boolean", "date", "url"] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

/** One field of a record and where it stands. Plain data: it crosses to another thread. */
export interface FieldRule {
  readonly name: string;
  /** A CSS selector; a JSONPath into the page's JSON-LD; a JSONPath into a page that is JSON. */
  readonly from: "select" | "jsonld" | "json";
  readonly path: string;
  /** Read instead of the text; null: the text. */
  readonly attr: string | null;
  /** A list of all matches instead of the first. */
  readonly all: boolean;
  /** null: text from a selector; what JSON says from a path. */
  readonly as: FieldKind | null;
}

/** How a record is taken from a page: field by field, or by a function that a module exports (`path` absolute). */
export type ExtractRule =
  | { readonly kind: "fields"; readonly fields: readonly FieldRule[] }
  | { readonly kind: "module"; readonly path: string; readonly name: string };

/** A kind of page that a person told apart. The first whose pattern matches a URL is the page's type. */
export interface PageRule {
  readonly type: string;
  /** Patterns as for `include`; one of them is enough. */
  readonly match: readonly string[];
  /** Tier 1 to 4. */
  readonly value: number;
  readonly objective: "freshness" | "events" | "age" | null;
  readonly detectWithin: Millis | null;
  readonly maxAge: Millis | null;
  readonly extract: ExtractRule | null;
  /** Set by a person; null: the extractor's own text tells. */
  readonly version: string | null;
}

/** The type of a page that no rule matches. */
export const PLAIN_TYPE = "page";
