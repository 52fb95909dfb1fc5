import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration, formatSize, parseDuration, parseSize } from "../../../src/config/units.ts";

test.each([
  ["250ms", 250],
  ["5s", 5000],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["7d", 604_800_000],
  ["1.5s", 1500],
  ["0ms", 0],
  [" 5 s ", 5000],
])("the duration %s is %d ms", (text, millis) => {
  expect(parseDuration(text)).toBe(millis);
});

test.each(["5", "", "s", "-5s", "5 seconds", "1h30m", "1e3s", "Infinity", "5w"])("%j is no duration", (text) => {
  expect(parseDuration(text)).toBeNull();
});

test.each([
  ["1048576", 1_048_576],
  ["500 bytes", 500],
  ["1KB", 1000],
  ["1KiB", 1024],
  ["10MiB", 10_485_760],
  ["2GB", 2_000_000_000],
  ["1GiB", 1_073_741_824],
  ["0.5kb", 500],
  ["64mib", 67_108_864],
])("the size %s is %d bytes", (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(["", "MB", "-1", "1.5", "10 TB", "ten", "1e6", "0x10"])("%j is no size", (text) => {
  expect(parseSize(text)).toBeNull();
});

test("what is formatted reads back exactly", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 45 }), (value) => {
      expect(parseDuration(formatDuration(value))).toBe(value);
      expect(parseSize(formatSize(value))).toBe(value);
    }),
  );
});

test("the largest unit that fits exactly is used", () => {
  expect(formatDuration(120_000)).toBe("2m");
  expect(formatDuration(90_000)).toBe("90s");
  expect(formatSize(10_485_760)).toBe("10MiB");
});
