import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fullYear, instantOf } from "../../../src/kernel/calendar.ts";
import { feedDate } from "../../../src/kernel/feed-date.ts";
import { httpDate } from "../../../src/kernel/http-date.ts";
import { w3cDate } from "../../../src/kernel/w3c-date.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const iso = (instant: number | null): string | null => (instant === null ? null : new Date(instant).toISOString());

describe("the calendar", () => {
  it("agrees with Date.UTC on every real day and refuses the others", () => {
    const part = { year: fc.integer({ min: 1, max: 9_999 }), month: fc.integer({ min: 0, max: 13 }), day: fc.integer({ min: 0, max: 32 }) };
    fc.assert(
      fc.property(part.year, part.month, part.day, (year, month, day) => {
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        const midnight = { hour: 0, minute: 0, second: 0, millisecond: 0 };
        expect(instantOf(year, month, day, midnight, 0)).toBe(isReal ? date.getTime() : null);
      }),
      { numRuns: 3_000 },
    );
  });

  it("two digits mean the year that is at most 50 years ahead", () => {
    expect([26, 76, 77, 0, 99].map((digits) => fullYear(digits, NOW))).toEqual([2026, 2076, 1977, 2000, 1999]);
  });
});

describe("HTTP dates", () => {
  it.each([
    "Tue, 15 Nov 1994 08:12:31 GMT",
    "Tuesday, 15-Nov-94 08:12:31 GMT",
    "Tue Nov 15 08:12:31 1994",
    "15 Nov 1994 08:12:31 GMT",
    "Mon, 15 nov 1994 08:12:31 UTC",
    "Tue, 15 Nov 1994 10:12:31 +0200",
  ])("%s is one instant", (text) => {
    expect(iso(httpDate(text, NOW))).toBe("1994-11-15T08:12:31.000Z");
  });

  it.each([
    "0",
    "-1",
    "",
    "Tue, 15 Nov 1994 24:00:00 GMT",
    "Tue, 31 Jun 1994 08:00:00 GMT",
    "Tue, 15 Nov 1994",
    "1994-11-15T08:12:31Z",
    "Tue, 15 Nov 1994 08:12:31 PST",
    "Tue, 15 Nov 1994 08:12:31",
    "Tue, 15 Nov 1994 08:12:31 GMT, x",
  ])("%j is none", (text) => {
    expect(httpDate(text, NOW)).toBeNull();
  });

  it("every fixdate that Date writes reads back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
        expect(httpDate(new Date(seconds * 1_000).toUTCString(), NOW)).toBe(seconds * 1_000);
      }),
    );
  });
});

describe("W3C dates", () => {
  it.each([
    ["2024", "2024-01-01T00:00:00.000Z"],
    ["2024-02", "2024-02-01T00:00:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2024-02-29T23:59Z", "2024-02-29T23:59:00.000Z"],
    ["2024-02-29T23:59:58.1234-05:30", "2024-03-01T05:29:58.123Z"],
    [" 2024-02-29 23:59:58+0100 ", "2024-02-29T22:59:58.000Z"],
    ["2024-02-29T10:00:00", "2024-02-29T10:00:00.000Z"],
  ])("%s", (text, instant) => {
    expect(iso(w3cDate(text))).toBe(instant);
  });

  it.each([
    "2023-02-29",
    "2024-13-01",
    "2024-1-1",
    "24-01-01",
    "2024-01-01T24:00:00Z",
    "2024-01-01T10:00:00+25:00",
    "2024-01-01T10",
    "0000-01-01",
  ])("%s is none", (text) => {
    expect(w3cDate(text)).toBeNull();
  });
});

describe("feed dates", () => {
  it.each([
    ["Wed, 02 Oct 2002 15:00:00 +0200", "2002-10-02T13:00:00.000Z"],
    ["02 Oct 02 13:00 GMT", "2002-10-02T13:00:00.000Z"],
    ["Wednesday, 2 October, 2002 08:00:00 EST", "2002-10-02T13:00:00.000Z"],
    ["Oct 2 2002", "2002-10-02T00:00:00.000Z"],
    ["Wed Oct 02 13:00:00 UTC 2002", "2002-10-02T13:00:00.000Z"],
    ["Wed, 02-Oct-02 13:00:00 GMT", "2002-10-02T13:00:00.000Z"],
    ["Wed, 02 Oct 2002 15:00:00 GMT+02:00", "2002-10-02T13:00:00.000Z"],
    ["2002-10-02T13:00:00Z", "2002-10-02T13:00:00.000Z"],
  ])("%s", (text, instant) => {
    expect(iso(feedDate(text, NOW))).toBe(instant);
  });

  it.each([
    "",
    "yesterday",
    "Oct 2002",
    "32 Oct 2002",
    "2 Oct 2002 3 pm",
    "2 Oct 2002 10:00 XYZ",
    "2 Oct Nov 2002",
    "2 Oct 2002 10:00 11:00",
    "10/02/2002",
  ])("%j is none", (text) => {
    expect(feedDate(text, NOW)).toBeNull();
  });
});
