import type { Millis } from "../kernel/units.ts";
import { type HeapEntry, HostHeap } from "./host-heap.ts";

/** An entry of {@link HostRanks}: it lies in the heap of its rank. */
export interface RankedEntry extends HeapEntry {
  /** Set by `push`. */
  heapRank: number;
}

/**
 * Hosts by the instant at which each may start, and among those that may start now by rank: highest first, in turn within one.
 * One heap a rank; a crawl has one rank, for which this costs nothing.
 */
export class HostRanks<T extends RankedEntry> {
  readonly #heaps: HostHeap<T>[] = [new HostHeap<T>()];

  get size(): number {
    let size = 0;
    for (const heap of this.#heaps) size += heap.size;
    return size;
  }

  /** Earliest instant of any; `Infinity` when empty. */
  get nextKey(): Millis {
    let next = Number.POSITIVE_INFINITY;
    for (const heap of this.#heaps) next = Math.min(next, heap.peek()?.heapKey ?? next);
    return next;
  }

  /** Whose turn it is: the highest rank that may start at `now`; undefined when nobody may. */
  due(now: Millis): T | undefined {
    for (let rank = this.#heaps.length - 1; rank >= 0; rank--) {
      const first = this.#heaps[rank].peek();
      if (first !== undefined && first.heapKey <= now) return first;
    }
    return undefined;
  }

  /** Enters the entry, or moves it to its new key and rank; without a rank it keeps its own. */
  push(entry: T, key: Millis, rank = entry.heapRank): void {
    if (entry.heapRank !== rank) {
      this.remove(entry);
      while (this.#heaps.length <= rank) this.#heaps.push(new HostHeap<T>());
      entry.heapRank = rank;
    }
    this.#heaps[rank].push(entry, key);
  }

  remove(entry: T): void {
    this.#heaps[entry.heapRank]?.remove(entry);
  }
}
