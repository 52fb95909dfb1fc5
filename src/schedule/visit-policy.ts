import type { Days } from "./objective.ts";

/** Number of a page, from 0. */
export type PageNumber = number;

/**
 * What a visit is worth and when it will be worth its price. Everything is local to a page; only the price is shared
 * (Olston & Pandey 2008, node 19).
 */
export interface VisitPolicy {
  /** Value of a visit per cost unit after `since` days; never falls in `since`. */
  index(page: PageNumber, since: Days): number;
  /** Days since the last visit at which {@link index} reaches `price`; `Infinity` where it never does. */
  crossing(page: PageNumber, price: number): Days;
  /** Takes in what a visit saw. */
  learn(page: PageNumber, span: Days, changed: boolean): void;
  /** False where visits are made when due and not earlier, whatever is left of the budget. */
  readonly priced: boolean;
}
