import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfigFile } from "../adapters/config-file/load.ts";
import { type ConfigSources, type Origin, type Resolved, resolveSettings } from "../config/resolve.ts";
import type { Settings } from "../config/settings.ts";
import { ConfigError } from "../kernel/errors.ts";
import { weirVersion } from "./version.ts";

export interface GivenSettings extends Omit<ConfigSources, "version" | "file"> {
  /** File named by `--config` or `WEIR_CONFIG`; searched upwards from `cwd` when left out. */
  readonly configFile?: string;
  /** Absolute. */
  readonly cwd: string;
}

export interface LoadedSettings extends Resolved {
  /** The file that was used; null when there was none. */
  readonly file: string | null;
}

/**
 * The effective settings of a command: flags, environment, file and defaults. Paths come out absolute: those of the file are
 * relative to the file, all others to `cwd`.
 * @throws ConfigError with every problem.
 */
export async function loadSettings(given: GivenSettings): Promise<LoadedSettings> {
  const { configFile, cwd, ...rest } = given;
  const sources: ConfigSources = { ...rest, version: weirVersion() };
  const named = configFile ?? (given.env?.WEIR_CONFIG || undefined);
  const file = await loadConfigFile(named, cwd, defineConfigModule()).catch((error: unknown) => {
    throw withOtherProblems(error, sources);
  });
  const resolved = resolveSettings(file === null ? sources : { ...sources, file: { path: file.path, value: file.value } });
  return { ...withAbsolutePaths(resolved, cwd), file: file === null ? null : file.path };
}

/** What `import … from "weir"` in a configuration file leads to: a module of a few lines, not the whole engine. */
export function defineConfigModule(): string {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`../config/define-config.${ending}`, import.meta.url));
}

/** An unreadable file does not hide what else is wrong. */
function withOtherProblems(error: unknown, sources: ConfigSources): unknown {
  if (!(error instanceof ConfigError) || error.code !== "WEIR_CONFIG_UNREADABLE") return error;
  try {
    resolveSettings(sources);
    return error;
  } catch (other) {
    return other instanceof ConfigError ? new ConfigError(error.code, error.message, other.problems) : error;
  }
}

function withAbsolutePaths(resolved: Resolved, cwd: string): Resolved {
  const absolute = (key: string, path: string): string => {
    const origin = resolved.origins.find((entry) => entry.key === key);
    return resolve(origin?.origin === "file" && origin.from !== null ? dirname(origin.from) : cwd, path);
  };
  const { settings } = resolved;
  const { unit } = settings.hosts;
  const at = typeof unit === "string" ? unit.lastIndexOf("#") : -1;
  const module = typeof unit === "string" && at > 0 ? absolute("hosts.unit", unit.slice(0, at)) + unit.slice(at) : null;
  const changed: Partial<Settings> = {
    store: absolute("store", settings.store),
    ...(settings.saveBodies === undefined ? {} : { saveBodies: absolute("saveBodies", settings.saveBodies) }),
    ...(settings.output === undefined || settings.output === "-" ? {} : { output: absolute("output", settings.output) }),
  };
  const shown = new Map<string, unknown>(Object.entries(changed));
  if (module !== null) shown.set("hosts.unit", module);
  const hosts = module === null ? settings.hosts : Object.freeze({ ...settings.hosts, unit: module });
  const origins = resolved.origins.map(
    (entry): Origin => (shown.has(entry.key) ? { ...entry, value: String(shown.get(entry.key)) } : entry),
  );
  return { settings: Object.freeze({ ...settings, ...changed, hosts }), origins };
}
