import fc from "fast-check";
import { expect, test } from "vitest";
import { LinkSet } from "../../../src/pipeline/link-set.ts";

const listed = (set: LinkSet): number[] => [...set.ids.subarray(0, set.count)];

test("keeps each link once, in the order of its first place", () => {
  const set = new LinkSet();
  set.clear();
  for (const id of [5, 0, 5, 9, 0, 1]) set.add(id);
  expect(listed(set)).toEqual([5, 0, 9, 1]);
});

test("behaves as a set from page to page, small and large", () => {
  const page = fc.oneof(
    fc.array(fc.nat({ max: 50 }), { maxLength: 60 }),
    fc
      .record({ from: fc.nat({ max: 1_000 }), count: fc.nat({ max: 3_000 }), step: fc.constantFrom(1, 1_024, 65_536) })
      .map(({ from, count, step }) => Array.from({ length: count }, (_, index) => from + index * step)),
  );
  const property = fc.property(fc.array(page, { maxLength: 8 }), (pages) => {
    const set = new LinkSet();
    for (const ids of pages) {
      set.clear();
      for (const id of ids) set.add(id);
      expect(listed(set)).toEqual([...new Set(ids)]);
    }
  });
  fc.assert(property, { numRuns: 60 });
});

test("a page of a hundred thousand links does not keep its room", () => {
  const set = new LinkSet();
  set.clear();
  for (let id = 0; id < 100_000; id++) set.add(id);
  expect(set.count).toBe(100_000);
  set.clear();
  set.add(7);
  expect(set.ids.length).toBeLessThanOrEqual(65_536);
  expect(listed(set)).toEqual([7]);
});
