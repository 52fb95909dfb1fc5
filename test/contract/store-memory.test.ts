import { MemoryStore } from "../../src/simulate/memory-store.ts";
import { storeContract } from "./store.contract.ts";

storeContract("in memory", async () => ({
  open: async () => new MemoryStore(),
  reopen: async (store) => store,
  dispose: async () => {},
}));
