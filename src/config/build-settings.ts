import type { ProvidersSettings } from "./providers.ts";
import { proxyProvider } from "./read-providers.ts";
import type { Settings } from "./settings.ts";

/** The provider's name that `--proxy` stands for. */
export const PROXY = "proxy";

/**
 * Puts checked values, by key, into the typed shape and freezes it through and through. Absent values stay absent.
 * The values were read by the kinds of `defaults.ts`, which is what makes the casts true; a test builds one of everything.
 */
export function buildSettings(values: ReadonlyMap<string, unknown>): Settings {
  const read = <T>(key: string): T => values.get(key) as T;
  const optional = <K extends string, T>(name: K, key: string = name): { readonly [P in K]?: T } => {
    const value = values.get(key);
    return (value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: T };
  };
  const proxy = values.get("proxy") as string | undefined;
  const settings: Settings = {
    seeds: read("seeds"),
    store: read("store"),
    scope: read("scope"),
    include: read("include"),
    exclude: read("exclude"),
    ...optional<"maxPages", number>("maxPages"),
    ...optional<"maxDepth", number>("maxDepth"),
    ...optional<"maxBytes", number>("maxBytes"),
    ...optional<"maxTime", number>("maxTime"),
    maxWait: read("maxWait"),
    hosts: {
      ceiling: read("hosts.ceiling"),
      ...optional<"delay", number>("delay", "hosts.delay"),
      unit: read("hosts.unit"),
      overrides: read("hosts.overrides"),
    },
    limiter: read("limiter"),
    ipCeiling: read("ipCeiling"),
    concurrency: read("concurrency"),
    timeout: read("timeout"),
    maxBody: read("maxBody"),
    retries: read("retries"),
    headers: read("headers"),
    cookies: read("cookies"),
    sitemaps: read("sitemaps"),
    ...optional<"saveBodies", string>("saveBodies"),
    robots: read("robots"),
    allowPrivate: read("allowPrivate"),
    allowAddresses: read("allowAddresses"),
    providers: proxy === undefined ? read("providers") : { ...read<ProvidersSettings>("providers"), [PROXY]: proxyProvider(proxy) },
    provider: proxy === undefined ? read("provider") : PROXY,
    userAgent: read("userAgent"),
    fresh: read("fresh"),
    ...optional<"output", string>("output"),
    fields: read("fields"),
    quiet: read("quiet"),
    verbose: read("verbose"),
    logFormat: read("logFormat"),
    json: read("json"),
  };
  return freeze(settings);
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}
