import { JSON_PATH_FORM, parseJsonPath } from "../kernel/json-path.ts";
import { parseResetRule, RESET_FORM } from "../kernel/reset-rule.ts";
import { FIXED } from "./fixed.ts";
import type { ProviderSettings, ProvidersSettings } from "./providers.ts";
import { readHeader } from "./request-header.ts";
import { suggest } from "./suggest.ts";
import { parseSize, SIZE_FORM } from "./units.ts";
import type { ValueContext } from "./value-context.ts";

/** Reads one key of a provider. @returns undefined after a report. */
type Reader = (raw: unknown, context: ValueContext) => unknown;

/** What stands for one provider's secrets while it is read. */
interface Secrets {
  readonly found: string[];
}

const count =
  (min: number, max: number): Reader =>
  (raw, context) =>
    typeof raw === "number" && Number.isInteger(raw) && raw >= min && raw <= max
      ? raw
      : context.report("", raw, `a whole number from ${min} to ${max}`);

const price: Reader = (raw, context) =>
  typeof raw === "number" && raw >= 0 && raw <= 1e6 ? raw : context.report("", raw, "a price from 0 to 1000000");

const credits: Reader = (raw, context) =>
  typeof raw === "number" && raw >= 0 && raw <= 1e12 ? raw : context.report("", raw, "a number of credits from 0 to 1000000000000");

const size: Reader = (raw, context) => {
  const bytes = typeof raw === "string" || typeof raw === "number" ? parseSize(String(raw)) : null;
  return bytes ?? context.report("", raw, SIZE_FORM);
};

const resetAt: Reader = (raw, context) => (typeof raw === "string" ? parseResetRule(raw) : null) ?? context.report("", raw, RESET_FORM);

const statuses: Reader = (raw, context) => {
  const list: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  const good = list.every((status) => typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599);
  return good ? list : context.report("", raw, "a list of statuses from 400 to 599");
};

const jsonPath: Reader = (raw, context) =>
  typeof raw === "string" && parseJsonPath(raw) !== null ? raw : context.report("", raw, JSON_PATH_FORM);

/** What goes into a URL must not end it. */
const urlPart: Reader = (raw, context) =>
  typeof raw === "string" && /^[\x21-\x7e]+$/.test(raw) && !raw.includes("#")
    ? raw
    : context.report("", "something else", 'a part of a URL, such as "&render=true"');

const forwards: Reader = (raw, context) =>
  typeof raw === "boolean" || (typeof raw === "string" && /^[A-Za-z0-9-]{1,64}$/.test(raw))
    ? raw
    : context.report("", raw, "true, false, or what stands in front of a forwarded header's name");

const sessionUser: Reader = (raw, context) =>
  typeof raw === "string" && raw.includes("{session}") ? raw : context.report("", raw, "a user name with {session}");

const COMMON: Readonly<Record<string, Reader>> = {
  concurrency: count(1, 4096),
  resetAt,
  busy: statuses,
  exhausted: statuses,
};

const GATEWAY: Readonly<Record<string, Reader>> = { ...COMMON, endpoints, session: sessionUser, pricePerGB: price, balance: size };

const API: Readonly<Record<string, Reader>> = {
  ...COMMON,
  request: (raw, context) => requestTemplate(raw, context),
  headers: (raw, context) => headers(raw, context),
  status: jsonPath,
  body: jsonPath,
  finalUrl: jsonPath,
  credits: jsonPath,
  retries: count(0, 20),
  render: urlPart,
  country: urlPart,
  session: urlPart,
  forwardsHeaders: forwards,
  pricePerCredit: price,
  balance: credits,
};

const KINDS: Readonly<Record<string, { readonly keys: Readonly<Record<string, Reader>>; readonly needed: string }>> = {
  gateway: { keys: GATEWAY, needed: "endpoints" },
  "scraping-api": { keys: API, needed: "request" },
};

/** Reads `providers`: everything that is wrong is told at once, each with its path. Secrets are never shown. */
export function readProviders(raw: unknown, context: ValueContext): ProvidersSettings | undefined {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    context.report("", raw, "an object: name → { kind, … }");
    return undefined;
  }
  const providers: Record<string, ProviderSettings> = {};
  for (const [name, value] of Object.entries(raw)) {
    const at = within(context, `.${name}`);
    if (!/^[A-Za-z][\w.-]{0,63}$/.test(name) || name === "direct")
      at.report("", name, "another name: letters, digits, - and _, not direct");
    else {
      const provider = readProvider(value, at);
      if (provider !== undefined) providers[name] = provider;
    }
  }
  return providers;
}

function readProvider(value: unknown, context: ValueContext): ProviderSettings | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    context.report("", value, "an object: { kind, … }");
    return undefined;
  }
  const { kind, ...given } = value as Record<string, unknown>;
  const known = typeof kind === "string" && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (known === undefined) {
    within(context, ".kind").report("", kind, `one of ${Object.keys(KINDS).join(", ")}`);
    return undefined;
  }
  const secrets: Secrets = { found: [] };
  const read: Record<string, unknown> = {
    kind,
    retries: 0,
    busy: FIXED.gateway.busy,
    exhausted: FIXED.gateway.exhausted,
    ...kindDefaults(kind),
  };
  if (given[known.needed] === undefined) within(context, `.${known.needed}`).report("", undefined, `something: a ${kind} needs it`);
  for (const [name, raw] of Object.entries(given)) {
    if (raw === undefined) continue;
    const at = noting(within(context, `.${name}`), secrets);
    const reader = Object.hasOwn(known.keys, name) ? known.keys[name] : undefined;
    if (reader === undefined) at.report("", "an unknown setting", unknownSetting(name, kind, known.keys));
    else read[name] = reader(raw, at);
  }
  return { ...read, ...(kind === "scraping-api" ? { secrets: secrets.found } : {}) } as unknown as ProviderSettings;
}

function kindDefaults(kind: unknown): Record<string, unknown> {
  return kind === "gateway" ? { pricePerGB: 0 } : { pricePerCredit: 0, forwardsHeaders: false, headers: [] };
}

function unknownSetting(name: string, kind: unknown, keys: Readonly<Record<string, Reader>>): string {
  const near = suggest(name, Object.keys(keys));
  return `a setting of a ${String(kind)}${near === null ? " (see docs/providers.md)" : `; did you mean ${near}?`}`;
}

function within(context: ValueContext, path: string): ValueContext {
  return { ...context, fromText: false, report: (suffix, got, expected) => context.report(path + suffix, got, expected) };
}

/** Keeps every secret that is read, so that messages can be cleared of it. */
function noting(context: ValueContext, secrets: Secrets): ValueContext {
  return {
    ...context,
    secret: (name) => {
      const value = context.secret(name);
      if (value !== undefined && value !== "") secrets.found.push(value);
      return value;
    },
  };
}

function requestTemplate(raw: unknown, context: ValueContext): unknown {
  // The text itself is not shown: people put keys into it.
  const form = "an http or https URL with {url} where the page's goes";
  if (typeof raw !== "string" || !raw.includes("{url}")) return context.report("", "something else", form);
  let missing = false;
  const filled = raw.trim().replace(/\{env:([^}]*)\}/g, (_, name: string) => {
    const value = context.secret(name);
    if (value === undefined || value === "") {
      missing = true;
      context.report("", "a template", `the environment variable ${name} to be set`);
    }
    return encodeURIComponent(value ?? "");
  });
  if (missing) return undefined;
  const example = filled.replaceAll("{url}", "x");
  const url = URL.canParse(example) ? new URL(example) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.hash !== "" || /\{url\}/.test(url.host))
    return context.report("", "a template that gives no such URL", form);
  return filled;
}

function headers(raw: unknown, context: ValueContext): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return context.report("", "something else", "an object: name → value");
  const read = Object.entries(raw).map(([name, value]) => {
    const header = typeof value === "string" ? readHeader(name, value, context.secret) : ({ kind: "bad", expected: "text" } as const);
    if (header.kind === "header") return [header.name, header.value];
    return context.report(`.${name}`, name, header.expected);
  });
  return read.includes(undefined) ? undefined : read;
}

function endpoints(raw: unknown, context: ValueContext): unknown {
  const form = "http://, https:// or socks5:// URLs, as a list";
  const list: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  const read = list.map((item, index) => {
    const url = typeof item === "object" && item !== null && "url" in item ? item.url : item;
    const region = typeof item === "object" && item !== null && "region" in item ? item.region : null;
    const written = readEndpoint(url, context);
    if (written === undefined) return context.report(`[${index}]`, "something else", form);
    if (region !== null && typeof region !== "string") return context.report(`[${index}].region`, region, "a name");
    return { url: written, region };
  });
  if (list.length === 0) return context.report("", raw, form);
  return read.includes(undefined) ? undefined : read;
}

/** An endpoint's URL, or `env:NAME` for one. Never shown: it may hold a password. */
export function readEndpoint(raw: unknown, context: ValueContext): string | undefined {
  const written = typeof raw === "string" && raw.startsWith("env:") ? context.secret(raw.slice(4)) : raw;
  const isGood = typeof written === "string" && /^(https?|socks5h?):\/\/[^/\s]+\/?$/i.test(written) && URL.canParse(written);
  return isGood ? written : undefined;
}

/** What `--proxy` stands for: an unpriced gateway with one endpoint. */
export function proxyProvider(url: string): ProviderSettings {
  return {
    kind: "gateway",
    endpoints: [{ url, region: null }],
    pricePerGB: 0,
    retries: 0,
    busy: FIXED.gateway.busy,
    exhausted: FIXED.gateway.exhausted,
  };
}

/** Names of providers that do not exist, wherever one is named. */
export function unnamedProviders(
  values: ReadonlyMap<string, unknown>,
): readonly { readonly key: string; readonly suffix: string; readonly got: string; readonly expected: string }[] {
  const known = values.get("providers");
  // Unusable as a whole: its own problem is told, and a name cannot be judged.
  if (known === undefined) return [];
  const names = ["direct", ...Object.keys(known as ProvidersSettings)];
  const expected = (got: string): string => {
    const near = suggest(got, names);
    return near === null ? `one of ${names.join(", ")}` : `one of ${names.join(", ")}; did you mean ${near}?`;
  };
  const named: { key: string; suffix: string; got: unknown }[] = [{ key: "provider", suffix: "", got: values.get("provider") }];
  for (const [host, limits] of Object.entries((values.get("hosts.overrides") ?? {}) as Record<string, { provider?: string }>))
    named.push({ key: "hosts.overrides", suffix: `.${host}.provider`, got: limits.provider });
  return named.flatMap(({ key, suffix, got }) =>
    typeof got === "string" && !names.includes(got) ? [{ key, suffix, got, expected: expected(got) }] : [],
  );
}
