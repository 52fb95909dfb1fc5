import { PRIORITY_CLASSES } from "../../flow/shedder.ts";
import type { Millis, UrlId } from "../../kernel/units.ts";
import { VisitHeap } from "../../schedule/visit-heap.ts";

/** Due visits of one priority class on one host, by deadline. */
export interface VisitLane {
  readonly valueClass: number;
  /** Key: deadline; extra: since when it is due. */
  readonly heap: VisitHeap;
  /** Where judging again goes on; -1 when it has come round. */
  judged: number;
}

/** Due visits of one host: a lane a priority class, and what is known of the few that were chosen for its next turns. */
export class VisitLanes {
  readonly #lanes: (VisitLane | null)[] = Array.from({ length: PRIORITY_CLASSES }, () => null);
  /** Since when each chosen one is due. As few as are chosen ahead. */
  readonly #chosen = new Map<UrlId, Millis>();
  #chosenClass = PRIORITY_CLASSES;
  #judgedAt = 0;

  get size(): number {
    let size = 0;
    for (const lane of this.#lanes) size += lane?.heap.size ?? 0;
    return size;
  }

  /** The highest class that has any; null when none waits. */
  get best(): VisitLane | null {
    for (let at = PRIORITY_CLASSES - 1; at >= 0; at--) {
      const lane = this.#lanes[at];
      if (lane !== null && lane.heap.size > 0) return lane;
    }
    return null;
  }

  push(valueClass: number, deadline: Millis, id: UrlId, since: Millis): void {
    let lane = this.#lanes[valueClass - 1];
    if (lane === null) {
      lane = { valueClass, heap: new VisitHeap(), judged: -1 };
      this.#lanes[valueClass - 1] = lane;
    }
    lane.heap.push(deadline, id, since);
  }

  /** A visit was chosen: it is no longer judged. */
  chosen(id: UrlId, since: Millis, valueClass: number): void {
    if (this.#chosen.size >= 64) this.#chosen.clear();
    this.#chosen.set(id, since);
    this.#chosenClass = valueClass;
  }

  /** Is this class above the last that was chosen? */
  isAbove(valueClass: number): boolean {
    return valueClass > this.#chosenClass;
  }

  /** Since when a chosen visit is due, which is chosen no more. */
  since(id: UrlId): Millis | undefined {
    const since = this.#chosen.get(id);
    this.#chosen.delete(id);
    return since;
  }

  /** After the level has risen: what waits is judged again, the least class first, so many at a time. */
  judgeAgain(raises: number, most: number, sheds: (id: UrlId) => boolean): void {
    if (raises !== this.#judgedAt) {
      this.#judgedAt = raises;
      for (const lane of this.#lanes) if (lane !== null) lane.judged = lane.heap.size - 1;
    }
    for (const lane of this.#lanes) {
      if (lane === null || lane.judged < 0) continue;
      lane.judged = lane.heap.sweep(lane.judged, most, sheds);
      return;
    }
  }

  each(see: (valueClass: number, heap: VisitHeap) => void): void {
    for (const lane of this.#lanes) if (lane !== null && lane.heap.size > 0) see(lane.valueClass, lane.heap);
  }
}
