import type { Bytes, Millis } from "../kernel/units.ts";

const DURATION_UNITS: readonly (readonly [string, Millis])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

const SIZE_UNITS: readonly (readonly [string, Bytes])[] = [
  ["GiB", 1024 ** 3],
  ["GB", 1000 ** 3],
  ["MiB", 1024 ** 2],
  ["MB", 1000 ** 2],
  ["KiB", 1024],
  ["KB", 1000],
];

/** For the text "expected …" of a problem. */
export const DURATION_FORM = "a duration such as 250ms, 5s, 2m, 1h or 7d";
export const SIZE_FORM = "a size in bytes or such as 500KB, 10MiB or 1GB";

/** @returns whole milliseconds, or null when the text is not a duration. A bare number is none: its unit would be a guess. */
export function parseDuration(text: string): Millis | null {
  const match = /^(\d{1,15}(?:\.\d{1,6})?) ?(ms|s|m|h|d)$/i.exec(text.trim());
  if (match === null) return null;
  const unit = DURATION_UNITS.find(([name]) => name === match[2].toLowerCase());
  return unit === undefined ? null : Math.round(Number(match[1]) * unit[1]);
}

/** @returns whole bytes, or null when the text is not a size. Without a unit the number is bytes. */
export function parseSize(text: string): Bytes | null {
  const match = /^(\d{1,15}(?:\.\d{1,6})?) ?(b|bytes?|[kmg]i?b)?$/i.exec(text.trim());
  if (match === null) return null;
  const named = (match[2] ?? "b").toLowerCase();
  const unit = SIZE_UNITS.find(([name]) => name.toLowerCase() === named);
  const factor = unit === undefined ? 1 : unit[1];
  if (factor === 1 && match[1].includes(".")) return null;
  return Math.round(Number(match[1]) * factor);
}

/** The shortest exact spelling: `parseDuration(formatDuration(x))` is x for whole milliseconds. */
export function formatDuration(millis: Millis): string {
  if (millis === 0) return "0ms";
  const unit = DURATION_UNITS.find(([, size]) => millis % size === 0);
  return unit === undefined ? `${millis}ms` : `${millis / unit[1]}${unit[0]}`;
}

/** The shortest exact spelling: `parseSize(formatSize(x))` is x for whole bytes. */
export function formatSize(bytes: Bytes): string {
  const fitting = SIZE_UNITS.filter(([, size]) => bytes !== 0 && bytes % size === 0);
  const spelled = fitting.map(([name, size]) => `${bytes / size}${name}`);
  return spelled.sort((a, b) => a.length - b.length)[0] ?? `${bytes} bytes`;
}
