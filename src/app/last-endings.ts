import { openStoreForReading } from "./open-store.ts";
import { lastPass } from "./pass.ts";

/** How a URL without a page ended, for a person. */
export interface Ending {
  readonly url: string;
  readonly outcome: string;
  readonly code: string;
  readonly message: string;
}

/** How the last URLs of the pass ended that brought no page, newest last, at most `limit`: what to tell when nothing could be fetched. */
export async function lastEndings(path: string, limit: number): Promise<readonly Ending[]> {
  const store = await openStoreForReading(path);
  try {
    const last = await store.lastSeq();
    const pass = await lastPass(store);
    const rows = await store.settledAfter(Math.max(0, last - limit), limit, pass?.number);
    return rows
      .filter((row) => row.code !== null)
      .map((row) => ({ url: row.url, outcome: row.outcome, code: row.code ?? "", message: row.message ?? "" }));
  } finally {
    await store.close();
  }
}
