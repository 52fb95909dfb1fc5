import type { Via } from "../../kernel/outcome.ts";
import type { UrlId } from "../../kernel/units.ts";
import type { Store, VisitRow } from "../../ports/store.ts";
import type { Host, Lane } from "./host.ts";
import type { KnownUrls } from "./known-urls.ts";

/** Rows read ahead for a host that is being served, and for one that was never asked. Source: architecture.md (`min(64, rate × 30 s)`). */
const READY_MOST = 64;
const READY_FIRST = 4;
/** A host reads on when this few are left. */
const READY_LOW = 16;
/** Texts read ahead over all hosts; beyond it each host keeps `READY_FIRST`. About 4 MB. */
const READY_TOTAL = 20_000;

export interface ReadAheadDeps {
  readonly store: Pick<Store, "urlTexts" | "visitRows">;
  readonly log: { committed(): Promise<void>; isPending(id: UrlId): boolean };
  readonly onWork: (host: Host) => void;
  readonly onRead: (host: Host) => void;
  readonly onStoreTrouble: (error: unknown) => void;
}

/** Keeps the first few rows of each lane that is served at hand, with their texts and validators; the others are four bytes each. */
export class ReadAhead {
  /** Hosts whose rows are on their way from the store. */
  reads = 0;
  readonly #urls: KnownUrls;
  readonly #deps: ReadAheadDeps;
  #ready = 0;

  constructor(urls: KnownUrls, deps: ReadAheadDeps) {
    this.#urls = urls;
    this.#deps = deps;
  }

  /** The first row of a lane; undefined when none is at hand. */
  take(host: Host, lane: Lane): VisitRow | undefined {
    if (lane.ready.length < READY_LOW) this.#more(host, lane);
    const row = lane.ready.shift();
    if (row !== undefined) this.#ready -= 1;
    return row;
  }

  /** Puts a row back in front. What does not fit beside the rows at hand is read again. */
  giveBack(lane: Lane, row: VisitRow): void {
    if (lane.ready.length >= READY_MOST) {
      lane.list.prepend(this.#urls, row.id);
      return;
    }
    lane.ready.unshift(row);
    this.#ready += 1;
  }

  /** Takes all rows at hand away: something else goes first. */
  takeBack(lane: Lane): VisitRow[] {
    this.#ready -= lane.ready.length;
    return lane.ready.splice(0);
  }

  /** Puts a URL that was never visited behind the others. */
  append(host: Host, lane: Lane, row: VisitRow): void {
    if (lane.list.length === 0 && !lane.reading && lane.ready.length < this.#readyMost(host)) {
      lane.ready.push(row);
      this.#ready += 1;
    } else lane.list.append(this.#urls, row.id);
  }

  /** Reads the next rows of a lane, when few are left and some wait. URLs never visited are there at once; others come with `onRead`. */
  #more(host: Host, lane: Lane): void {
    if (lane.reading || lane.list.length === 0) return;
    const { log } = this.#deps;
    const most = this.#readyMost(host) - lane.ready.length;
    const ids: UrlId[] = [];
    let fresh = true;
    while (ids.length < most) {
      const id = lane.list.shift(this.#urls);
      if (id < 0) break;
      fresh &&= this.#urls.isFresh(id) && !log.isPending(id);
      ids.push(id);
    }
    if (ids.length === 0) return;
    if (fresh) this.#readTexts(host, lane, ids);
    else {
      lane.reading = true;
      this.reads += 1;
      void this.#readRows(host, lane, ids);
    }
  }

  #readTexts(host: Host, lane: Lane, ids: readonly UrlId[]): void {
    try {
      const texts = this.#deps.store.urlTexts(ids);
      ids.forEach((id, index) => {
        lane.ready.push(freshRow(id, texts[index], this.#urls.depth(id), this.#urls.via(id)));
      });
      this.#ready += ids.length;
    } catch (error) {
      this.#putBack(host, lane, ids, error);
    }
  }

  async #readRows(host: Host, lane: Lane, ids: readonly UrlId[]): Promise<void> {
    const { store, log } = this.#deps;
    try {
      if (ids.some((id) => log.isPending(id))) await log.committed();
      const rows = await store.visitRows(ids);
      for (const row of rows) lane.ready.push(row);
      this.#ready += rows.length;
      lane.reading = false;
      this.reads -= 1;
      this.#deps.onRead(host);
    } catch (error) {
      lane.reading = false;
      this.reads -= 1;
      this.#putBack(host, lane, ids, error);
    }
  }

  #putBack(host: Host, lane: Lane, ids: readonly UrlId[], error: unknown): void {
    for (let i = ids.length - 1; i >= 0; i--) lane.list.prepend(this.#urls, ids[i]);
    this.#deps.onStoreTrouble(error);
    this.#deps.onWork(host);
  }

  #readyMost(host: Host): number {
    return host.starts < READY_FIRST || this.#ready >= READY_TOTAL ? READY_FIRST : READY_MOST;
  }
}

/** The lease of a URL that was never visited. */
export function freshRow(id: UrlId, url: string, depth: number, via: Via): VisitRow {
  return {
    id,
    url,
    token: 0,
    attempts: 0,
    tries: 0,
    delay: 0,
    code: null,
    depth,
    via,
    etag: null,
    lastModified: null,
    textHash: null,
    textHashVersion: 0,
  };
}
