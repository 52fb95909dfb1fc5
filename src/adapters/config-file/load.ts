import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ConfigError } from "../../kernel/errors.ts";

/** In this order in each folder. */
export const CONFIG_FILE_NAMES = ["weir.config.ts", "weir.config.mjs", "weir.config.json"] as const;

/** Endings of modules. */
const MODULE = /\.([cm]?ts|m?js)$/;

export interface LoadedConfig {
  /** Absolute. */
  readonly path: string;
  /** As the file gave it; not checked. */
  readonly value: unknown;
}

/**
 * Loads the configuration file that was named, else the first one found from `cwd` upwards.
 * A `.ts` or `.mjs` file may import `defineConfig` from "weir"; `library` is where that leads (this very program), so that a file
 * works in a folder without `node_modules`.
 * @returns null when none was named and none is there.
 * @throws ConfigError `WEIR_CONFIG_UNREADABLE`, naming the file and the cause.
 */
export async function loadConfigFile(named: string | undefined, cwd: string, library: string): Promise<LoadedConfig | null> {
  const path = named === undefined ? await findUpwards(cwd) : resolve(cwd, named);
  if (path === null) return null;
  try {
    return { path, value: await load(path, library) };
  } catch (error) {
    throw new ConfigError("WEIR_CONFIG_UNREADABLE", `${path} could not be ${verb(error)}: ${reason(error)}`);
  }
}

/**
 * Loads what a module exports under a name. @param path absolute. @returns undefined when there is no such export.
 * @throws ConfigError `WEIR_CONFIG_UNREADABLE`, naming the file and the cause.
 */
export async function loadExport(path: string, name: string, library: string): Promise<unknown> {
  try {
    await readFile(path);
    if (!MODULE.test(path)) throw new Error("the ending must be .ts, .mjs or .js");
    const module: unknown = await importModule(path, library);
    return typeof module === "object" && module !== null && Object.hasOwn(module, name) ? Reflect.get(module, name) : undefined;
  } catch (error) {
    throw new ConfigError("WEIR_CONFIG_UNREADABLE", `${path} could not be ${verb(error)}: ${reason(error)}`);
  }
}

async function findUpwards(from: string): Promise<string | null> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    for (const name of CONFIG_FILE_NAMES) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => null);
      if (found?.isFile()) return path;
    }
    if (dirname(folder) === folder) return null;
  }
}

async function load(path: string, library: string): Promise<unknown> {
  if (path.endsWith(".json")) {
    const text = await readFile(path, "utf8");
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  }
  await readFile(path); // a missing file gives a plain ENOENT instead of the module loader's words
  if (!MODULE.test(path)) throw new Error("the ending must be .ts, .mjs or .json");
  return exported(await importModule(path, library));
}

async function importModule(path: string, library: string): Promise<unknown> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(pathToFileURL(path).href, { alias: { weir: library }, fsCache: false, moduleCache: false, tryNative: false });
  return jiti.import(path);
}

function exported(module: unknown): unknown {
  if (typeof module === "object" && module !== null && "default" in module) return module.default;
  throw new Error("it has no default export (export default defineConfig({ … }))");
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function verb(error: unknown): string {
  return ["ENOENT", "EACCES", "EISDIR", "EPERM"].includes(codeOf(error) ?? "") ? "read" : "used";
}

/** One line: the first of the message, without the stack. */
function reason(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES" || code === "EPERM") return "no permission";
  if (code === "EISDIR") return "it is a folder";
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n")[0].trim().slice(0, 300);
}
