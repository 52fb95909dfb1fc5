import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { storeContract } from "./store.contract.ts";

storeContract("in SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-store-"));
  const open = async () => SqliteStore.open(join(folder, "weir.db"));
  return {
    open,
    reopen: async (store) => {
      await store.close();
      return open();
    },
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
});
