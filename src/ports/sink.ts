import type { SettledUrl } from "../kernel/settled-url.ts";
import type { Seq } from "../kernel/units.ts";

/**
 * Where settled URLs go besides the store. One call at a time; a pending `write` is the back-pressure that slows fetching.
 * Implementations: `adapters/sink-file`, and the library's loop.
 */
export interface Sink {
  /**
   * Last `seq` of this pass that it held when it was opened, 0 when none; null when it cannot know (a pipe): then the store's cursor counts.
   * Delivery starts behind it, so that nothing is missing even if the cursor was ahead of the file.
   */
  readonly lastSeq: Seq | null;
  /**
   * Takes rows in `seq` order. Resolved: they are with the operating system and the cursor may advance. Rejected
   * (`WEIR_OUTPUT_FAILED`): none of them counts as taken, and the same call may be made again.
   */
  write(rows: readonly SettledUrl[]): Promise<void>;
  close(): Promise<void>;
}
