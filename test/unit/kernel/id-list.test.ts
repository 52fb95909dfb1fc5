import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeIds, encodeIds } from "../../../src/kernel/id-list.ts";

test("any list of ids comes back as it was, in its order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { maxLength: 300 }), (ids) => {
      expect(decodeIds(encodeIds(Int32Array.from(ids), ids.length))).toEqual(ids);
    }),
  );
});

test("neighbours take one byte each", () => {
  expect(encodeIds([60, 61, 62, 60, 59])).toEqual(Uint8Array.of(120, 2, 2, 3, 1));
});

test("only the first `count` ids are taken", () => {
  expect(decodeIds(encodeIds(Int32Array.of(5, 6, 7, 8), 2))).toEqual([5, 6]);
});

test("an encoded list is not overwritten by the next one", () => {
  const first = encodeIds([1, 2, 3]);
  encodeIds([900, 901, 902]);
  expect(decodeIds(first)).toEqual([1, 2, 3]);
});

test("a list that ends inside an id is damaged, and so is an id of six bytes", () => {
  expect(() => decodeIds(Uint8Array.of(2, 0x80))).toThrow(/ends inside/);
  expect(() => decodeIds(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 1))).toThrow(/more than 5 bytes/);
});
