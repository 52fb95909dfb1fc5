import { type ExtractRule, FIELD_KINDS, type FieldRule, type PageRule } from "../kernel/page-rule.ts";
import { NOT_YET } from "./later.ts";
import { patternProblem } from "./pattern.ts";
import { suggest } from "./suggest.ts";
import { DURATION_FORM, parseDuration } from "./units.ts";
import type { ValueContext } from "./value-context.ts";

const KEYS = ["type", "match", "value", "objective", "detectWithin", "maxAge", "extract", "version"];
/** Names of the design that do nothing yet: refused, because ignoring them would do something else than was asked for. */
const LATER_KEYS = ["variant", "schema", "items"];
const FIELD_KEYS = ["select", "attr", "all", "jsonld", "json", "as"];
const SOURCES = ["select", "jsonld", "json"] as const;
const OBJECTIVES = ["freshness", "events", "age"];
/** Value of a type that says nothing of it, as of a page without a type. Source: cli.md. */
const PLAIN_VALUE = 2;
const TYPE_FORM = "a name of letters, digits, - and _ (at most 64)";
const EXTRACT_FORM = "an object of fields, or file#export";
const FIELD_FORM = "a CSS selector, or { select | jsonld | json, attr, all, as }";

/** Reads `pages`. Every problem is reported with its path. @returns undefined after a report. */
export function readPages(raw: unknown, context: ValueContext): readonly PageRule[] | undefined {
  if (!Array.isArray(raw)) {
    context.report("", raw, "a list of page types: [{ type, match, … }]");
    return undefined;
  }
  const reading = new Reading(context);
  const rules = raw.map((item, index) => reading.rule(item, `[${index}]`));
  const types = rules.map((rule) => rule?.type);
  types.forEach((type, index) => {
    if (type !== undefined && types.indexOf(type) < index) reading.refuse(`[${index}].type`, type, "a type that no earlier entry has");
  });
  return reading.failed ? undefined : rules.filter((rule) => rule !== null);
}

class Reading {
  failed = false;
  readonly #context: ValueContext;

  constructor(context: ValueContext) {
    this.#context = context;
  }

  refuse(path: string, got: unknown, expected: string): null {
    this.failed = true;
    this.#context.report(path, got, expected);
    return null;
  }

  rule(raw: unknown, path: string): PageRule | null {
    if (!isObject(raw)) return this.refuse(path, raw, "an object: { type, match, … }");
    this.#names(raw, path, KEYS);
    const type =
      typeof raw.type === "string" && /^[\p{L}\p{N}_-]{1,64}$/u.test(raw.type)
        ? raw.type
        : this.refuse(`${path}.type`, raw.type, TYPE_FORM);
    const match = this.#match(raw.match, `${path}.match`);
    const { value = PLAIN_VALUE, objective = null, version = null } = raw;
    if (![1, 2, 3, 4].includes(value as number)) this.refuse(`${path}.value`, value, "a tier: 1, 2, 3 or 4");
    if (objective !== null && !OBJECTIVES.includes(objective as string))
      this.refuse(`${path}.objective`, objective, `one of ${OBJECTIVES.join(", ")}`);
    if (version !== null && !/^[\w.-]{1,64}$/.test(String(version)))
      this.refuse(`${path}.version`, version, "a number or a short word without blanks");
    const detectWithin = this.#span(raw.detectWithin, `${path}.detectWithin`);
    const maxAge = this.#span(raw.maxAge, `${path}.maxAge`);
    const extract = raw.extract === undefined ? null : this.#extract(raw.extract, `${path}.extract`);
    return {
      type: type ?? "",
      match,
      value: Number(value),
      objective: objective as PageRule["objective"],
      detectWithin,
      maxAge,
      extract,
      version: version === null ? null : String(version),
    };
  }

  #names(raw: Readonly<Record<string, unknown>>, path: string, known: readonly string[]): void {
    for (const [name, value] of Object.entries(raw)) {
      if (value === undefined || known.includes(name)) continue;
      if (LATER_KEYS.includes(name)) this.refuse(`${path}.${name}`, "a setting", `nothing: it is ${NOT_YET}`);
      else {
        const near = suggest(name, known);
        this.refuse(`${path}.${name}`, "an unknown setting", near === null ? known.join(", ") : `did you mean ${near}?`);
      }
    }
  }

  #match(raw: unknown, path: string): readonly string[] {
    const list: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
    if (list.length === 0) this.refuse(path, raw, "a pattern, or a list of some");
    list.forEach((item, index) => {
      const at = Array.isArray(raw) ? `${path}[${index}]` : path;
      const wrong = typeof item === "string" ? patternProblem(item) : "a prefix of a URL or path, or a URLPattern";
      if (wrong !== null) this.refuse(at, item, wrong);
    });
    return list as readonly string[];
  }

  #span(raw: unknown, path: string): number | null {
    if (raw === undefined) return null;
    const span = typeof raw === "string" ? parseDuration(raw) : null;
    return span !== null && span > 0 ? span : this.refuse(path, raw, `${DURATION_FORM}, above 0`);
  }

  #extract(raw: unknown, path: string): ExtractRule | null {
    if (typeof raw === "string") {
      const [, file, name] = /^([^#\0]+)#([A-Za-z_$][\w$]*)$/.exec(raw) ?? [];
      return file === undefined ? this.refuse(path, raw, EXTRACT_FORM) : { kind: "module", path: file, name };
    }
    if (!isObject(raw) || Object.keys(raw).length === 0) return this.refuse(path, raw, EXTRACT_FORM);
    const fields = Object.entries(raw).map(([name, field]) => this.#field(name, field, `${path}.${name}`));
    return { kind: "fields", fields: fields.filter((field) => field !== null) };
  }

  #field(name: string, raw: unknown, path: string): FieldRule | null {
    if (typeof raw === "string")
      return raw.trim() === "" ? this.refuse(path, raw, FIELD_FORM) : { name, from: "select", path: raw, attr: null, all: false, as: null };
    if (!isObject(raw)) return this.refuse(path, raw, FIELD_FORM);
    this.#names(raw, path, FIELD_KEYS);
    const given = SOURCES.filter((source) => raw[source] !== undefined);
    const { attr = null, all = false, as = null } = raw;
    if (attr !== null && (typeof attr !== "string" || attr === "" || !given.includes("select")))
      this.refuse(`${path}.attr`, attr, "the name of an attribute, beside select");
    if (typeof all !== "boolean") this.refuse(`${path}.all`, all, "true or false");
    if (as !== null && !(FIELD_KINDS as readonly unknown[]).includes(as)) this.refuse(`${path}.as`, as, `one of ${FIELD_KINDS.join(", ")}`);
    const [from] = given;
    if (from === undefined || given.length > 1)
      return this.refuse(path, given.join(" and ") || "none of them", "one of select, jsonld, json");
    const where = raw[from];
    if (typeof where !== "string" || where.trim() === "")
      return this.refuse(`${path}.${from}`, where, from === "select" ? "a CSS selector" : 'a JSONPath such as "$.sku"');
    return { name, from, path: where, attr: attr as string | null, all: all === true, as: as as FieldRule["as"] };
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
