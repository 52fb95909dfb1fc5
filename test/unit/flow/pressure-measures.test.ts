import { expect, test } from "vitest";
import { AgeMarks } from "../../../src/flow/age-marks.ts";
import { HoldClock } from "../../../src/flow/hold-clock.ts";
import { RefusalWatch } from "../../../src/flow/refusal-watch.ts";

test("what held longest is named, not what holds at the moment of looking", () => {
  const holds = new HoldClock<"parse" | "concurrency">(0);
  holds.note("parse", 0);
  holds.note("concurrency", 900);
  holds.note(null, 950);
  expect(holds.longest(1_000)).toBe("parse");
});

test("a hold of earlier windows is forgotten", () => {
  const holds = new HoldClock<"parse">(0);
  holds.note("parse", 0);
  holds.roll(1_000);
  holds.note(null, 1_000);
  expect(holds.longest(1_400)).toBe("parse");
  holds.roll(2_000);
  holds.roll(3_000);
  expect(holds.longest(3_000)).toBeNull();
});

test("a hold that goes on counts up to now", () => {
  const holds = new HoldClock<"parse">(0);
  holds.note("parse", 100);
  expect(holds.longest(150)).toBeNull();
  expect(holds.longest(5_000)).toBe("parse");
});

test("a sudden rise of refusals names who refuses; a steady rate does not", () => {
  const watch = new RefusalWatch();
  for (let second = 0; second < 600; second++) {
    watch.refused("host");
    watch.tick(1_000);
  }
  expect(watch.rise).toBeNull();
  for (let second = 0; second < 3; second++) {
    for (let n = 0; n < 40; n++) watch.refused("provider");
    watch.refused("host");
    watch.tick(1_000);
  }
  expect(watch.rise).toMatchObject({ by: "provider" });
  expect(watch.counts).toMatchObject({ host: 603, provider: 120 });
});

test("a rise is over when the refusals are", () => {
  const watch = new RefusalWatch();
  for (let n = 0; n < 100; n++) watch.refused("host");
  watch.tick(1_000);
  expect(watch.rise?.by).toBe("host");
  for (let second = 0; second < 30; second++) watch.tick(1_000);
  expect(watch.rise).toBeNull();
});

test("the age of the oldest item is told to a quarter of a second, never too young", () => {
  const marks = new AgeMarks();
  for (let seq = 1; seq <= 1_000; seq++) marks.entered(seq, seq * 10);
  for (const left of [0, 10, 500, 999]) {
    const age = marks.oldest(left, 10_000);
    const exact = 10_000 - (left + 1) * 10;
    expect(age).toBeGreaterThanOrEqual(exact);
    expect(age).toBeLessThanOrEqual(exact + 260);
  }
  expect(marks.oldest(1_000, 10_000)).toBe(0);
});
