import { compile, selectAll, selectOne } from "css-select";
import type { AnyNode, Document, Element } from "domhandler";
import { innerText, textContent } from "domutils";
import { type JsonValue, query } from "jsonpath-rfc9535";
import type { ConfigProblem } from "../../kernel/errors.ts";
import type { FieldRule } from "../../kernel/page-rule.ts";
import { pageKindOf } from "../../kernel/page-type.ts";
import type { EpochMillis } from "../../kernel/units.ts";
import { decodeAll, sniffCharset } from "./charset.ts";
import { documentOf } from "./extract-document.ts";
import { fieldValue } from "./extract-value.ts";

/** A page as extractors see it. */
export interface ExtractInput {
  readonly url: string;
  /** Decoded. */
  readonly body: Uint8Array;
  readonly contentType: string | null;
  readonly now: EpochMillis;
}

/** Values of one list field that are kept. */
const LIST_MOST = 10_000;

/** A page read once for all its fields: text, tree and JSON are made when the first field asks. */
export class ExtractPage {
  readonly url: string;
  readonly #input: ExtractInput;
  readonly #kind: ReturnType<typeof pageKindOf>;
  #text: string | null = null;
  #document: Document | null = null;
  #json: JsonValue | undefined;
  #jsonLd: readonly JsonValue[] | null = null;

  constructor(input: ExtractInput) {
    this.url = input.url;
    this.#input = input;
    this.#kind = pageKindOf(input.contentType ?? undefined);
  }

  get now(): EpochMillis {
    return this.#input.now;
  }

  get text(): string {
    const { body, contentType } = this.#input;
    const isMarkup = this.#kind !== "json" && this.#kind !== "text";
    this.#text ??= decodeAll(body, sniffCharset(body, contentType, isMarkup).encoding);
    return this.#text;
  }

  get document(): Document {
    this.#document ??= documentOf(this.text, this.#kind === "xml");
    return this.#document;
  }

  /** @throws SyntaxError when the page is no JSON. */
  get json(): JsonValue {
    this.#json ??= JSON.parse(this.text) as JsonValue;
    return this.#json;
  }

  /** Each JSON-LD object of the page, those of lists and graphs by themselves. A block that is no JSON is left out, as search engines do. */
  get jsonLd(): readonly JsonValue[] {
    this.#jsonLd ??= selectAll<AnyNode, Element>('script[type="application/ld+json" i]', this.document).flatMap((script) => {
      try {
        return things(JSON.parse(textContent(script)) as JsonValue);
      } catch {
        return [];
      }
    });
    return this.#jsonLd;
  }
}

function things(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value.flatMap(things);
  if (typeof value !== "object" || value === null) return [];
  const graph = value["@graph"];
  return Array.isArray(graph) ? [value, ...graph.flatMap(things)] : [value];
}

/** Takes a record field by field. @returns it, and the names of the fields for which nothing was found. */
export function extractFields(
  rules: readonly FieldRule[],
  page: ExtractPage,
): { readonly record: Readonly<Record<string, unknown>>; readonly missing: readonly string[] } {
  const record: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const missing: string[] = [];
  for (const rule of rules) {
    const values = foundBy(rule, page)
      .map((found) => fieldValue(found, rule.as, page.url, page.now))
      .filter((value) => value !== null && value !== undefined && value !== "");
    if (values.length === 0) missing.push(rule.name);
    record[rule.name] = rule.all ? values : (values[0] ?? null);
  }
  return { record, missing };
}

function foundBy(rule: FieldRule, page: ExtractPage): readonly unknown[] {
  if (rule.from === "json") return some(query(page.json, rule.path), rule);
  if (rule.from === "jsonld") {
    for (const thing of page.jsonLd) {
      const found = query(thing, rule.path);
      if (found.length > 0) return some(found, rule);
    }
    return [];
  }
  const one = rule.all ? null : selectOne<AnyNode, Element>(rule.path, page.document);
  const elements = rule.all ? selectAll<AnyNode, Element>(rule.path, page.document).slice(0, LIST_MOST) : one === null ? [] : [one];
  return elements.map((element) => (rule.attr === null ? innerText(element) : (element.attribs[rule.attr.toLowerCase()] ?? null)));
}

const some = (found: readonly unknown[], rule: FieldRule): readonly unknown[] => found.slice(0, rule.all ? LIST_MOST : 1);

/** What is wrong with the selectors and paths of a type. @param path of its `extract` in the configuration. */
export function fieldProblems(rules: readonly FieldRule[], path: string): readonly ConfigProblem[] {
  return rules.flatMap((rule) => {
    try {
      if (rule.from === "select") compile(rule.path);
      else query(null, rule.path);
      return [];
    } catch (error) {
      const what = rule.from === "select" ? "a CSS selector" : "a JSONPath (RFC 9535)";
      const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
      return [{ path: `${path}.${rule.name}`, got: JSON.stringify(rule.path), expected: `${what} (${why.slice(0, 200)})` }];
    }
  });
}
