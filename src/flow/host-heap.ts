/** What a heap entry must carry: its key and its place, kept by the heap. */
export interface HeapEntry {
  /** Earliest instant at which it may be served; set by the heap. */
  heapKey: number;
  /** Order of entry among equal keys, so that hosts take turns; set by the heap. */
  heapTurn: number;
  /** Place in the heap, -1 when outside; set by the heap. */
  heapIndex: number;
}

/**
 * Hosts by the next instant at which each may start a request: a binary heap with one entry a host at most.
 * Keys go stale in both directions: the dispatcher checks again what it pops.
 */
export class HostHeap<T extends HeapEntry> {
  readonly #items: T[] = [];
  #turn = 0;

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Enters the entry, or moves it to its new key; it goes behind others of the same key. */
  push(entry: T, key: number): void {
    entry.heapKey = key;
    entry.heapTurn = this.#turn++;
    if (entry.heapIndex < 0) {
      entry.heapIndex = this.#items.length;
      this.#items.push(entry);
      this.#up(entry.heapIndex);
    } else {
      this.#up(entry.heapIndex);
      this.#down(entry.heapIndex);
    }
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.remove(top);
    return top;
  }

  remove(entry: T): void {
    const at = entry.heapIndex;
    if (at < 0) return;
    entry.heapIndex = -1;
    const last = this.#items.pop();
    if (last === undefined || last === entry) return;
    last.heapIndex = at;
    this.#items[at] = last;
    this.#up(at);
    this.#down(last.heapIndex);
  }

  #up(start: number): void {
    const items = this.#items;
    const entry = items[start];
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(entry, items[parent])) break;
      items[at] = items[parent];
      items[at].heapIndex = at;
      at = parent;
    }
    items[at] = entry;
    entry.heapIndex = at;
  }

  #down(start: number): void {
    const items = this.#items;
    const entry = items[start];
    let at = start;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && before(items[child + 1], items[child])) child += 1;
      if (!before(items[child], entry)) break;
      items[at] = items[child];
      items[at].heapIndex = at;
      at = child;
    }
    items[at] = entry;
    entry.heapIndex = at;
  }
}

function before(a: HeapEntry, b: HeapEntry): boolean {
  return a.heapKey < b.heapKey || (a.heapKey === b.heapKey && a.heapTurn < b.heapTurn);
}
