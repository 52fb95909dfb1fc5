import { fullYear, instantOf, MIDNIGHT, monthOf, type TimeOfDay, zoneOffset } from "./calendar.ts";
import type { EpochMillis } from "./units.ts";
import { w3cDate } from "./w3c-date.ts";

/** Hours east of UTC of zone names met in feeds. Source: RFC 822 section 5.1; the European ones and `ET`… from feeds. */
const ZONE_HOURS: ReadonlyMap<string, number> = new Map([
  ["gmt", 0],
  ["utc", 0],
  ["ut", 0],
  ["z", 0],
  ["wet", 0],
  ["west", 1],
  ["bst", 1],
  ["cet", 1],
  ["met", 1],
  ["mez", 1],
  ["cest", 2],
  ["mest", 2],
  ["mesz", 2],
  ["eet", 2],
  ["eest", 3],
  ["msk", 3],
  ["jst", 9],
  ["et", -5],
  ["est", -5],
  ["edt", -4],
  ["ct", -6],
  ["cst", -6],
  ["cdt", -5],
  ["mt", -7],
  ["mst", -7],
  ["mdt", -6],
  ["pt", -8],
  ["pst", -8],
  ["pdt", -7],
]);

const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*$/;
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/;
const NUMBERED_ZONE = /^(?:gmt|utc|ut)?([+-]\d{2}:?\d{2})$/;
const LONGEST = 64;

/** What the words of a date have said so far. */
interface Found {
  month: number | null;
  time: TimeOfDay | null;
  zone: number | null;
  readonly numbers: string[];
}

/**
 * Instant of a date as feeds write it: RFC 822 in its many shapes (weekday or not, commas anywhere, two-digit years, month
 * names in full, zone names, the order of asctime), or W3C. Every word must have a meaning, and each meaning comes once;
 * otherwise null. No zone is UTC, no time is midnight.
 * @param now settles the century of a two-digit year.
 */
export function feedDate(value: string, now: EpochMillis): EpochMillis | null {
  const text = value.trim();
  if (text === "" || text.length > LONGEST) return null;
  const w3c = w3cDate(text);
  if (w3c !== null) return w3c;
  const found: Found = { month: null, time: null, zone: null, numbers: [] };
  for (const word of words(text)) if (!understand(word, found)) return null;
  const [day = "", year = ""] = found.numbers;
  if (found.month === null || found.numbers.length !== 2 || day.length > 2 || (year.length !== 4 && year.length !== 2)) return null;
  const fourDigits = year.length === 2 ? fullYear(Number(year), now) : Number(year);
  return instantOf(fourDigits, found.month, Number(day), found.time ?? MIDNIGHT, found.zone ?? 0);
}

/** Words in lower case; the dashes of `01-Jan-77` part words, those of a zone do not. */
const words = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/(\d)-([a-z]{3,9})-(\d)/, "$1 $2 $3")
    .split(/[\s,]+/)
    .filter((word) => word !== "");

/** Takes one word into account; false when it means nothing, or something that was said already. */
function understand(word: string, found: Found): boolean {
  if (/^\d{1,4}$/.test(word)) return found.numbers.push(word) <= 2;
  const clock = CLOCK.exec(word);
  if (clock !== null) {
    if (found.time !== null) return false;
    found.time = { hour: Number(clock[1]), minute: Number(clock[2]), second: Number(clock[3] ?? 0), millisecond: 0 };
    return true;
  }
  const month = monthOf(word);
  if (month !== null) {
    if (found.month !== null) return false;
    found.month = month;
    return true;
  }
  if (WEEKDAY.test(word)) return true;
  if (found.zone !== null) return false;
  const hours = ZONE_HOURS.get(word);
  const numbered = NUMBERED_ZONE.exec(word)?.[1];
  found.zone = hours !== undefined ? hours * 60 : numbered === undefined ? null : zoneOffset(numbered);
  return found.zone !== null;
}
