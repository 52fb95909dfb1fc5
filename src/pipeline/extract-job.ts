import { createHash } from "node:crypto";
import { canonicalJson } from "../kernel/canonical-json.ts";
import type { ExtractRule } from "../kernel/page-rule.ts";
import type { ExtractEnd, ExtractRequest } from "../ports/extractor.ts";
import { ExtractPage, extractFields } from "../stages/parse/extract-fields.ts";

/** What a `file#export` is given. Plain data: the function returns the page's record, or null when it finds none. */
export interface ExtractorPage {
  readonly url: string;
  readonly contentType: string | null;
  /** The page as text. */
  readonly text: string;
}
export type ExtractFunction = (page: ExtractorPage) => unknown;

/** Longest record that is kept, as JSON. */
const RECORD_MOST = 1_048_576;

/** Takes records from pages by the rules of their types; runs in a thread that can be ended. */
export class ExtractJob {
  readonly #rules: readonly (ExtractRule | null)[];
  readonly #functions: readonly (ExtractFunction | null)[];

  /** @param functions of the rules that name a module, at their rules' positions. */
  constructor(rules: readonly (ExtractRule | null)[], functions: readonly (ExtractFunction | null)[]) {
    this.#rules = rules;
    this.#functions = functions;
  }

  /** Never rejects: what goes wrong is the page's failure. */
  async run(request: ExtractRequest): Promise<ExtractEnd> {
    try {
      const { record, missing } = await this.#extract(request);
      if (isEmpty(record)) return { kind: "failed", message: "The extractor found nothing", missing };
      const json = canonicalJson(record);
      if (json.length > RECORD_MOST) return { kind: "failed", message: `The record is longer than ${RECORD_MOST} characters`, missing };
      return { kind: "record", json, hash: createHash("sha256").update(json).digest("hex"), missing };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { kind: "failed", message: `The extractor failed: ${message.split("\n")[0].slice(0, 300)}`, missing: [] };
    }
  }

  async #extract(request: ExtractRequest): Promise<{ readonly record: unknown; readonly missing: readonly string[] }> {
    const rule = this.#rules[request.rule];
    const page = new ExtractPage(request);
    if (rule?.kind === "fields") return extractFields(rule.fields, page);
    const run = this.#functions[request.rule];
    if (typeof run !== "function") throw new TypeError("there is no such extractor");
    const record = await run({ url: page.url, contentType: request.contentType, text: page.text });
    return { record: record ?? null, missing: [] };
  }
}

/** Nothing at all was found: no value, or only empty ones. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.every(isEmpty);
  return typeof value === "object" && Object.values(value).every(isEmpty);
}
