import { feedDate } from "../../kernel/feed-date.ts";
import type { EpochMillis } from "../../kernel/units.ts";
import { w3cDate } from "../../kernel/w3c-date.ts";

/** One URL of a list. */
export interface SitemapEntry {
  /** As written, trimmed: to be resolved against the list's own URL. Of an Atom entry under `xml:base`, resolved against that. */
  readonly loc: string;
  /** Instant of `lastmodText`; null when there is none, it cannot be read, or it lies more than a day ahead. */
  readonly lastmod: EpochMillis | null;
  readonly lastmodText: string | null;
}

/** Longest `loc` kept. Source: as the longest URL that is fetched; sitemaps.org allows 2,048. */
const MAX_LOC = 8_192;
const DAY = 86_400_000;

/** Entries of one list up to a bound. A date may come before or after its URL. */
export class SitemapEntries {
  readonly entries: SitemapEntry[] = [];
  readonly #most: number;
  readonly #now: EpochMillis;
  #dropped = 0;

  constructor(most: number, now: EpochMillis) {
    this.#most = most;
    this.#now = now;
  }

  /** Entries that were left out for their length, or for a reference to an entity that is not expanded. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @returns false when there is no room for it. */
  add(written: string, lastmodText: string | null, refusesReferences: boolean): boolean {
    const loc = written.trim();
    if (loc === "") return true;
    if (loc.length > MAX_LOC || (refusesReferences && /&[\w:.-]+;/.test(loc))) {
      this.#dropped++;
      return true;
    }
    if (this.entries.length >= this.#most) return false;
    this.entries.push({ loc, lastmod: lastmodText === null ? null : this.#instant(lastmodText), lastmodText });
    return true;
  }

  #instant(text: string): EpochMillis | null {
    const instant = w3cDate(text) ?? feedDate(text, this.#now);
    return instant !== null && instant <= this.#now + DAY ? instant : null;
  }

  /**
   * False when three entries or more all have one and the same time of day as well as day: then it is when the list was
   * written, and says nothing about the pages.
   */
  get lastmodTrusted(): boolean {
    const first = this.entries[0]?.lastmodText ?? null;
    if (this.entries.length < 3 || first === null || !/\d:\d\d/.test(first)) return true;
    return this.entries.some((entry) => entry.lastmodText !== first);
  }
}
