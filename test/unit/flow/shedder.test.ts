import { expect, test } from "vitest";
import { indexWithoutRates, type Offer, Shedder } from "../../../src/flow/shedder.ts";

const INTERVAL = 10_000;
const DAY = 86_400_000;

const offer = (index: number, more: Partial<Offer> = {}): Offer => ({ index, lot: 0.5, reserve: false, deferred: false, ...more });

/** A shedder to which these indices were offered, after so many intervals in which every due visit had waited `wait`. */
function after(intervals: number, indices: readonly number[], wait = 60_000): { shedder: Shedder; now: number } {
  const shedder = new Shedder();
  let now = 0;
  shedder.tick(now);
  for (let interval = 0; interval < intervals; interval++) {
    for (const index of indices) shedder.offered(index);
    shedder.waitedReady(1, wait);
    now += INTERVAL;
    shedder.tick(now);
  }
  return { shedder, now };
}

/** The optimal index of scheduling.md §0.1: freshness that a visit at t days buys, by cost. */
const indexOf = (changesPerDay: number, days: number, value: number): number =>
  (value * (1 - (1 + changesPerDay * days) * Math.exp(-changesPerDay * days))) / changesPerDay;

test("refreshing a volatile price page outlives re-checking an archive page that has not changed for a year", () => {
  const price = indexOf(2, 1, 10);
  const archive = indexOf(1 / 365, 1, 1);
  const { shedder } = after(20, [...Array(50).fill(price), ...Array(50).fill(archive)]);
  expect(shedder.level).toBeGreaterThan(0.5);
  expect(shedder.judge(offer(archive))).toBe("ready");
  expect(shedder.judge(offer(price, { lot: 0.9 }))).toBeNull();
});

test("the archive page's turn comes as its index grows with the time since its visit", () => {
  const price = indexOf(2, 1, 10);
  const { shedder } = after(8, [...Array(50).fill(price), ...Array(50).fill(indexOf(1 / 365, 1, 1))]);
  expect(shedder.judge(offer(indexOf(1 / 365, 1, 1), { lot: 0 }))).toBe("ready");
  expect(shedder.judge(offer(indexOf(1 / 365, 200, 1), { lot: 0 }))).toBeNull();
});

test("nothing is shed while the least wait stays below the target, however much waits", () => {
  const { shedder } = after(20, Array(1_000).fill(1), 29_000);
  expect([shedder.level, shedder.overloadedBy, shedder.threshold]).toEqual([0, null, 0]);
  expect(shedder.judge(offer(1e-12))).toBeNull();
});

test("one quick service in the interval shows that no standing queue is there", () => {
  const { shedder, now } = after(0, []);
  shedder.waitedReady(1, 300_000);
  shedder.waitedReady(1, 5);
  shedder.tick(now + INTERVAL);
  expect(shedder.overloadedBy).toBeNull();
});

test("each priority class has its own least wait: the quick service of one does not hide the queue of another", () => {
  const { shedder, now } = after(0, []);
  shedder.offered(1);
  shedder.waitedReady(4, 5);
  shedder.waitedReady(1, 31_000);
  shedder.tick(now + INTERVAL);
  expect(shedder.overloadedBy).toBe("ready");
});

test("the level takes 5 % of what was let through a bad interval, and gives 1 % of what is offered back a clean one", () => {
  const { shedder, now } = after(2, Array(100).fill(1));
  expect(shedder.level).toBeCloseTo(1 - 0.95 ** 2, 10);
  shedder.tick(now + INTERVAL);
  expect(shedder.level).toBeCloseTo(1 - 0.95 ** 2 - 0.01, 10);
  shedder.tick(now + 100 * INTERVAL);
  expect(shedder.level).toBe(0);
});

test("the share shed is the share of the level, least index first", () => {
  const indices = Array.from({ length: 1_000 }, (_, n) => 1 + n);
  const { shedder } = after(6, indices);
  const shed = indices.filter((index, n) => shedder.judge(offer(index, { lot: (n * 0.618) % 1 })) !== null);
  expect(shed.length / indices.length).toBeCloseTo(shedder.level, 1);
  expect(Math.max(...shed)).toBeLessThan(1_000 * shedder.level * 1.1);
});

test("among equals the lot decides, and a higher level sheds those of the lower one and more", () => {
  const lots = Array.from({ length: 1_000 }, (_, n) => n / 1_000);
  const shedAt = (intervals: number) =>
    lots.filter((lot) => after(intervals, Array(100).fill(7)).shedder.judge(offer(7, { lot })) !== null);
  const [few, more] = [shedAt(3), shedAt(9)];
  expect(few.length / 1_000).toBeCloseTo(1 - 0.95 ** 3, 1);
  expect(more).toEqual(expect.arrayContaining(few));
  expect(more.length).toBeGreaterThan(few.length);
});

test("a reserve is thinned with the level, whatever its index, and never cut to nothing", () => {
  const { shedder } = after(200, Array(100).fill(1));
  expect(shedder.level).toBeCloseTo(0.99, 5);
  const lots = Array.from({ length: 1_000 }, (_, n) => n / 1_000);
  const made = lots.filter((lot) => shedder.judge(offer(1e-9, { reserve: true, lot })) === null);
  expect(made.length).toBe(100);
});

test("when the overload is over, what was deferred is not deferred again", () => {
  const { shedder, now } = after(20, Array(100).fill(1));
  expect(shedder.judge(offer(1, { lot: 0, deferred: true }))).toBe("ready");
  shedder.tick(now + INTERVAL);
  expect(shedder.level).toBeGreaterThan(0.5);
  expect(shedder.judge(offer(1, { lot: 0, deferred: true }))).toBeNull();
  expect(shedder.judge(offer(1, { lot: 0 }))).toBe("ready");
});

test("a late parser and a late store shed too, at a tenth of what is tolerated, and are named", () => {
  for (const queue of ["parse", "storage"] as const) {
    const { shedder, now } = after(0, []);
    for (let n = 0; n < 100; n++) shedder.offered(1);
    shedder.waited(queue, 1_001);
    shedder.tick(now + INTERVAL);
    expect(shedder.overloadedBy).toBe(queue);
    expect(shedder.judge(offer(1, { lot: 0 }))).toBe(queue);
  }
});

test("too large a share of retries raises the level by one, and is named", () => {
  const { shedder } = after(0, []);
  for (let n = 0; n < 100; n++) shedder.offered(1);
  shedder.retriesAlarm();
  expect(shedder.level).toBeCloseTo(0.05, 10);
  expect(shedder.judge(offer(1, { lot: 0 }))).toBe("retries");
  expect(shedder.judge(offer(2, { lot: 0 }))).toBeNull();
});

test("without rates the order is depth, then template novelty", () => {
  const places = [indexWithoutRates(0, true), indexWithoutRates(0, false), indexWithoutRates(1, true), indexWithoutRates(1, false)];
  expect([...places].sort((a, b) => b - a)).toEqual(places);
  const { shedder } = after(
    6,
    Array.from({ length: 400 }, (_, n) => places[n % 4]),
  );
  expect(shedder.judge(offer(places[3]))).toBe("ready");
  expect(places.slice(0, 3).map((index) => shedder.judge(offer(index)))).toEqual([null, null, null]);
});

test("an idle time of days counts as clean intervals at once", () => {
  const { shedder, now } = after(50, Array(100).fill(1));
  shedder.tick(now + DAY);
  expect(shedder.level).toBe(0);
});
