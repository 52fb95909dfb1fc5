import type { Millis } from "../../kernel/units.ts";

/**
 * What an answer to a request for robots.txt means:
 * - `parse`: its body holds the rules;
 * - `keep`: go on with the rules of the last good answer;
 * - `allow`: there are no rules, everything may be fetched;
 * - `disallow`: nothing may be fetched for now; ask again later.
 */
export type RobotsAnswer = "parse" | "keep" | "allow" | "disallow";

/** An unreachable robots.txt counts as absent after this. Source: RFC 9309 section 2.3.1.4 ("for example, 30 days"). */
const UNREACHABLE_TOO_LONG: Millis = 30 * 24 * 3_600_000;

/** Most redirects followed for one robots.txt; the rules found hold for the host that was asked. Source: RFC 9309 section 2.3.1.2. */
export const ROBOTS_MAX_REDIRECTS = 5;

/**
 * Decides by the status of the last hop. Source: RFC 9309 section 2.3.1.
 * - 2xx: rules.
 * - 3xx that is left after five hops, and 4xx (401 and 403 too): unavailable, so no rules.
 * - 429: not "no rules" but "not now", as with an overloaded server; so it counts as unreachable. RFC 9309 leaves it in the
 *   4xx class; Google reads it as here, and crawling freely because a site asks us to slow down would be absurd.
 * - 5xx, anything else, and no answer (null: DNS, connection, timeout, body cut or undecodable): unreachable. Kept rules
 *   may then be older than a day; without any, everything is disallowed, and after 30 days in a row allowed.
 * - 304: kept rules; without any it answers a question nobody asked, and counts as unreachable.
 * @param unreachableFor since the first failure in a row, this one included; 0 for the first.
 * @param hasRules rules of an earlier good answer are at hand.
 */
export function robotsAnswer(status: number | null, unreachableFor: Millis, hasRules: boolean): RobotsAnswer {
  if (status !== null) {
    if (status >= 200 && status < 300) return "parse";
    if (status >= 300 && status < 500 && status !== 304 && status !== 429) return "allow";
  }
  if (hasRules) return "keep";
  return unreachableFor >= UNREACHABLE_TOO_LONG ? "allow" : "disallow";
}
