import type { Millis, UrlId } from "../kernel/units.ts";

/**
 * What a visit is worth, as continuous work asks for it: the schedule's answer, or a fixed one in a test. Pure, never waits, and
 * is asked for each visit that becomes due.
 */
export interface Valuation {
  /** Value tier, 1 (low) to 4 (top). */
  valueClass(id: UrlId): number;
  /** Value × gain ÷ cost of visiting it now; more than 0. */
  index(id: UrlId, now: Millis): number;
  /** From one visit to the next. */
  revisit(id: UrlId): Millis;
  /** It is visited for discovery, re-estimation or verification: thinned under overload, never cut to nothing. */
  isReserve(id: UrlId): boolean;
}
