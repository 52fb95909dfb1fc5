import type { Pipeline } from "../../pipeline/pipeline.ts";

export interface QueueResult {
  /** Bytes as charged. */
  readonly name: "parse items" | "parse bytes";
  readonly peak: number;
  readonly bound: number;
}

/** How full each bounded queue was at most. */
export class QueuePeaks {
  #parseItems = { peak: 0, bound: 0 };
  #parseBytes = { peak: 0, bound: 0 };

  note(pipeline: Pipeline | null): void {
    if (pipeline === null) return;
    const { credits } = pipeline.parse;
    const items = credits.heldItems;
    const bytes = credits.heldBytes;
    if (items > this.#parseItems.peak) this.#parseItems = { peak: items, bound: items + credits.light.freeItems + credits.heavy.freeItems };
    if (bytes > this.#parseBytes.peak) this.#parseBytes = { peak: bytes, bound: bytes + credits.light.freeBytes + credits.heavy.freeBytes };
  }

  result(): readonly QueueResult[] {
    return [
      { name: "parse items", ...this.#parseItems },
      { name: "parse bytes", ...this.#parseBytes },
    ];
  }
}
