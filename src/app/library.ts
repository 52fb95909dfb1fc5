import { PassThrough } from "node:stream";
import { surroundings } from "../adapters/machine/surroundings.ts";
import type { CrawlOptions } from "../config/define-config.ts";
import type { SettledUrl } from "../kernel/settled-url.ts";
import type { Sink } from "../ports/sink.ts";
import { startCrawl } from "./crawl.ts";
import type { CrawlHandle, CrawlStatus, CrawlSummary } from "./crawl-types.ts";
import { loadSettings } from "./load-settings.ts";
import { weirVersion } from "./version.ts";

export type { CrawlOptions } from "../config/define-config.ts";

/** A loop over settled URLs; it starts when the loop starts. One loop a crawl. */
export interface Crawl extends AsyncIterable<SettledUrl> {
  /** What the run did; settled when the loop has ended, however it ended. Rejects with the error that ended it. */
  readonly summary: Promise<CrawlSummary>;
  /** Where it stands; null before the loop has started. */
  status(): CrawlStatus | null;
}

/**
 * Crawls, and hands each settled URL to the loop. The loop's own slowness slows the fetching: at most ten seconds' worth of
 * its own pace waits for it. `break`, `return` and exceptions drain: nothing more starts, what is in flight is stored. The URL
 * in hand then counts as not taken, so that the next run of the same pass brings it again, and nothing is missed.
 *
 * @param seeds URLs; one without a scheme gets `https://`.
 * @param options the names of the configuration file, which is read too (options win).
 * @throws ConfigError, StoreUnavailable at the first step of the loop.
 */
export function crawl(seeds: string | readonly string[], options: CrawlOptions = {}): Crawl {
  const sink = new LoopSink();
  let handle: CrawlHandle | null = null;
  let settle: (summary: Promise<CrawlSummary>) => void = () => undefined;
  const summary = new Promise<CrawlSummary>((resolve) => {
    settle = resolve;
  });
  summary.catch(() => undefined);
  return {
    summary,
    status: () => handle?.status() ?? null,
    async *[Symbol.asyncIterator]() {
      try {
        handle = await start(seeds, options, sink);
      } catch (error) {
        settle(Promise.reject(error));
        throw error;
      }
      settle(handle.done);
      handle.done.then(
        () => sink.end(null),
        (error: unknown) => sink.end(error),
      );
      try {
        for (let row = await sink.take(); row !== null; row = await sink.take()) yield row;
      } finally {
        handle.drain();
        sink.leave();
        await handle.done.catch(() => undefined);
      }
      await handle.done;
    },
  };
}

async function start(seeds: string | readonly string[], options: CrawlOptions, sink: Sink): Promise<CrawlHandle> {
  const { settings } = await loadSettings({ ...surroundings(), options: { ...options, seeds } });
  const nowhere = new PassThrough().resume();
  return startCrawl(settings, {
    version: weirVersion(),
    stdout: nowhere,
    warn: (message) => process.emitWarning(message, "WeirWarning"),
    consumer: { name: "loop", sink },
  });
}

/** The loop as a sink: holds one URL at a time, and counts it as taken when the loop asks for the next. */
class LoopSink implements Sink {
  readonly lastSeq = null;
  #row: SettledUrl | null = null;
  #taken: { resolve: () => void; reject: (error: Error) => void } | null = null;
  #asking: { resolve: (row: SettledUrl | null) => void; reject: (error: unknown) => void } | null = null;
  #ended: { readonly error: unknown } | null = null;
  #left = false;

  write(rows: readonly SettledUrl[]): Promise<void> {
    const [row] = rows;
    if (this.#left) return Promise.reject(new Error("The loop has ended"));
    if (row === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#taken = { resolve, reject };
      const asking = this.#asking;
      this.#asking = null;
      if (asking === null) this.#row = row;
      else asking.resolve(row);
    });
  }

  /** Next URL for the loop; null when the crawl is over. */
  take(): Promise<SettledUrl | null> {
    const row = this.#row;
    if (row !== null) {
      this.#row = null;
      return Promise.resolve(row);
    }
    const taken = this.#taken;
    this.#taken = null;
    taken?.resolve();
    const ended = this.#ended;
    if (ended !== null) return ended.error === null ? Promise.resolve(null) : Promise.reject(ended.error);
    return new Promise((resolve, reject) => {
      this.#asking = { resolve, reject };
    });
  }

  /** The crawl is over. */
  end(error: unknown): void {
    this.#ended = { error };
    const asking = this.#asking;
    this.#asking = null;
    if (asking === null) return;
    if (error === null) asking.resolve(null);
    else asking.reject(error);
  }

  /** The loop is over: the URL in hand was not taken. */
  leave(): void {
    this.#left = true;
    const taken = this.#taken;
    this.#taken = null;
    taken?.reject(new Error("The loop has ended"));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
