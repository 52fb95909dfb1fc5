import type { Days } from "../schedule/objective.ts";
import type { PageNumber } from "../schedule/visit-policy.ts";

/** What happened to a page between two visits. */
export interface Seen {
  /** The one bit that a visit sees. */
  changed: boolean;
  /** Changes in between, the unseen ones too. */
  changes: number;
  /** Days from `since` on during which our copy was right (its expectation where the truth is a process). */
  fresh: Days;
}

/** Pages that change. */
export interface ChangeSource {
  /** The time from the last visit (`from`) to this one (`to`). The result is overwritten by the next call. */
  visit(page: PageNumber, from: Days, to: Days, since: Days): Readonly<Seen>;
}
