import type { Days } from "../schedule/objective.ts";

/** Recorded changes of pages, in columns. Instants are days since the start of the replay. */
export interface History {
  readonly names: readonly string[];
  /** `[page]`: where its changes begin in `changes`; one entry more than pages. */
  readonly offsets: Uint32Array;
  /** Ascending within a page. */
  readonly changes: Float64Array;
  /** `[page]`: from when on it exists; our copy is right then. */
  readonly born: Float64Array;
  readonly values: Float64Array;
  readonly costs: Float64Array;
  readonly span: Days;
}
