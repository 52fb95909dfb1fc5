import type { UrlId } from "../../kernel/units.ts";
import type { Connection, Statement } from "./database.ts";

/** Slots of the cache and the longest text it keeps: at most about 5 MB. */
const SLOTS = 16_384;
const LONGEST = 256;

/**
 * Texts of URLs by id, for spelling out the links of delivered pages. Most links of a page are those of its neighbours,
 * and a read of one row costs 4 us (300 us for a page of 75 links, more than fetching it): so a cache with one slot per
 * id modulo its size, and one statement for all the misses of a call.
 */
export class UrlTexts {
  readonly #misses: Statement;
  readonly #ids = new Float64Array(SLOTS).fill(-1);
  readonly #texts: string[] = Array<string>(SLOTS).fill("");

  constructor(db: Connection) {
    // One string for all: a result cell costs more than the row. Canonical URLs contain no line feed.
    this.#misses = db.prepare(
      "SELECT group_concat(coalesce(u.url, ''), char(10)) FROM (SELECT value FROM json_each(?)) j LEFT JOIN url u ON u.id = j.value",
    );
  }

  /** In the order asked; an unknown id gives an empty text. */
  get(ids: readonly UrlId[]): readonly string[] {
    const texts = Array<string>(ids.length);
    const missing: UrlId[] = [];
    const places: number[] = [];
    for (let k = 0; k < ids.length; k++) {
      const id = ids[k];
      const slot = id % SLOTS;
      if (this.#ids[slot] === id) texts[k] = this.#texts[slot];
      else {
        missing.push(id);
        places.push(k);
      }
    }
    if (missing.length > 0) {
      const found = String(this.#misses.row([JSON.stringify(missing)])?.[0] ?? "").split("\n");
      for (let k = 0; k < missing.length; k++) {
        texts[places[k]] = found[k];
        this.remember(missing[k], found[k]);
      }
    }
    return texts;
  }

  remember(id: UrlId, text: string): void {
    if (text.length > LONGEST || text === "") return;
    this.#ids[id % SLOTS] = id;
    this.#texts[id % SLOTS] = text;
  }

  clear(): void {
    this.#ids.fill(-1);
    this.#texts.fill("");
  }
}
