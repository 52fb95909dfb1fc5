import { lookup } from "node:dns/promises";
import { access, constants, mkdtemp, readFile, rmdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Bytes } from "../../kernel/units.ts";

/** What `weir doctor` looks at. Nothing here leaves the machine. */

/** As the running program says it: `20.19.0`. */
export function nodeVersion(): string {
  return process.versions.node;
}

/** The nearest folder that exists at or above a path's own. */
export async function nearestFolder(path: string): Promise<string> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => null);
    if (found?.isDirectory() || dirname(folder) === folder) return folder;
  }
}

/** Tries it: permission bits do not tell about read-only mounts. @returns what hinders, or null. */
export async function writeHindrance(folder: string): Promise<string | null> {
  try {
    await access(folder, constants.W_OK);
    await rmdir(await mkdtemp(join(folder, ".weir-doctor-")));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Room that this user may fill; null when the system does not say. */
export async function freeRoom(folder: string): Promise<Bytes | null> {
  const system = await statfs(folder).catch(() => null);
  return system === null ? null : system.bavail * system.bsize;
}

/** How many files and connections this process may have open; null when the system does not say (or sets none). */
export async function openFileLimit(): Promise<number | null> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const match = /^Max open files\s+(\d+)/m.exec(limits);
  return match === null ? null : Number(match[1]);
}

/** Asks for `localhost` only: nothing is sent to the network. @returns what hinders, or null. */
export async function lookupHindrance(): Promise<string | null> {
  try {
    await lookup("localhost");
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
