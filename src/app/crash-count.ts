import type { EpochMillis, UrlId } from "../kernel/units.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import type { Crashes } from "../pipeline/suspects.ts";
import type { ScanRow, Store } from "../ports/store.ts";

/** Key of the store's text that tells how the last run ended. */
export const RUN_META_KEY = "run";
/** A URL that was in flight at this many unclean ends in a row is given up: it may be what ends them. Source: flow-control.md §6, scenario 29. */
const CRASHES_MOST = 3;
/** Pages parsed in the worker after an unclean end, whatever their size: those in flight at that end come first again. Source: guess; 4 × the usual concurrency. */
const CAREFUL_PAGES = 256;

interface LastRun {
  readonly clean: boolean;
  /** How many unclean ends in a row each URL was in flight at: only those of the last journal, so it is bounded by what is in flight. */
  readonly crashes: readonly (readonly [UrlId, number])[];
}

/** What a clean end leaves. */
export const CLEAN_RUN = JSON.stringify({ clean: true, crashes: [] } satisfies LastRun);

/**
 * Looks at how the last run ended. After an unclean end (`kill -9`, power, a page that brings the process down) each URL in the
 * journal has one more crash; one with too many is not fetched again in this pass.
 * @returns what it says about URLs, and the text to keep until this run ends cleanly.
 */
export async function crashCount(store: Store): Promise<{ readonly crashes: Crashes; readonly running: string }> {
  const text = await store.meta(RUN_META_KEY);
  const last: LastRun = text === null ? { clean: true, crashes: [] } : JSON.parse(text);
  const before = new Map(last.crashes);
  const counted: [UrlId, number][] = last.clean ? [] : (await store.inFlight()).map((id) => [id, (before.get(id) ?? 0) + 1]);
  const having = (bad: boolean) => new Set(counted.filter(([, count]) => count >= CRASHES_MOST === bad).map(([id]) => id));
  return {
    crashes: { suspects: having(false), givenUp: having(true), careful: last.clean ? 0 : CAREFUL_PAGES },
    running: JSON.stringify({ clean: false, crashes: counted } satisfies LastRun),
  };
}

/**
 * An attempt that ended with the process counts, though nobody was there to write it. It is no retry to anybody but this URL: it
 * takes no token, for one at a time bounds them. Changes the row as the store will have it.
 */
export function countCrash(pipeline: Pipeline, row: ScanRow, epoch: EpochMillis): void {
  const { id, token } = row;
  row.attempts += 1;
  pipeline.storeStage.reschedule({ id, token, attempts: row.attempts, delay: 0, dueAt: epoch, code: "crashed" });
  row.token += 1;
  row.dueAt = null;
}
