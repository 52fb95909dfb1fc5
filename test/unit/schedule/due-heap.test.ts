import fc from "fast-check";
import { expect, test } from "vitest";
import { DueHeap } from "../../../src/schedule/due-heap.ts";

test("nothing is due before its instant", () => {
  const heap = new DueHeap();
  expect(heap.nextAt).toBe(Number.POSITIVE_INFINITY);
  heap.push({ at: 100, id: 1, host: 0 });
  expect(heap.popDue(99.9)).toBeUndefined();
  expect(heap.popDue(100)).toEqual({ at: 100, id: 1, host: 0 });
  expect(heap.size).toBe(0);
});

test("gives what is due, soonest first, and keeps the rest, under any pushes and times", () => {
  const action = fc.oneof(
    fc.nat({ max: 1_000 }).map((at) => ({ push: at })),
    fc.nat({ max: 200 }).map((wait) => ({ wait })),
  );
  const property = fc.property(fc.array(action, { maxLength: 150 }), (actions) => {
    const heap = new DueHeap();
    let now = 0;
    let id = 0;
    let reference: { at: number; id: number }[] = [];
    for (const one of actions) {
      if ("push" in one) {
        const due = { at: now + one.push, id: id++, host: 0 };
        heap.push(due);
        reference.push(due);
      } else {
        now += one.wait;
        const got: number[] = [];
        for (let due = heap.popDue(now); due !== undefined; due = heap.popDue(now)) got.push(due.at);
        const expected = reference.filter((due) => due.at <= now).map((due) => due.at);
        expect(got).toEqual(expected.sort((a, b) => a - b));
        reference = reference.filter((due) => due.at > now);
      }
      expect(heap.size).toBe(reference.length);
      expect(heap.nextAt).toBe(Math.min(...reference.map((due) => due.at), Number.POSITIVE_INFINITY));
    }
  });
  fc.assert(property, { numRuns: 300 });
});
