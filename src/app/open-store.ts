import { existsSync } from "node:fs";
import { SqliteStore } from "../adapters/store-sqlite/sqlite-store.ts";
import { WeirError } from "../kernel/errors.ts";
import type { Store } from "../ports/store.ts";

/**
 * Opens a store for reading, also while a crawl writes it.
 * @throws WeirError `WEIR_STORE_INVALID` when there is none: reading must not make an empty one.
 */
export async function openStoreForReading(path: string): Promise<Store> {
  if (!existsSync(path))
    throw new WeirError("WEIR_STORE_INVALID", `There is no store at ${path}; weir crawl makes one, --store names another`);
  return SqliteStore.open(path, { readonly: true });
}
