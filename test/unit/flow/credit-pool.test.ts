import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CreditPool, type PoolBound } from "../../../src/flow/credit-pool.ts";
import type { Credit } from "../../../src/flow/credit-share.ts";

const nothing = (): void => undefined;
const NEVER = Number.POSITIVE_INFINITY;

/** A pool whose pages are all of the usual sort. */
function poolOf(items: number, bytes: number): CreditPool {
  return new CreditPool({ light: { items, bytes }, heavy: { items: 1, bytes: 1 } }, NEVER);
}

describe("a fetch that starts", () => {
  test("needs one item and its expected bytes", () => {
    const pool = poolOf(2, 100);
    expect(pool.hasRoom(100)).toBe(true);
    pool.take(60);
    expect(pool.hasRoom(41)).toBe(false);
    expect(pool.hasRoom(40)).toBe(true);
    pool.take(10);
    expect(pool.hasRoom(1)).toBe(false);
  });

  test("that expects more than the bound needs an empty pool", () => {
    const pool = poolOf(4, 100);
    expect(pool.hasRoom(1_000)).toBe(true);
    const other = pool.take(1);
    expect(pool.hasRoom(1_000)).toBe(false);
    pool.release(other);
    pool.take(1_000);
    expect(pool.light.freeBytes).toBe(0);
  });

  test("waits while a body in flight waits", () => {
    const pool = poolOf(9, 100);
    const [a, b] = [pool.take(50), pool.take(50)];
    pool.draw(a, 10, nothing);
    pool.draw(b, 10, nothing);
    pool.settle(a, 0);
    expect(pool.waiting).toBe(1);
    expect(pool.hasRoom(0)).toBe(false);
  });
});

describe("a body that grows", () => {
  test("may overdraw when nobody else does, and its debt blocks the next grants", () => {
    const pool = poolOf(9, 100);
    const [a, b] = [pool.take(50), pool.take(50)];
    expect(pool.draw(a, 30, nothing)).toBe(true);
    expect(pool.light.freeBytes).toBe(-30);
    expect(pool.draw(a, 30, nothing), "it goes on").toBe(true);
    expect(pool.draw(b, 1, nothing), "another has to wait").toBe(false);
    expect(pool.hasRoom(0)).toBe(false);
  });

  test("is served in the order of waiting, and nobody overtakes with a smaller wish", () => {
    const pool = poolOf(9, 100);
    const [a, b, c, d] = [pool.take(40), pool.take(20), pool.take(20), pool.take(20)];
    const served: string[] = [];
    pool.draw(a, 10, nothing);
    pool.draw(b, 60, () => served.push("b"));
    pool.release(d);
    expect(
      pool.draw(c, 1, () => served.push("c")),
      "10 bytes are free, but b waits",
    ).toBe(false);
    expect(served).toEqual([]);
    pool.release(a);
    expect(served).toEqual(["b", "c"]);
  });

  test("that waits is forgotten when it ends", () => {
    const pool = poolOf(9, 100);
    const [a, b, c] = [pool.take(50), pool.take(25), pool.take(25)];
    pool.draw(a, 10, nothing);
    let granted = 0;
    pool.draw(b, 10, () => granted++);
    pool.draw(c, 10, () => (granted += 10));
    pool.release(b);
    expect(pool.waiting, "c may take what b held").toBe(0);
    pool.release(a);
    expect(granted).toBe(10);
  });
});

test("what a page turned out to hold is charged, as a debt if need be, and cut to the bound", () => {
  const pool = poolOf(9, 100);
  const a = pool.take(10);
  pool.settle(a, 70);
  expect(pool.light.freeBytes).toBe(30);
  pool.settle(a, 20);
  expect(pool.light.freeBytes, "a charge never falls").toBe(30);
  pool.settle(a, 500);
  expect(pool.light.freeBytes).toBe(0);
});

test("credit goes back once, however often it is given back", () => {
  const pool = poolOf(2, 100);
  const a = pool.take(40);
  pool.release(a);
  pool.release(a);
  pool.settle(a, 90);
  expect(pool).toMatchObject({ light: { freeItems: 2, freeBytes: 100 }, heldItems: 0, heldBytes: 0 });
});

describe("a heavy page", () => {
  const bound: PoolBound = { light: { items: 8, bytes: 300 }, heavy: { items: 4, bytes: 100 } };

  test("moves to the heavy share with all it holds, and what it held of the light one is free at once", () => {
    const pool = new CreditPool(bound, 60);
    const big = pool.take(40);
    expect(pool.light.freeBytes).toBe(260);
    expect(pool.draw(big, 30, nothing)).toBe(true);
    expect(pool.light).toMatchObject({ freeItems: 8, freeBytes: 300 });
    expect(pool.heavy).toMatchObject({ freeItems: 3, freeBytes: 30 });
  });

  test("holds back heavy starts alone, and the others not before the debt is a whole heavy share", () => {
    const pool = new CreditPool(bound, 60);
    const pages = [pool.take(50), pool.take(50), pool.take(50), pool.take(50), pool.take(50)];
    for (const page of pages.slice(0, 4)) pool.settle(page, 50);
    for (const page of pages) pool.toHeavy(page);
    expect(pool.heavy.freeBytes).toBe(-150);
    expect(pool.hasHeavyRoom(1)).toBe(false);
    expect(pool.light.freeBytes, "nothing of it is held").toBe(300);
    expect([pool.hasRoom(250), pool.hasRoom(251)], "50 of the debt are beyond a share").toEqual([true, false]);
    for (const page of pages.slice(0, 3)) pool.release(page);
    expect([pool.hasHeavyRoom(1), pool.hasRoom(300)]).toEqual([false, true]);
    for (const page of pages) pool.release(page);
    expect(pool.hasHeavyRoom(100)).toBe(true);
  });

  test("of any size is charged a whole share and passes alone; the next one waits until it has been parsed", () => {
    const pool = new CreditPool(bound, 60);
    const [giant, next] = [pool.take(10), pool.take(10)];
    for (let i = 0; i < 50; i++) expect(pool.draw(giant, 40, nothing)).toBe(true);
    expect(giant.bytes).toBe(100);
    let granted = 0;
    expect(pool.draw(next, 55, () => granted++)).toBe(false);
    expect(pool.hasHeavyRoom(1)).toBe(false);
    expect(pool.hasRoom(300), "nobody else is held back").toBe(true);
    pool.release(giant);
    expect(granted).toBe(1);
  });

  test("does not keep a light body from overdrawing, nor the other way round", () => {
    const pool = new CreditPool(bound, 250);
    const [heavy, light, other] = [pool.take(100, true), pool.take(200), pool.take(100)];
    expect(pool.draw(heavy, 50, nothing)).toBe(true);
    expect(pool.draw(light, 40, nothing)).toBe(true);
    expect(pool.draw(other, 40, nothing)).toBe(false);
  });
});

test("a smaller bound takes nothing from anybody: what exceeds it is repaid before anything is granted", () => {
  const pool = poolOf(4, 100);
  const pages = [pool.take(30), pool.take(30), pool.take(30)];
  pool.resize({ light: { items: 2, bytes: 50 }, heavy: { items: 1, bytes: 1 } });
  expect(pool.light).toMatchObject({ freeItems: -1, freeBytes: -40 });
  pool.release(pages[0]);
  expect(pool.hasRoom(1)).toBe(false);
  pool.release(pages[1]);
  expect([pool.hasRoom(20), pool.hasRoom(21)]).toEqual([true, false]);
  let granted = 0;
  const first = pool.take(20);
  pool.draw(pages[2], 20, nothing);
  expect(
    pool.draw(first, 20, () => granted++),
    "one overdraws already",
  ).toBe(false);
  pool.resize({ light: { items: 9, bytes: 500 }, heavy: { items: 1, bytes: 1 } });
  expect(granted, "a larger bound serves who waits").toBe(1);
});

test("for any use: credit is conserved in both shares, one body of each at most overdraws, waiters are served in order, and none is left behind", () => {
  const action = fc.record({
    kind: fc.constantFrom("take", "take heavy", "draw", "draw", "draw", "settle", "release", "move", "resize"),
    which: fc.nat({ max: 5 }),
    bytes: fc.integer({ min: 1, max: 60 }),
  });
  const property = fc.property(fc.array(action, { maxLength: 150 }), (actions) => {
    let bound: PoolBound = { light: { items: 6, bytes: 100 }, heavy: { items: 3, bytes: 40 } };
    const pool = new CreditPool(bound, 70);
    const held: { credit: Credit; waits: boolean }[] = [];
    const served = { light: [] as number[], heavy: [] as number[] };
    let turn = 0;
    for (const { kind, which, bytes } of actions) {
      const one = held[which];
      if (kind === "take" && pool.hasRoom(bytes)) held.push({ credit: pool.take(bytes), waits: false });
      else if (kind === "take heavy" && pool.hasHeavyRoom(bytes)) held.push({ credit: pool.take(bytes, true), waits: false });
      else if (kind === "resize") {
        bound = { light: { items: 1 + which, bytes: 40 + bytes * 2 }, heavy: { items: 1 + (which >> 1), bytes: 20 + bytes } };
        pool.resize(bound);
      } else if (one === undefined || kind === "take" || kind === "take heavy") continue;
      else if (kind === "draw" && !one.waits) {
        const number = turn++;
        const ok = pool.draw(one.credit, bytes, () => {
          one.waits = false;
          served[one.credit.heavy ? "heavy" : "light"].push(number);
        });
        one.waits = !ok;
      } else if (kind === "settle" && !one.waits) pool.settle(one.credit, bytes * 3);
      else if (kind === "move" && !one.waits) pool.toHeavy(one.credit);
      else if (kind === "release") {
        pool.release(one.credit);
        held.splice(which, 1);
      }
      for (const share of ["light", "heavy"] as const) {
        const own = held.filter(({ credit }) => credit.heavy === (share === "heavy"));
        const sum = own.reduce((total, { credit }) => total + credit.bytes, 0);
        expect(pool[share].freeBytes + sum).toBe(bound[share].bytes);
        expect(pool[share].freeItems + own.length).toBe(bound[share].items);
        expect(own.filter(({ credit }) => credit.overdrawing).length).toBeLessThanOrEqual(1);
        expect(own.filter(({ waits }) => waits).length).toBe(pool[share].waiting);
        // Somebody can always go on: bodies that only wait for each other would wait for ever.
        if (own.length > 0) expect(own.some(({ waits }) => !waits)).toBe(true);
      }
    }
    for (const numbers of Object.values(served)) expect(numbers).toEqual([...numbers].sort((x, y) => x - y));
    for (const { credit } of held) pool.release(credit);
    expect(pool).toMatchObject({ heldItems: 0, heldBytes: 0, waiting: 0 });
  });
  fc.assert(property, { numRuns: 500 });
});
