import { readFile, stat } from "node:fs/promises";
import { ConfigError } from "../kernel/errors.ts";

/** What a text may be at most, in bytes: about what a string can hold. */
const MOST_BYTES = 500_000_000;

/**
 * Reads a JSON file that the command line named. `what` says what it should have been.
 * @throws ConfigError `WEIR_CONFIG_UNREADABLE`.
 */
export async function readJson(path: string, what: string): Promise<unknown> {
  try {
    const { size } = await stat(path);
    if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, more than ${MOST_BYTES}`);
    return JSON.parse((await readFile(path, "utf8")).replace(/^\uFEFF/, ""));
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new ConfigError("WEIR_CONFIG_UNREADABLE", `${path} could not be read as ${what}: ${why}`);
  }
}
