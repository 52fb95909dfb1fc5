import { expect, test } from "vitest";
import { seededRandom } from "../../../src/simulate/random.ts";

test("the same seed gives the same numbers, another seed others", () => {
  const take = (seed: number): number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 20 }, () => random());
  };
  expect(take(7)).toEqual(take(7));
  expect(take(7)).not.toEqual(take(8));
});

test("numbers are spread evenly over [0, 1)", () => {
  const random = seededRandom(1);
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 100_000; i++) counts[Math.floor(random() * 10)]++;
  // 10,000 each; five standard deviations are 475.
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(475);
});
