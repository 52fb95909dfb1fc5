/**
 * The links of a page as parallel arrays, filled anew for each page without an allocation per link.
 */

export const LINK_ANCHOR = 0;
export const LINK_AREA = 1;
export const LINK_FRAME = 2;
export const LINK_IFRAME = 3;
export const LINK_SRCSET = 4;
export const LINK_REFRESH = 5;
export const LINK_CANONICAL = 6;
export const LINK_ALTERNATE = 7;
export const LINK_FEED = 8;
export const LINK_NEXT = 9;
export const LINK_PREV = 10;
/** Bit of a link's flags: its element has `rel~=nofollow`. The kind is the rest. */
export const NOFOLLOW = 0x80;

/** Links kept of one page; what is beyond is counted in `dropped`. 9 MB of arrays. */
const MOST_LINKS = 1 << 20;
/** Capacity kept from page to page; more is given back before the next page. */
const KEPT_CAPACITY = 16_384;

export class LinkList {
  count = 0;
  /** Links beyond the bound. */
  dropped = 0;
  start: Int32Array = new Int32Array(512);
  end: Int32Array = new Int32Array(512);
  flags: Uint8Array = new Uint8Array(512);
  private readonly strings = new Map<number, string>();

  clear(): void {
    this.count = 0;
    this.dropped = 0;
    if (this.strings.size > 0) this.strings.clear();
    if (this.flags.length > KEPT_CAPACITY) this.resize(512);
  }

  /** @param value the link's text where the bytes of the range are not it. */
  add(flags: number, start: number, end: number, value: string | null): void {
    const n = this.count;
    if (n === this.flags.length) {
      if (n >= MOST_LINKS) {
        this.dropped++;
        return;
      }
      this.resize(n * 2);
    }
    this.start[n] = start;
    this.end[n] = end;
    this.flags[n] = flags;
    if (value !== null) this.strings.set(n, value);
    this.count = n + 1;
  }

  /** The text of link `i` where its bytes are not it (character references, another charset); null: use the bytes. */
  string(i: number): string | null {
    return this.strings.size === 0 ? null : (this.strings.get(i) ?? null);
  }

  private resize(capacity: number): void {
    const { start, end, flags } = this;
    const kept = Math.min(this.count, capacity);
    this.start = new Int32Array(capacity);
    this.end = new Int32Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.start.set(start.subarray(0, kept));
    this.end.set(end.subarray(0, kept));
    this.flags.set(flags.subarray(0, kept));
  }
}
