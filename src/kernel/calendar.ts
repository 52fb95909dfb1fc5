import type { EpochMillis } from "./units.ts";

/**
 * Dates without the `Date` object: nothing rolls over (30 February is no date, not 2 March), nothing depends on the local
 * time zone, and nothing is read that is not spelled out here.
 */

const DAY = 86_400_000;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const LONG_MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

/** Month 1–12 of an English name (`Jan`, `January`, `Sept`), in any case; null for another word. */
export function monthOf(name: string): number | null {
  const word = name.toLowerCase();
  const month = word === "sept" ? 9 : Math.max(MONTHS.indexOf(word), LONG_MONTHS.indexOf(word)) + 1;
  return month === 0 ? null : month;
}

/** Days since 1970-01-01 in the Gregorian calendar, for a year from 1. Source: Hinnant, "chrono-compatible low-level date algorithms". */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

/** A time of day; `second` 60 is a leap second and counts as the next second. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

export const MIDNIGHT: TimeOfDay = { hour: 0, minute: 0, second: 0, millisecond: 0 };

/** The instant of a date and time, or null when there is no such day or time. @param zoneMinutes east of UTC. */
export function instantOf(year: number, month: number, day: number, time: TimeOfDay, zoneMinutes: number): EpochMillis | null {
  if (year < 1 || year > 9_999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (time.hour > 23 || time.minute > 59 || time.second > 60) return null;
  const seconds = (time.hour * 60 + time.minute - zoneMinutes) * 60 + time.second;
  return daysSinceEpoch(year, month, day) * DAY + seconds * 1_000 + time.millisecond;
}

/** Full year of a two-digit one: the year that is not more than 50 years ahead of now. Source: RFC 9110 section 5.6.7. */
export function fullYear(twoDigits: number, now: EpochMillis): number {
  const thisYear = 1970 + Math.floor(now / (365.2425 * DAY));
  const sameCentury = thisYear - (thisYear % 100) + twoDigits;
  if (sameCentury > thisYear + 50) return sameCentury - 100;
  return sameCentury;
}

/** Minutes east of UTC of `Z`, `+hh`, `+hhmm` or `+hh:mm`; null for anything else, or beyond 14 hours. */
export function zoneOffset(zone: string): number | null {
  if (zone === "Z" || zone === "z") return 0;
  const parts = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (parts === null) return null;
  const hours = Number(parts[2]);
  const minutes = Number(parts[3] ?? 0);
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return null;
  return (parts[1] === "-" ? -1 : 1) * (hours * 60 + minutes);
}
