import { accessSync, constants, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreUnavailable, WeirError } from "../../kernel/errors.ts";

/** Primary result codes of SQLite that mean something particular here: https://sqlite.org/rescode.html */
export const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const NOTADB = 26;

/** Less than this left on the disk: an I/O error is then taken for a full disk, which SQLite does not always report as one. */
const NO_ROOM = 1 << 20;

/**
 * Turns what the binding threw into the one error a caller of the store can act on. Errors of weir pass unchanged.
 * @param code SQLite's result code, extended or not; 0 when the error carries none.
 */
export function storeError(path: string, error: unknown, code: number): WeirError {
  if (error instanceof WeirError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const options = { cause: error };
  switch (code & 0xff) {
    case FULL:
      return full(path, options);
    case IOERR:
      if (freeBytes(path) < NO_ROOM) return full(path, options);
      return new StoreUnavailable("WEIR_STORE_FAILED", `The store ${path} could not be read or written: ${text}`, options);
    case CORRUPT:
    case NOTADB:
      return new StoreUnavailable(
        "WEIR_STORE_INVALID",
        `${path} is not a weir store, or is damaged: ${isFolder(path) ? FOLDER : text}`,
        options,
      );
    case BUSY:
    case LOCKED:
      return new StoreUnavailable("WEIR_STORE_FAILED", `The store ${path} is locked by another program: ${text}`, options);
    case READONLY:
      return new StoreUnavailable("WEIR_STORE_FAILED", `The store ${path} may not be written: ${hindrance(path) ?? text}`, options);
    case CANTOPEN:
      if (freeBytes(path) < NO_ROOM) return full(path, options);
      return new StoreUnavailable("WEIR_STORE_FAILED", `The store ${path} cannot be opened: ${hindrance(path) ?? text}`, options);
    case CONSTRAINT:
      // The schema's only constraints are ids given twice and missing values: the single writer broke its own rule.
      return new WeirError("WEIR_BUG", `A batch for the store ${path} contradicts what it holds: ${text}`, options);
    default:
      return new StoreUnavailable("WEIR_STORE_FAILED", `The store ${path} failed: ${text}`, options);
  }
}

function full(path: string, options: { cause: unknown }): StoreUnavailable {
  return new StoreUnavailable(
    "WEIR_STORE_FULL",
    `No room on the disk for the store ${path}; nothing stored is lost, and writing goes on when there is room.`,
    options,
  );
}

const FOLDER = "it is a folder";

/** SQLite says only that a file cannot be opened or written; the system says why. @returns null when nothing hinders. */
export function hindrance(path: string): string | null {
  const folder = dirname(path);
  try {
    if (isFolder(path)) return FOLDER;
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    return cause(error, path);
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK); // SQLite makes files of its own beside it
    return null;
  } catch (error) {
    return cause(error, folder);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function cause(error: unknown, path: string): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  if (code === "EACCES" || code === "EPERM") return `no permission for ${path}`;
  if (code === "EROFS") return `${path} is on a file system that is mounted read-only`;
  return code === "ENOENT" ? `there is no folder ${path}` : String(code);
}

function freeBytes(path: string): number {
  try {
    const disk = statfsSync(dirname(path));
    // What has no blocks at all is no disk (/proc).
    return disk.blocks === 0 ? Number.POSITIVE_INFINITY : disk.bavail * disk.bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
