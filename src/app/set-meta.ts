import type { Store } from "../ports/store.ts";

/** Sets one named text of a store that no crawl is writing; the journal stays as it is. */
export async function setMeta(store: Store, key: string, value: string): Promise<void> {
  await store.commit({
    hosts: [],
    urls: [],
    settlements: [],
    rescheduled: [],
    revised: [],
    hostStates: [],
    inFlight: await store.inFlight(),
    meta: [[key, value]],
  });
}
