import fc from "fast-check";
import { expect, test } from "vitest";
import { Int32Column } from "../../../src/kernel/chunked.ts";

test("reads 0 where nothing was set, before, between and behind", () => {
  const column = new Int32Column();
  expect([column.get(0), column.get(10_000_000), column.bytes]).toEqual([0, 0, 0]);
  column.set(200_000, 7);
  expect([column.get(199_999), column.get(200_000), column.get(200_001), column.get(10_000_000)]).toEqual([0, 7, 0, 0]);
});

test("keeps 32-bit values at any index, whatever the order", () => {
  const entry = fc.tuple(fc.nat({ max: 300_000 }), fc.integer());
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
      const column = new Int32Column();
      for (const [index, value] of entries) column.set(index, value);
      for (const [index, value] of new Map(entries)) expect(column.get(index)).toBe(value);
    }),
    { numRuns: 50 },
  );
});
