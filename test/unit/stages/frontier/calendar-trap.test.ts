import { expect, test } from "vitest";
import { isFarDate } from "../../../../src/stages/frontier/calendar-trap.ts";

const far = (path: string): boolean => isFarDate(`https://a.example${path}`, 2026);

test.each([
  "/cal/2032-01",
  "/events/day/2099-12-31/",
  "/?date=2033-05-17&view=day",
  "/calendar/2040/05",
  "/2040/05/17/",
  "/cal?y=2032&m=1",
  "/cal?month=02&lang=en&year=2100",
  "/cal?y=1499&m=12",
  "/events/month/2050/6/",
])("%s is of a calendar without end", (path) => {
  expect(far(path)).toBe(true);
});

test.each([
  "/cal/2031-12",
  "/archive/1863/11/19/",
  "/1999/01/01/",
  "/t/slug/2051/3",
  "/topic/2040/12",
  "/p/2050-1500",
  "/item-2099-05",
  "/product?id=2050-13",
  "/cal?year=2099",
  "/cal?y=3045&m=1",
  "/a/2045-01-02-03",
  "/x?n=2050&m=5",
])("%s is a page", (path) => {
  expect(far(path)).toBe(false);
});
