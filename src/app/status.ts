import { askControl } from "../adapters/control-socket/control-client.ts";
import type { EpochMillis, Millis } from "../kernel/units.ts";
import { type CrawlStatus, STATUS_META_KEY } from "./crawl-types.ts";
import { openStoreForReading } from "./open-store.ts";

/** What is known of a store's crawl: from the running process, or the last snapshot it left. */
export interface StatusReport {
  readonly store: string;
  readonly running: boolean;
  /** How old the snapshot is; 0 when it comes from a running process. */
  readonly age: Millis;
  /** null when no crawl has left one yet. */
  readonly status: CrawlStatus | null;
}

/** @throws WeirError when nothing runs and the store can't be read. */
export async function statusOf(store: string, now: EpochMillis): Promise<StatusReport> {
  const answer = await askControl(store, "status");
  if (answer !== null) return { store, running: true, age: 0, status: answer.result as CrawlStatus };
  const opened = await openStoreForReading(store);
  try {
    const text = await opened.meta(STATUS_META_KEY);
    if (text === null) return { store, running: false, age: 0, status: null };
    const status: CrawlStatus = JSON.parse(text);
    return { store, running: false, age: Math.max(0, now - status.at), status };
  } finally {
    await opened.close();
  }
}
