import { ConfigError, type ConfigProblem } from "../kernel/errors.ts";
import { buildSettings, PROXY } from "./build-settings.ts";
import { defaultUserAgent, OPTIONS } from "./defaults.ts";
import { DEFAULT_FIELDS } from "./fields.ts";
import type { ProvidersSettings } from "./providers.ts";
import { unnamedProviders } from "./read-providers.ts";
import { readValue } from "./read-value.ts";
import { isList, type OptionSpec } from "./schema.ts";
import type { Settings } from "./settings.ts";
import { shown, shownSetting } from "./shown.ts";
import { unknownEnvironment, unknownKeys } from "./unknown-keys.ts";

/** Everything a run's configuration can come from, strongest first: options and flags, environment, file, default. */
export interface ConfigSources {
  /** weir's own, for the default User-Agent. */
  readonly version: string;
  /** The library's options, in the shape of the file. */
  readonly options?: unknown;
  /** What the command line said, by key. Seeds are under `seeds`; a switch is true. */
  readonly flags?: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A loaded file: its path for the messages, and its value, not yet checked. */
  readonly file?: { readonly path: string; readonly value: unknown };
  /** Found by the caller already, for example options that do not exist. Reported together with the others. */
  readonly problems?: readonly ConfigProblem[];
  /** What the caller can only judge by the providers there are; null when they are unusable, and then a problem of their own. */
  readonly judge?: (providers: readonly string[] | null) => readonly ConfigProblem[];
}

/** Where an effective value came from. */
export interface Origin {
  readonly key: string;
  /** As a user would write it; empty when not set. Secrets are hidden. */
  readonly value: string;
  readonly origin: "option" | "flag" | "environment" | "file" | "default";
  /** The flag, variable or file; null for a default. */
  readonly from: string | null;
}

export interface Resolved {
  readonly settings: Settings;
  readonly origins: readonly Origin[];
}

interface Given {
  readonly raw: unknown;
  readonly origin: Origin["origin"];
  readonly from: string | null;
  /** How a problem names the place. */
  readonly path: string;
}

/**
 * Puts the sources together and checks them.
 * @throws ConfigError `WEIR_CONFIG_INVALID` (`WEIR_USAGE` when only the command line is wrong) with every problem at once.
 */
export function resolveSettings(sources: ConfigSources): Resolved {
  const elsewhere = [
    ...(sources.file === undefined ? [] : unknownKeys(sources.file.value, `${sources.file.path}: `, "file")),
    ...(sources.options === undefined ? [] : unknownKeys(sources.options, "", "library")),
    ...unknownEnvironment(sources.env ?? {}),
  ];
  const problems: ConfigProblem[] = [...(sources.problems ?? []), ...elsewhere];
  let onlyFlags = elsewhere.length === 0;
  const values = new Map<string, unknown>();
  const places = new Map<string, Given>();
  const origins = new Map<string, Origin>();
  for (const spec of OPTIONS) {
    const given = strongest(spec, sources);
    const report = (suffix: string, got: unknown, expected: string): void => {
      problems.push({ path: given.path + suffix, got: shown(got), expected });
      onlyFlags &&= given.origin === "flag";
    };
    const fromText = given.origin !== "file" && given.origin !== "option";
    const value =
      given.raw === undefined ? undefined : readValue(spec.type, given.raw, { fromText, secret: (name) => sources.env?.[name], report });
    values.set(spec.key, value);
    places.set(spec.key, given);
    origins.set(spec.key, originOf(spec, value, given));
  }
  for (const { key, suffix, got, expected } of unnamedProviders(values)) {
    const place = places.get(key);
    problems.push({ path: (place?.path ?? key) + suffix, got: shown(got), expected });
    onlyFlags &&= place?.origin === "flag";
  }
  const weaker = weakerWay(values, places);
  if (weaker === "both") {
    const place = places.get("proxy");
    problems.push({ path: place?.path ?? "proxy", got: "a proxy beside a provider", expected: "one of the two" });
    onlyFlags &&= place?.origin === "flag";
  } else if (weaker !== null) {
    const fallback = defaultOf(weaker, sources.version);
    values.set(weaker.key, fallback);
    origins.set(weaker.key, originOf(weaker, fallback, { origin: "default", from: null }));
  }
  problems.push(...(sources.judge?.(providerNames(values)) ?? []));
  if (problems.length > 0)
    throw new ConfigError(
      onlyFlags ? "WEIR_USAGE" : "WEIR_CONFIG_INVALID",
      headline(onlyFlags ? "command line" : "configuration", problems.length),
      problems,
    );
  return { settings: buildSettings(values), origins: [...origins.values()] };
}

function originOf({ key, type }: OptionSpec, value: unknown, { origin, from }: Pick<Given, "origin" | "from">): Origin {
  return { key, value: shownSetting(type, value), origin, from };
}

/** Sources from the strongest. */
const STRENGTH: readonly Origin["origin"][] = ["option", "flag", "environment", "file", "default"];

/**
 * A proxy and a provider are two answers to one question: what comes from the stronger source counts.
 * @returns the option that does not count; "both" when they come from the same source; null when one of them was not set.
 */
function weakerWay(values: ReadonlyMap<string, unknown>, places: ReadonlyMap<string, Given>): OptionSpec | "both" | null {
  const strengthOf = (key: string): number => STRENGTH.indexOf(places.get(key)?.origin ?? "default");
  const [proxy, provider] = [strengthOf("proxy"), strengthOf("provider")];
  if (values.get("proxy") === undefined || places.get("provider")?.origin === "default") return null;
  if (proxy === provider) return values.get("provider") === "direct" ? null : "both";
  return OPTIONS.find(({ key }) => key === (proxy < provider ? "provider" : "proxy")) ?? null;
}

/** Those that can be named; null when they could not be read. */
function providerNames(values: ReadonlyMap<string, unknown>): readonly string[] | null {
  const known = values.get("providers");
  if (known === undefined) return null;
  return [...Object.keys(known as ProvidersSettings), ...(values.get("proxy") === undefined ? [] : [PROXY])];
}

function headline(what: string, count: number): string {
  return count === 1 ? `The ${what} has a problem` : `The ${what} has ${count} problems`;
}

/** The value that counts, from the strongest source that has one. */
function strongest(spec: OptionSpec, sources: ConfigSources): Given {
  const option = at(sources.options, spec.key);
  if (option !== undefined) return { raw: option, origin: "option", from: null, path: spec.key };
  const flag = sources.flags?.[spec.key];
  const flagName = spec.flag ?? "<url>";
  if (flag !== undefined) return { raw: flag, origin: "flag", from: flagName, path: flagName };
  const text = spec.env === null ? undefined : sources.env?.[spec.env];
  if (spec.env !== null && text !== undefined && text !== "")
    return { raw: listed(spec, text), origin: "environment", from: spec.env, path: spec.env };
  const inFile = sources.file === undefined || (spec.flag !== null && spec.env === null) ? undefined : at(sources.file.value, spec.key);
  if (sources.file !== undefined && inFile !== undefined)
    return { raw: inFile, origin: "file", from: sources.file.path, path: `${sources.file.path}: ${spec.key}` };
  return { raw: defaultOf(spec, sources.version), origin: "default", from: null, path: spec.key };
}

/** A repeatable option's variable holds one value a line: a comma may stand in a URL or in a header. */
function listed(spec: OptionSpec, text: string): unknown {
  if (!isList(spec.type)) return text;
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** @returns undefined for an option that is absent unless somebody sets it. */
function defaultOf(spec: OptionSpec, version: string): unknown {
  if (spec.key === "userAgent") return defaultUserAgent(version);
  if (spec.type.kind === "fields") return [...DEFAULT_FIELDS];
  if (spec.type.kind === "overrides" || spec.type.kind === "providers") return {};
  return spec.default ?? (isList(spec.type) ? [] : undefined);
}

/** Looks up `hosts.ceiling` in a value of any shape; problems with the shape itself are `unknownKeys`' to report. */
function at(value: unknown, path: string): unknown {
  let here: unknown = value;
  for (const name of path.split(".")) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
    here = (here as Record<string, unknown>)[name];
  }
  return here;
}
