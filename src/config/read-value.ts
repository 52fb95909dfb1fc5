import { readAuthority } from "./authority.ts";
import { readFields } from "./fields.ts";
import { patternProblem } from "./pattern.ts";
import { readEndpoint, readProviders } from "./read-providers.ts";
import { readHeader, splitHeader } from "./request-header.ts";
import { type OptionKind, rangeOf } from "./schema.ts";
import { readSeed } from "./seed.ts";
import type { HostOverride } from "./settings.ts";
import { DURATION_FORM, parseDuration, parseSize, SIZE_FORM } from "./units.ts";
import type { ValueContext } from "./value-context.ts";

/**
 * Reads one option's value by its kind.
 * @returns the value in its unit (ms, bytes, lists), or undefined after at least one report.
 */
export function readValue(type: OptionKind, raw: unknown, context: ValueContext): unknown {
  switch (type.kind) {
    case "count":
      return readCount(type, raw, context);
    case "duration":
      return readSpan(parseDuration, type, DURATION_FORM, typeof raw === "string" ? raw : null, raw, context);
    case "size":
      return readSpan(parseSize, type, SIZE_FORM, typeof raw === "number" ? String(raw) : raw, raw, context);
    case "choice":
      return typeof raw === "string" && type.of.includes(raw) ? raw : refuse(raw, type, context);
    case "switch":
      return readSwitch(raw, type, context);
    case "path":
      return readPath(raw, context);
    case "output":
      return typeof raw === "string" && (raw === "-" || /.\.(jsonl|csv)$/i.test(raw)) ? raw : refuse(raw, type, context);
    case "user-agent":
      // A blank name would hide who runs the crawler; a line break would smuggle a header in.
      return typeof raw === "string" && /^[\x21-\x7e][\x20-\x7e]*$/.test(raw.trim()) && raw.trim().length <= 256
        ? raw.trim()
        : refuse(raw, type, context);
    case "fields":
      return readFieldList(raw, context);
    case "overrides":
      return readOverrides(raw, context);
    case "host-unit":
      return readHostUnit(raw, type, context);
    case "providers":
      return readProviders(raw, context);
    case "proxy":
      return readEndpoint(raw, context) ?? context.report("", "something else", rangeOf(type));
    case "provider":
      return typeof raw === "string" && raw.trim() !== "" ? raw.trim() : refuse(raw, type, context);
    default:
      return readList(type, raw, context);
  }
}

/** A word of weir's, a file and the name of its export, or the function itself. */
function readHostUnit(raw: unknown, type: OptionKind, context: ValueContext): unknown {
  if (typeof raw === "function") return raw;
  return typeof raw === "string" && /^(authority|domain|ip|[^#\0]+#[A-Za-z_$][\w$]*)$/.test(raw) ? raw : refuse(raw, type, context);
}

function refuse(raw: unknown, type: OptionKind, context: ValueContext): undefined {
  context.report("", raw, type.kind === "choice" ? `one of ${rangeOf(type)}` : rangeOf(type));
}

function readCount(type: { kind: "count"; min: number; max: number }, raw: unknown, context: ValueContext): number | undefined {
  const value = context.fromText && typeof raw === "string" && /^\d{1,15}$/.test(raw.trim()) ? Number(raw) : raw;
  if (typeof value === "number" && Number.isInteger(value) && value >= type.min && value <= type.max) return value;
  return refuse(raw, type, context);
}

function readSpan(
  parse: (text: string) => number | null,
  type: { kind: "duration" | "size"; min: string; max: string },
  form: string,
  text: unknown,
  raw: unknown,
  context: ValueContext,
): number | undefined {
  const value = typeof text === "string" ? parse(text) : null;
  if (value === null) {
    context.report("", raw, form);
    return undefined;
  }
  const [min, max] = [parse(type.min), parse(type.max)];
  if (min !== null && max !== null && value >= min && value <= max) return value;
  return refuse(raw, type, context);
}

function readSwitch(raw: unknown, type: OptionKind, context: ValueContext): boolean | undefined {
  if (typeof raw === "boolean") return raw;
  if (context.fromText && typeof raw === "string") {
    if (/^(true|yes|1)$/i.test(raw)) return true;
    if (/^(false|no|0)$/i.test(raw)) return false;
  }
  return refuse(raw, type, context);
}

function readPath(raw: unknown, context: ValueContext): string | undefined {
  if (typeof raw === "string" && /^postgres(ql)?:/i.test(raw))
    context.report("", "a PostgreSQL address", "a path (PostgreSQL is not available yet in this version)");
  else if (typeof raw === "string" && raw.trim() !== "" && !raw.includes("\0")) return raw;
  else context.report("", raw, "a path");
  return undefined;
}

function readFieldList(raw: unknown, context: ValueContext): unknown {
  const list = typeof raw === "string" ? [raw] : raw;
  if (!isTexts(list)) {
    context.report("", raw, "a list of names of fields");
    return undefined;
  }
  const reading = readFields(list);
  if (reading.kind === "fields") return reading.fields;
  context.report("", list.join(","), reading.expected);
  return undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function readList(type: OptionKind, raw: unknown, context: ValueContext): unknown {
  if (type.kind === "headers" && !Array.isArray(raw) && typeof raw === "object" && raw !== null) {
    return readHeaderObject(raw, context);
  }
  const list: unknown = typeof raw === "string" ? [raw] : raw;
  if (!Array.isArray(list)) {
    context.report("", raw, `a list: ${rangeOf(type)}`);
    return undefined;
  }
  const items = list.map((item, index) => readItem(type, item, list.length > 1 ? `[${index}]` : "", context));
  return items.includes(undefined) ? undefined : items;
}

/** A header's value never appears in a problem: it may be a secret. */
function readItem(type: OptionKind, item: unknown, suffix: string, context: ValueContext): unknown {
  const report = (expected: string, got: unknown = item): undefined => context.report(suffix, got, expected) as undefined;
  if (typeof item !== "string") return report(rangeOf(type), type.kind === "headers" ? "something else" : item);
  if (type.kind === "seeds") {
    const seed = readSeed(item);
    return seed.kind === "seed" ? seed.url : report(seed.expected);
  }
  if (type.kind === "patterns") {
    const wrong = patternProblem(item);
    return wrong === null ? item : report(wrong);
  }
  if (type.kind === "addresses") return readAuthority(item) ?? report(rangeOf(type));
  const parts = splitHeader(item);
  if (parts === null) return report(rangeOf(type), "text without a colon");
  const header = readHeader(parts[0], parts[1], context.secret);
  return header.kind === "header" ? [header.name, header.value] : report(header.expected, parts[0]);
}

function readHeaderObject(raw: object, context: ValueContext): unknown {
  const headers = Object.entries(raw).map(([name, value]) => {
    const header = typeof value === "string" ? readHeader(name, value, context.secret) : ({ kind: "bad", expected: "text" } as const);
    if (header.kind === "header") return [header.name, header.value];
    context.report(`.${name}`, name, header.expected);
    return undefined;
  });
  return headers.includes(undefined) ? undefined : headers;
}

/** What can be set for one host. */
const OVERRIDES: Readonly<Record<string, OptionKind>> = {
  ceiling: { kind: "count", min: 1, max: 1024 },
  delay: { kind: "duration", min: "0ms", max: "1d" },
  provider: { kind: "provider" },
  http2: { kind: "switch" },
};

function readOverrides(raw: unknown, context: ValueContext): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    context.report("", raw, rangeOf({ kind: "overrides" }));
    return undefined;
  }
  const overrides: Record<string, HostOverride> = {};
  for (const [host, limits] of Object.entries(raw)) {
    const key = readAuthority(host);
    if (key === null) context.report(`.${host}`, host, "HOST or HOST:PORT as the name");
    else if (typeof limits !== "object" || limits === null)
      context.report(`.${host}`, limits, "an object: { ceiling, delay, provider, http2 }");
    else overrides[key.replace(/:(80|443)$/, "")] = readOverride(host, limits, context);
  }
  return overrides;
}

function readOverride(host: string, limits: object, context: ValueContext): HostOverride {
  const at = (name: string): ValueContext => ({
    ...context,
    fromText: false,
    report: (suffix, got, expected) => context.report(`.${host}.${name}${suffix}`, got, expected),
  });
  const override: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(OVERRIDES, name) ? OVERRIDES[name] : undefined;
    const read =
      kind === undefined ? at(name).report("", value, "ceiling, delay, provider or http2 as the name") : readValue(kind, value, at(name));
    if (read !== undefined) override[name] = read;
  }
  return override;
}
