import fc from "fast-check";
import { expect, test } from "vitest";
import { VisitHeap } from "../../../src/schedule/visit-heap.ts";

test("gives the least key first, whatever was put in, swept out and taken before", () => {
  const action = fc.oneof(
    fc.nat({ max: 1_000 }).map((key) => ({ push: key })),
    fc.constant({ pop: true }),
    fc.integer({ min: 2, max: 5 }).map((modulus) => ({ sweep: modulus })),
  );
  const property = fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
    const heap = new VisitHeap();
    let id = 0;
    let reference: { key: number; id: number }[] = [];
    for (const one of actions) {
      if ("push" in one) {
        heap.push(one.push, id, one.push * 2);
        reference.push({ key: one.push, id: id++ });
      } else if ("sweep" in one) {
        heap.sweep(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, (swept) => {
          if (swept % one.sweep !== 0) return false;
          reference = reference.filter((entry) => entry.id !== swept);
          return true;
        });
      } else if (heap.size > 0) {
        const least = Math.min(...reference.map((entry) => entry.key));
        expect(heap.firstKey).toBe(least);
        expect(heap.firstExtra).toBe(least * 2);
        const taken = heap.first;
        expect(reference.find((entry) => entry.id === taken)?.key).toBe(least);
        reference = reference.filter((entry) => entry.id !== taken);
        heap.drop();
      }
      expect(heap.size).toBe(reference.length);
    }
  });
  fc.assert(property, { numRuns: 200 });
});

test("a sweep in parts comes round to every entry that stays", () => {
  const heap = new VisitHeap();
  for (let id = 0; id < 1_000; id++) heap.push((id * 7919) % 1_000, id, 0);
  const seen = new Set<number>();
  for (let at = heap.size - 1; at >= 0; ) {
    at = heap.sweep(at, 64, (id) => {
      seen.add(id);
      return false;
    });
  }
  expect(seen.size).toBe(1_000);
  expect(heap.size).toBe(1_000);
});

test("an empty heap says so", () => {
  const heap = new VisitHeap();
  expect([heap.size, heap.first, heap.firstKey]).toEqual([0, -1, Number.POSITIVE_INFINITY]);
});
