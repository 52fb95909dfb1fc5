/** Links of a fresh batch. */
const FIRST_LINKS = 512;
/** A batch that grew beyond this is given up after the page that needed it. */
const KEPT_LINKS = 65_536;

/**
 * Fingerprints of one page's links, to be looked up together: a look-up is two cache misses, and misses of independent look-ups
 * that follow each other overlap, which those between two resolutions do not (260 ns a link against 80). Reused from page to page.
 */
export class PrintBatch {
  /** Three lanes a link. */
  lanes = new Int32Array(FIRST_LINKS * 3);
  /** What a look-up found: the number, or -1. */
  found = new Int32Array(FIRST_LINKS);
  /** Which link of the page it is. */
  link = new Int32Array(FIRST_LINKS);
  /** Whatever the owner needs to know of it. */
  note = new Uint8Array(FIRST_LINKS);
  count = 0;

  /** Starts a new page. */
  clear(): void {
    this.count = 0;
    if (this.link.length > KEPT_LINKS) this.#allot(FIRST_LINKS);
  }

  add(a: number, b: number, c: number, link: number, note: number): void {
    const at = this.count;
    if (at === this.link.length) this.#grow();
    this.lanes[at * 3] = a;
    this.lanes[at * 3 + 1] = b;
    this.lanes[at * 3 + 2] = c;
    this.link[at] = link;
    this.note[at] = note;
    this.count = at + 1;
  }

  #grow(): void {
    const { lanes, link, note } = this;
    this.#allot(link.length * 2);
    this.lanes.set(lanes);
    this.link.set(link);
    this.note.set(note);
  }

  #allot(links: number): void {
    this.lanes = new Int32Array(links * 3);
    this.found = new Int32Array(links);
    this.link = new Int32Array(links);
    this.note = new Uint8Array(links);
  }
}
