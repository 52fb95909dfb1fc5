import fc from "fast-check";
import { expect, test } from "vitest";
import { type HeapEntry, HostHeap } from "../../../src/flow/host-heap.ts";

interface Entry extends HeapEntry {
  readonly name: number;
}
const entry = (name: number): Entry => ({ name, heapKey: 0, heapTurn: 0, heapIndex: -1 });

test("equal keys take turns: who is pushed again goes behind the others", () => {
  const heap = new HostHeap<Entry>();
  const [a, b, c] = [entry(1), entry(2), entry(3)];
  for (const one of [a, b, c]) heap.push(one, 5);
  const order: number[] = [];
  for (let i = 0; i < 6; i++) {
    const top = heap.pop()!;
    order.push(top.name);
    heap.push(top, 5);
  }
  expect(order).toEqual([1, 2, 3, 1, 2, 3]);
});

test("an entry is in the heap once, at its last key", () => {
  const heap = new HostHeap<Entry>();
  const [a, b] = [entry(1), entry(2)];
  heap.push(a, 10);
  heap.push(b, 5);
  heap.push(a, 1);
  expect(heap.size).toBe(2);
  expect(heap.pop()).toBe(a);
  expect(a.heapIndex).toBe(-1);
  heap.remove(a);
  expect(heap.size).toBe(1);
});

test("behaves as a sorted list under any pushes, moves, removals and pops", () => {
  const action = fc.record({ kind: fc.constantFrom("push", "push", "pop", "remove"), name: fc.nat({ max: 19 }), key: fc.nat({ max: 30 }) });
  const property = fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
    const heap = new HostHeap<Entry>();
    const entries = Array.from({ length: 20 }, (_, name) => entry(name));
    let reference: { name: number; key: number }[] = [];
    for (const { kind, name, key } of actions) {
      if (kind === "pop") {
        // A stable sort keeps the order of entry among equal keys.
        const first = reference.toSorted((x, y) => x.key - y.key)[0];
        expect(heap.pop()?.name).toBe(first?.name);
        reference = reference.filter((one) => one !== first);
        continue;
      }
      reference = reference.filter((one) => one.name !== name);
      if (kind === "remove") heap.remove(entries[name]);
      else {
        heap.push(entries[name], key);
        reference.push({ name, key });
      }
      expect(heap.size).toBe(reference.length);
      expect(heap.peek()?.heapKey).toBe(reference.toSorted((x, y) => x.key - y.key)[0]?.key);
    }
  });
  fc.assert(property, { numRuns: 300 });
});
