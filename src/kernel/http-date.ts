import { fullYear, instantOf, monthOf, zoneOffset } from "./calendar.ts";
import type { EpochMillis } from "./units.ts";

const FIXDATE = /^(?:[a-z]+,? +)?(\d{1,2})[ -]([a-z]{3,9})[ -](\d{4}|\d{2}) +(\d{2}):(\d{2}):(\d{2}) *([a-z]+|[+-]\d{2}:?\d{2})$/i;
const ASCTIME = /^[a-z]{3} +([a-z]{3}) +(\d{1,2}) +(\d{2}):(\d{2}):(\d{2}) +(\d{4})$/i;
const UTC_NAMES = new Set(["gmt", "utc", "ut", "z"]);
const LONGEST = 64;

/**
 * Instant of an HTTP date: IMF-fixdate, RFC 850 or asctime. Source: RFC 9110 section 5.6.7.
 * A wrong or missing weekday, `UTC` and a numeric zone are let pass, since their instant is plain; everything else that
 * strays (hour 24, 31 June, `0`, another zone name) is null.
 * @param now settles the century of a two-digit year.
 */
export function httpDate(value: string, now: EpochMillis): EpochMillis | null {
  const text = value.trim();
  if (text.length > LONGEST) return null;
  const fixed = FIXDATE.exec(text);
  if (fixed !== null) {
    const [, day = "", month = "", year = "", hour = "", minute = "", second = "", zone = ""] = fixed;
    const offset = UTC_NAMES.has(zone.toLowerCase()) ? 0 : zoneOffset(zone);
    const fourDigits = year.length === 2 ? fullYear(Number(year), now) : Number(year);
    return offset === null ? null : at(fourDigits, month, day, hour, minute, second, offset);
  }
  const unix = ASCTIME.exec(text);
  if (unix === null) return null;
  const [, month = "", day = "", hour = "", minute = "", second = "", year = ""] = unix;
  return at(Number(year), month, day, hour, minute, second, 0);
}

function at(year: number, monthName: string, day: string, hour: string, minute: string, second: string, zone: number): EpochMillis | null {
  const month = monthOf(monthName);
  if (month === null) return null;
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second), millisecond: 0 };
  return instantOf(year, month, Number(day), time, zone);
}
