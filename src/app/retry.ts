import { askControl } from "../adapters/control-socket/control-client.ts";
import { SqliteStore } from "../adapters/store-sqlite/sqlite-store.ts";
import { eachRequeued } from "../pipeline/requeue.ts";
import type { DeadLetters, Store } from "../ports/store.ts";
import { openStoreForReading } from "./open-store.ts";
import { lastPass, PASS_META_KEY, type Pass } from "./pass.ts";
import { setMeta } from "./set-meta.ts";

/** ms a running crawl may take to put them back: a batch is some 50 ms, and crawling goes on between two. */
const PATIENCE = 60_000;

/** What `weir retry` did. */
export interface RetryReport {
  readonly store: string;
  /** A running crawl has taken them. */
  readonly running: boolean;
  /** URLs that wait again. */
  readonly requeued: number;
}

/**
 * Puts dead letters back: through the crawl that runs, which then tries them at once, or in the store, where the next run of the
 * last pass finds them; a finished pass is opened again for that.
 * @throws WeirError when there is no store, or it can't be written; Error when the running crawl refuses.
 */
export async function retryDeadLetters(path: string, which: DeadLetters): Promise<RetryReport> {
  const answer = await askControl(path, "retry", which, PATIENCE);
  if (answer !== null) return { store: path, running: true, requeued: Number(answer.result) };
  // Looked at first: opening for writing would make a store where there is none.
  await (await openStoreForReading(path)).close();
  const store = SqliteStore.open(path);
  try {
    let requeued = 0;
    await eachRequeued(store, which, (rows) => {
      requeued += rows.length;
    });
    if (requeued > 0) await reopen(store);
    return { store: path, running: false, requeued };
  } finally {
    await store.close();
  }
}

/** So that the next run of the same crawl goes on with this pass instead of beginning another. */
async function reopen(store: Store): Promise<void> {
  const pass = await lastPass(store);
  if (pass === null || pass.state === "open") return;
  await setMeta(store, PASS_META_KEY, JSON.stringify({ ...pass, state: "open" } satisfies Pass));
}

/** Reads the question of another process. */
export function deadLettersOf(params: unknown): DeadLetters {
  const asked = (typeof params === "object" && params !== null ? params : {}) as { readonly host?: unknown; readonly code?: unknown };
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return { host: text(asked.host), code: text(asked.code), pass: null };
}
