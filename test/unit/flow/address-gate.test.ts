import fc from "fast-check";
import { expect, test } from "vitest";
import { AddressGate } from "../../../src/flow/address-gate.ts";

test("one address lets so many in, another is another's", () => {
  const gate = new AddressGate<string>(2);
  expect([gate.enter("a", "1"), gate.enter("a", "2"), gate.enter("a", "3"), gate.enter("b", "4")]).toEqual([true, true, false, true]);
  expect(gate.inFlight("a")).toBe(2);
});

test("who leaves names the one that has waited longest, which has no place yet", () => {
  const gate = new AddressGate<string>(1);
  gate.enter("a", "1");
  gate.enter("a", "2");
  gate.enter("a", "3");
  expect(gate.leave("a")).toBe("2");
  expect(gate.inFlight("a")).toBe(0);
  expect(gate.enter("a", "2")).toBe(true);
  expect(gate.leave("a")).toBe("3");
});

test("a place that its first waiter cannot use goes to the next, while there is room", () => {
  const gate = new AddressGate<string>(2);
  for (const host of ["1", "2", "3", "4", "5"]) gate.enter("a", host);
  expect(gate.leave("a")).toBe("3");
  expect(gate.another("a")).toBe("4");
  gate.enter("a", "4");
  expect(gate.another("a"), "the address is full").toBeUndefined();
  expect(gate.leave("a")).toBe("5");
});

test("an address that was never entered, or is empty, has nobody to name", () => {
  const gate = new AddressGate<string>(1);
  expect(gate.leave("a")).toBeUndefined();
  expect(gate.another("a")).toBeUndefined();
  gate.enter("a", "1");
  expect(gate.leave("a")).toBeUndefined();
  expect(gate.inFlight("a")).toBe(0);
});

test("never more than the ceiling are in, and every waiter is named in the end", () => {
  const property = fc.property(fc.integer({ min: 1, max: 4 }), fc.array(fc.boolean(), { maxLength: 100 }), (ceiling, moves) => {
    const gate = new AddressGate<number>(ceiling);
    let next = 0;
    let inside = 0;
    const parked = new Set<number>();
    const offer = (host: number): void => {
      if (gate.enter("a", host)) inside += 1;
      else parked.add(host);
    };
    const leave = (): void => {
      inside -= 1;
      for (let named = gate.leave("a"); named !== undefined; named = gate.another("a")) {
        expect(parked.delete(named)).toBe(true);
        offer(named);
      }
    };
    for (const comes of moves) {
      if (comes) offer(next++);
      else if (inside > 0) leave();
      expect(inside).toBeLessThanOrEqual(ceiling);
      expect(gate.inFlight("a")).toBe(inside);
      if (parked.size > 0) expect(inside).toBe(ceiling);
    }
    while (inside > 0) leave();
    expect(parked.size).toBe(0);
  });
  fc.assert(property);
});
