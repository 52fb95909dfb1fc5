import { readBlob } from "../../adapters/blob-store-file/file-blob-store.ts";
import { KeptFieldReader } from "../../pipeline/kept-fields.ts";
import type { SettledRow } from "../../ports/store.ts";

/** Gives the optional fields of pages from the bodies kept in a folder (`--save-bodies`). Response headers are not kept. */
export class KeptExtra {
  readonly #folder: string;
  readonly #reader = new KeptFieldReader();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns the JSON of a row's `extra`; null when its body is not in the folder. */
  async of(row: SettledRow): Promise<string | null> {
    const hash = row.page?.bodyHash ?? null;
    const body = hash === null ? null : await readBlob(this.#folder, hash);
    if (body === null) return null;
    return JSON.stringify(this.#reader.read(body, row.page?.contentType ?? null, row.page?.charset ?? null));
  }
}
