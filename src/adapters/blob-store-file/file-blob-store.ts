import { type FileHandle, mkdir, mkdtemp, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WeirError } from "../../kernel/errors.ts";
import type { Millis } from "../../kernel/units.ts";
import type { BlobEntry, BlobIndexLine, BlobStore } from "../../ports/blob-store.ts";

/** A name that is nobody's but weir's: the archive may lie in a folder with other things in it. */
const UNFINISHED = ".weir-unfinished";
/** Far longer than a body takes to be written. */
const OLD: Millis = 86_400_000;

/**
 * Keeps bodies in a folder: `ab/cdef….bin` by the SHA-256 of the content, and `index.jsonl` with one line for each visit. Names
 * come from the hash alone, never from a URL, so no page can choose where it is written (spec D8) and every file system takes
 * them. A body appears under its name only when it is whole: it is written beside and renamed.
 */
export class FileBlobStore implements BlobStore {
  readonly #folder: string;
  /** Where this run's bodies are until they are whole. */
  readonly #halves: string;
  readonly #index: FileHandle;
  /** Folders known to exist; at most 256. */
  readonly #made = new Set<string>();
  #serial = 0;

  private constructor(folder: string, halves: string, index: FileHandle) {
    this.#folder = folder;
    this.#halves = halves;
    this.#index = index;
  }

  /** @throws WeirError `WEIR_OUTPUT_FAILED`. */
  static async open(folder: string): Promise<FileBlobStore> {
    try {
      const unfinished = join(folder, UNFINISHED);
      await mkdir(unfinished, { recursive: true });
      await removeOld(unfinished);
      const own = await mkdtemp(join(unfinished, "run-"));
      return new FileBlobStore(folder, own, await open(join(folder, "index.jsonl"), "a"));
    } catch (error) {
      throw failed(folder, error);
    }
  }

  async put(hash: string, bytes: Uint8Array, entry: BlobEntry): Promise<void> {
    const path = blobPath(this.#folder, hash);
    try {
      const kept = await stat(path).catch(() => null);
      if (kept?.size !== bytes.length) await this.#place(path, hash, bytes);
      const line: BlobIndexLine = {
        hash,
        url: entry.url,
        at: new Date(entry.at).toISOString(),
        contentType: entry.contentType,
        bytes: bytes.length,
      };
      // One call in append mode: lines of concurrent puts do not mix.
      await this.#index.appendFile(`${JSON.stringify(line)}\n`);
    } catch (error) {
      throw failed(this.#folder, error);
    }
  }

  async #place(path: string, hash: string, bytes: Uint8Array): Promise<void> {
    const shelf = hash.slice(0, 2);
    if (!this.#made.has(shelf)) {
      await mkdir(join(this.#folder, shelf), { recursive: true });
      this.#made.add(shelf);
    }
    const half = join(this.#halves, `${hash.slice(0, 16)}-${this.#serial++}`);
    try {
      await writeFile(half, bytes);
      await rename(half, path);
    } catch (error) {
      await rm(half, { force: true });
      throw error;
    }
  }

  get(hash: string): Promise<Uint8Array | null> {
    return readBlob(this.#folder, hash);
  }

  async close(): Promise<void> {
    await this.#index.close();
    await rm(this.#halves, { recursive: true, force: true });
    await rmdir(join(this.#folder, UNFINISHED)).catch(() => undefined); // another run's are in it
  }
}

/** Throws away what crashed runs have left. The archive may be shared: what is young may be another run's at work. */
async function removeOld(unfinished: string): Promise<void> {
  for (const name of await readdir(unfinished)) {
    const path = join(unfinished, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > OLD) await rm(path, { recursive: true, force: true });
  }
}

/** Reads one body of an archive, also while a crawl adds to it. @returns null when it is not kept. */
export async function readBlob(folder: string, hash: string): Promise<Uint8Array | null> {
  try {
    return await readFile(blobPath(folder, hash));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw failed(folder, error);
  }
}

function blobPath(folder: string, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw new WeirError("WEIR_BUG", `A body's name must be a SHA-256 in hex, got ${JSON.stringify(hash.slice(0, 80))}`);
  return join(folder, hash.slice(0, 2), `${hash.slice(2)}.bin`);
}

function failed(folder: string, error: unknown): WeirError {
  if (error instanceof WeirError) return error;
  const full = error instanceof Error && "code" in error && error.code === "ENOSPC";
  const why = full ? "there is no room left on the disk" : error instanceof Error ? error.message : String(error);
  return new WeirError("WEIR_OUTPUT_FAILED", `The body archive ${folder} could not be used: ${why}`, { cause: error });
}
