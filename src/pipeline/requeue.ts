import type { UrlId } from "../kernel/units.ts";
import type { DeadLetters, Requeued, Store } from "../ports/store.ts";
import type { Pipeline } from "./pipeline.ts";

/** Rows put back in one transaction: some 50 ms, then crawling goes on. */
const BATCH = 5_000;

/** Puts dead letters back, batch by batch, so that other work runs between. */
export async function eachRequeued(
  store: Pick<Store, "requeue">,
  which: DeadLetters,
  take: (rows: readonly Requeued[]) => void,
): Promise<void> {
  let after: UrlId = -1;
  for (;;) {
    const rows = await store.requeue(which, after, BATCH);
    take(rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.id;
  }
}

/**
 * Puts dead letters of the pass that runs back into it. Those of other passes are left: what this one wants of them waits already.
 * @returns URLs that wait again.
 */
export async function requeueRunning(store: Store, pipeline: Pipeline, which: DeadLetters, pass: number): Promise<number> {
  const { storeStage, frontier } = pipeline;
  let count = 0;
  frontier.expect(1);
  try {
    // What has failed and is not written yet is a dead letter too.
    await storeStage.committed();
    await eachRequeued(store, { ...which, pass }, (rows) => {
      for (const { id, host } of rows) frontier.requeued(id, host);
      count += rows.length;
    });
  } finally {
    frontier.expect(-1);
    pipeline.pump();
  }
  return count;
}
