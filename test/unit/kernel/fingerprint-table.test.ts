import fc from "fast-check";
import { expect, test } from "vitest";
import { FingerprintTable } from "../../../src/kernel/fingerprint-table.ts";
import { seededRandom } from "../../../src/simulate/random.ts";

/** Lanes from a small range, so that many share a segment and a first slot. */
const lanes = fc.tuple(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -2, max: 2 }),
  fc.constantFrom(0, 256, -256, 1, 2 ** 31 - 1, -(2 ** 31)),
);

test("behaves as a map from three lanes to numbers in order of arrival", () => {
  const property = fc.property(fc.array(lanes, { maxLength: 250 }), (prints) => {
    const table = new FingerprintTable();
    const reference = new Map<string, number>();
    for (const [a, b, c] of prints) {
      const known = reference.get(`${a} ${b} ${c}`);
      expect(table.find(a, b, c)).toBe(known ?? -1);
      if (known === undefined) reference.set(`${a} ${b} ${c}`, table.add(a, b, c));
      expect(table.size).toBe(reference.size);
    }
    expect([...reference.values()]).toEqual([...reference.keys()].map((_, index) => index));
  });
  fc.assert(property);
});

test("keeps every number and word through growth, across chunks of 65,536", () => {
  const table = new FingerprintTable();
  const random = seededRandom(3);
  const lane = (): number => (random() * 2 ** 32) | 0;
  const prints = Array.from({ length: 150_000 }, () => [lane(), lane(), lane()] as const);
  let wrong = 0;
  for (const [index, [a, b, c]] of prints.entries()) {
    if (table.add(a, b, c) !== index) wrong += 1;
    table.setWord(index, ~index);
  }
  for (const [index, [a, b, c]] of prints.entries()) {
    if (table.find(a, b, c) !== index || table.word(index) !== ~index) wrong += 1;
    if (table.find(a, b, c ^ 256) !== -1) wrong += 1;
  }
  expect(wrong).toBe(0);
  const perUrl = (table.bytes - 65_536 * 16) / prints.length;
  expect(perUrl, "bytes a fingerprint").toBeLessThan(30);
});

test("a word is 0 until it is set", () => {
  const table = new FingerprintTable();
  expect(table.word(table.add(1, 2, 3))).toBe(0);
});
