import { encodeIds } from "../kernel/id-list.ts";
import type { UrlId } from "../kernel/units.ts";

/** Places of a fresh table; a power of two. */
const FIRST_PLACES = 1_024;
/** A table beyond this is given up after the page that needed it. */
const KEPT_PLACES = 65_536;

/**
 * The unique links of one page, in document order. Reused from page to page: places carry the page's number instead of being
 * cleared. Bounded by the links of one body.
 */
export class LinkSet {
  #ids = new Int32Array(FIRST_PLACES >> 1);
  #count = 0;
  #places = new Int32Array(FIRST_PLACES);
  #stamps = new Int32Array(FIRST_PLACES);
  /** Nothing carries it yet. */
  #stamp = 1;

  get count(): number {
    return this.#count;
  }
  /** The first `count` are the links. */
  get ids(): Int32Array {
    return this.#ids;
  }

  /** The ids, packed for the store. */
  packed(): Uint8Array {
    return encodeIds(this.#ids, this.#count);
  }

  /** Starts a new page. */
  clear(): void {
    this.#count = 0;
    if (this.#places.length > KEPT_PLACES) this.#allot(FIRST_PLACES);
    this.#stamp += 1;
  }

  add(id: UrlId): void {
    const mask = this.#places.length - 1;
    let at = Math.imul(id, 0x9e3779b1) & mask;
    while (this.#stamps[at] === this.#stamp) {
      if (this.#places[at] === id) return;
      at = (at + 1) & mask;
    }
    this.#stamps[at] = this.#stamp;
    this.#places[at] = id;
    if (this.#count === this.#ids.length) this.#grow();
    this.#ids[this.#count++] = id;
  }

  #grow(): void {
    const ids = this.#ids;
    const count = this.#count;
    this.#allot(this.#places.length * 2);
    this.#stamp += 1;
    this.#count = 0;
    for (let i = 0; i < count; i++) this.add(ids[i]);
  }

  #allot(places: number): void {
    this.#ids = new Int32Array(places >> 1);
    this.#places = new Int32Array(places);
    this.#stamps = new Int32Array(places);
    this.#stamp = 0;
  }
}
