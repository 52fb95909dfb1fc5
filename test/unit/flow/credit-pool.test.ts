import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Credit, CreditPool } from "../../../src/flow/credit-pool.ts";

const nothing = (): void => undefined;

describe("a fetch that starts", () => {
  test("needs one item and its expected bytes", () => {
    const pool = new CreditPool({ items: 2, bytes: 100 });
    expect(pool.hasRoom(100)).toBe(true);
    pool.take(60);
    expect(pool.hasRoom(41)).toBe(false);
    expect(pool.hasRoom(40)).toBe(true);
    pool.take(10);
    expect(pool.hasRoom(1)).toBe(false);
  });

  test("that expects more than the bound needs an empty pool", () => {
    const pool = new CreditPool({ items: 4, bytes: 100 });
    expect(pool.hasRoom(1_000)).toBe(true);
    const other = pool.take(1);
    expect(pool.hasRoom(1_000)).toBe(false);
    pool.release(other);
    pool.take(1_000);
    expect(pool.freeBytes).toBe(0);
  });

  test("waits while a body in flight waits", () => {
    const pool = new CreditPool({ items: 9, bytes: 100 });
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
    const pool = new CreditPool({ items: 9, bytes: 100 });
    const [a, b] = [pool.take(50), pool.take(50)];
    expect(pool.draw(a, 30, nothing)).toBe(true);
    expect(pool.freeBytes).toBe(-30);
    expect(pool.draw(a, 30, nothing), "it goes on").toBe(true);
    expect(pool.draw(b, 1, nothing), "another has to wait").toBe(false);
    expect(pool.hasRoom(0)).toBe(false);
  });

  test("is served in the order of waiting, and nobody overtakes with a smaller wish", () => {
    const pool = new CreditPool({ items: 9, bytes: 100 });
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
    const pool = new CreditPool({ items: 9, bytes: 100 });
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
  const pool = new CreditPool({ items: 9, bytes: 100 });
  const a = pool.take(10);
  pool.settle(a, 70);
  expect(pool.freeBytes).toBe(30);
  pool.settle(a, 20);
  expect(pool.freeBytes, "a charge never falls").toBe(30);
  pool.settle(a, 500);
  expect(pool.freeBytes).toBe(0);
});

test("credit goes back once, however often it is given back", () => {
  const pool = new CreditPool({ items: 2, bytes: 100 });
  const a = pool.take(40);
  pool.release(a);
  pool.release(a);
  pool.settle(a, 90);
  expect(pool).toMatchObject({ freeItems: 2, freeBytes: 100, heldItems: 0, heldBytes: 0 });
});

test("for any use: credit is conserved, one body at most overdraws, waiters are served in order, and none is left behind", () => {
  const action = fc.record({
    kind: fc.constantFrom("take", "draw", "draw", "settle", "release"),
    which: fc.nat({ max: 5 }),
    bytes: fc.integer({ min: 1, max: 60 }),
  });
  const property = fc.property(fc.array(action, { maxLength: 120 }), (actions) => {
    const pool = new CreditPool({ items: 6, bytes: 100 });
    const held: { credit: Credit; waits: boolean }[] = [];
    const waiting: number[] = [];
    const served: number[] = [];
    let turn = 0;
    for (const { kind, which, bytes } of actions) {
      const one = held[which];
      if (kind === "take" && pool.hasRoom(bytes)) held.push({ credit: pool.take(bytes), waits: false });
      else if (one === undefined) continue;
      else if (kind === "draw" && !one.waits) {
        const number = turn++;
        const ok = pool.draw(one.credit, bytes, () => {
          one.waits = false;
          served.push(number);
        });
        if (!ok) {
          one.waits = true;
          waiting.push(number);
        }
      } else if (kind === "settle") pool.settle(one.credit, bytes * 3);
      else if (kind === "release") {
        pool.release(one.credit);
        held.splice(which, 1);
      }
      const sum = held.reduce((total, { credit }) => total + credit.bytes, 0);
      expect(pool.freeBytes + sum).toBe(100);
      expect(pool.freeItems + held.length).toBe(6);
      expect(held.filter(({ credit }) => credit.overdrawing).length).toBeLessThanOrEqual(1);
      expect(held.filter(({ waits }) => waits).length).toBe(pool.waiting);
      // Somebody can always go on: bodies that only wait for each other would wait for ever.
      if (held.length > 0) expect(held.some(({ waits }) => !waits)).toBe(true);
    }
    expect(served).toEqual([...served].sort((x, y) => x - y));
    for (const { credit } of held) pool.release(credit);
    expect(pool).toMatchObject({ freeItems: 6, freeBytes: 100, waiting: 0 });
  });
  fc.assert(property, { numRuns: 500 });
});
