import type { UrlId } from "../kernel/units.ts";
import type { Store } from "../ports/store.ts";

/** Key of the store's text that tells how the last run ended. */
export const RUN_META_KEY = "run";
/** A URL that was in flight at this many unclean ends in a row is given up: it may be what ends them. Source: flow-control.md §4 (8 over a URL's life). */
const CRASHES_MOST = 8;

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
 * @returns URLs to give up, and the text to keep until this run ends cleanly.
 */
export async function crashCount(store: Store): Promise<{ readonly givenUp: ReadonlySet<UrlId>; readonly running: string }> {
  const text = await store.meta(RUN_META_KEY);
  const last: LastRun = text === null ? { clean: true, crashes: [] } : JSON.parse(text);
  const before = new Map(last.crashes);
  const crashes: [UrlId, number][] = last.clean ? [] : (await store.inFlight()).map((id) => [id, (before.get(id) ?? 0) + 1]);
  const givenUp = new Set(crashes.filter(([, count]) => count >= CRASHES_MOST).map(([id]) => id));
  return { givenUp, running: JSON.stringify({ clean: false, crashes } satisfies LastRun) };
}
