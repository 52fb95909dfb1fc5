import fc from "fast-check";
import { expect, test } from "vitest";
import { ContentIndex } from "../../../../src/stages/store/content-index.ts";

const text = (seed: number): Uint8Array => Uint8Array.from({ length: 12 }, (_, index) => (seed * 37 + index * seed) & 255);

test("a text is held per host", () => {
  const index = new ContentIndex();
  index.hold(1, text(1), 10);
  expect(index.owner(1, text(1))).toBe(10);
  expect(index.owner(2, text(1))).toBe(-1);
  expect(index.owner(1, text(2))).toBe(-1);
});

test("a URL that changed gives its old text free, but not one that another holds", () => {
  const index = new ContentIndex();
  index.hold(1, text(1), 10);
  index.drop(1, text(1), 11);
  expect(index.owner(1, text(1))).toBe(10);
  index.drop(1, text(1), 10);
  expect(index.owner(1, text(1))).toBe(-1);
  index.hold(1, text(1), 0);
  expect(index.owner(1, text(1))).toBe(0);
});

test("behaves as a map from host and text to the last holder", () => {
  const action = fc.record({
    kind: fc.constantFrom("hold", "hold", "drop"),
    host: fc.nat({ max: 3 }),
    seed: fc.integer({ min: 1, max: 8 }),
    id: fc.nat({ max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
      const index = new ContentIndex();
      const reference = new Map<string, number>();
      for (const { kind, host, seed, id } of actions) {
        const key = `${host} ${seed}`;
        if (kind === "hold") {
          index.hold(host, text(seed), id);
          reference.set(key, id);
        } else {
          index.drop(host, text(seed), id);
          if (reference.get(key) === id) reference.delete(key);
        }
        for (let host2 = 0; host2 < 4; host2++)
          for (let seed2 = 1; seed2 <= 8; seed2++) expect(index.owner(host2, text(seed2))).toBe(reference.get(`${host2} ${seed2}`) ?? -1);
      }
    }),
    { numRuns: 30 },
  );
});
