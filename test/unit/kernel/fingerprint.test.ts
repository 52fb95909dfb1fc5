import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fingerprinter, type FingerprintSeed } from "../../../src/kernel/fingerprint.ts";

const SEEDS: readonly FingerprintSeed[] = [
  [0, 0, 0, 0],
  [1, 2, 3, 4],
  [-1, -1, -1, -1],
  [0x9e3779b9, 0x7f4a7c15, 0xf39cc060, 0x5cedc834],
];

function over(seed: FingerprintSeed) {
  const bytes = new Uint8Array(4096);
  const fingerprinter = new Fingerprinter(new Int32Array(bytes.buffer), seed);
  const of = (text: string): readonly [number, number, number] => {
    const { written } = new TextEncoder().encodeInto(text, bytes);
    fingerprinter.of(written);
    return [fingerprinter.a, fingerprinter.b, fingerprinter.c];
  };
  return { bytes, fingerprinter, of };
}

const bitsOf = (word: number) => {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
};

describe("Fingerprinter", () => {
  test("only the first bytes count, not what is left behind them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ minLength: 40, maxLength: 40 }), (text, rubbish) => {
        const { bytes, fingerprinter } = over([1, 2, 3, 4]);
        bytes.set(text);
        fingerprinter.of(text.length);
        const clean = [fingerprinter.a, fingerprinter.b, fingerprinter.c];
        bytes.set(rubbish, text.length);
        fingerprinter.of(text.length);
        expect([fingerprinter.a, fingerprinter.b, fingerprinter.c]).toEqual(clean);
      }),
    );
  });

  test("texts that differ by zeros at the end differ", () => {
    const { bytes, fingerprinter } = over([1, 2, 3, 4]);
    bytes.fill(0);
    const seen = new Set<string>();
    for (let length = 0; length < 200; length++) {
      fingerprinter.of(length);
      seen.add(`${fingerprinter.a} ${fingerprinter.b} ${fingerprinter.c}`);
    }
    expect(seen.size).toBe(200);
  });

  test("each seed gives fingerprints of its own, and the same ones each time", () => {
    const url = "https://example.com/";
    const prints = SEEDS.map((seed) => over(seed).of(url));
    expect(prints).toEqual(SEEDS.map((seed) => over(seed).of(url)));
    for (const lane of [0, 1, 2]) expect(new Set(prints.map((print) => print[lane])).size).toBe(SEEDS.length);
  });

  test.each(SEEDS)("a flipped bit anywhere flips half of every lane (seed %i %i %i %i)", (...seed) => {
    const { bytes, fingerprinter, of } = over(seed);
    for (const length of [1, 5, 16, 17, 31, 47, 60]) {
      for (let bit = 0; bit < length * 8; bit++) {
        const flips = [0, 0, 0];
        const rounds = 60;
        for (let round = 0; round < rounds; round++) {
          const before = of(`https://example.com/${round}/a-page-of-sixty-bytes-or-more-${round * 7}`.slice(-length).padStart(length, "x"));
          bytes[bit >> 3] ^= 1 << (bit & 7);
          fingerprinter.of(length);
          flips[0] += bitsOf(before[0] ^ fingerprinter.a);
          flips[1] += bitsOf(before[1] ^ fingerprinter.b);
          flips[2] += bitsOf(before[2] ^ fingerprinter.c);
        }
        // 1,920 fair coins have a standard deviation of 22; of one byte there are too few different texts to ask for more.
        for (const count of flips) expect(Math.abs(count / (rounds * 32) - 0.5)).toBeLessThan(length < 5 ? 0.2 : 0.08);
      }
    }
  });

  test("a million sequential URLs share no two lanes, and every bit is balanced", () => {
    const { bytes, fingerprinter } = over([5, 6, 7, 8]);
    const count = 1_000_000;
    const prefix = "https://shop.example/products/item-";
    new TextEncoder().encodeInto(prefix, bytes);
    const pairs = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
    const ones = new Int32Array(96);
    for (let i = 0; i < count; i++) {
      let rest = i;
      for (let digit = 6; digit >= 0; digit--) {
        bytes[prefix.length + digit] = 0x30 + (rest % 10);
        rest = Math.floor(rest / 10);
      }
      fingerprinter.of(prefix.length + 7);
      const { a, b, c } = fingerprinter;
      // 53 bits of two lanes: by chance, one pair of a million collides in 18,000 runs.
      pairs[0][i] = (a >>> 0) * 2 ** 21 + (b >>> 11);
      pairs[1][i] = (b >>> 0) * 2 ** 21 + (c >>> 11);
      pairs[2][i] = (c >>> 0) * 2 ** 21 + (a >>> 11);
      if (i % 10 === 0) {
        for (let bit = 0; bit < 32; bit++) {
          ones[bit] += (a >>> bit) & 1;
          ones[32 + bit] += (b >>> bit) & 1;
          ones[64 + bit] += (c >>> bit) & 1;
        }
      }
    }
    for (const values of pairs) {
      values.sort();
      let equal = 0;
      for (let i = 1; i < count; i++) if (values[i] === values[i - 1]) equal++;
      expect(equal).toBe(0);
    }
    // 100,000 fair coins have a standard deviation of 158; 96 of them stay within five.
    for (const one of ones) expect(Math.abs(one - 50_000)).toBeLessThan(800);
  });
});
