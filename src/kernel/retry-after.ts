import { httpDate } from "./http-date.ts";
import type { EpochMillis, Millis } from "./units.ts";

/** Source of both: flow-control section 3. `Retry-After: 0` must not switch the back-off off. */
const LEAST: Millis = 1_000;
const MOST: Millis = 24 * 3_600_000;

/**
 * How long a `Retry-After` field asks us to wait, from the moment the answer came: within 1 s and 24 h. Source: RFC 9110 section 10.2.3.
 * A date is compared with the server's own `Date`, so that its wrong clock does not matter, and with our clock only when there
 * is none. A value that is neither digits nor a date (`-5`, `1e9`, two values in one) is null: our own back-off applies.
 */
export function retryAfter(value: string | undefined, dateHeader: string | undefined, now: EpochMillis): Millis | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d+$/.test(text)) return within(Number(text) * 1_000);
  const until = httpDate(text, now);
  if (until === null) return null;
  const sent = dateHeader === undefined ? null : httpDate(dateHeader, now);
  return within(until - (sent ?? now));
}

const within = (delay: Millis): Millis => Math.min(Math.max(delay, LEAST), MOST);
