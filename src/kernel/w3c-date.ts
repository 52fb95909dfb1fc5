import { instantOf, zoneOffset } from "./calendar.ts";
import type { EpochMillis } from "./units.ts";

const W3C = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i;

/**
 * Instant of a W3C date and time (sitemap `lastmod`, Atom): any of its six precisions, from a year to a fraction of a
 * second, read as their first instant. Source: W3C NOTE-datetime.
 * A time without a zone, which the note forbids and many sites write, is read as UTC: it is at most 14 hours off. A blank
 * for the `T` and `+hhmm` are let pass too. Anything else, and days that do not exist, is null.
 */
export function w3cDate(value: string): EpochMillis | null {
  const parts = W3C.exec(value.trim());
  if (parts === null) return null;
  const [, year, month = "1", day = "1", hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = parts;
  const offset = zoneOffset(zone);
  if (offset === null) return null;
  const time = {
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, "0")),
  };
  return instantOf(Number(year), Number(month), Number(day), time, offset);
}
