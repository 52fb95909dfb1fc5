import type { Bytes, Millis } from "../kernel/units.ts";

/** Numbers as a person reads them on a terminal. Not for machines: `--json` gives the exact ones. */

/** 1234567 → 1,234,567 */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** 1 page, 2 pages. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Decimal units, three digits at most before the unit: 45.2 MB. */
export function size(bytes: Bytes): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** 0.123 → 12 %; a small share is never shown as none. */
export function share(value: number): string {
  if (value > 0 && value < 0.01) return "<1 %";
  return `${Math.round(value * 100)} %`;
}

/** The two largest units: 2m 5s, 3h 20m, 450ms. */
export function span(millis: Millis): string {
  if (millis < 1000) return `${Math.round(millis)}ms`;
  const seconds = Math.round(millis / 1000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor((seconds % 86_400) / 3600), "h"],
    [Math.floor((seconds % 3600) / 60), "m"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value}${unit}`)
    .join(" ");
}

/** Pages a second: one decimal below 100. */
export function rate(perSecond: number): string {
  return perSecond < 99.95 ? perSecond.toFixed(1) : count(perSecond);
}

/** What a stranger wrote must not drive the terminal: control characters become a visible mark. */
export function printable(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "\u{fffd}");
}
