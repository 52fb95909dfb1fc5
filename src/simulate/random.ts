import type { Random } from "../ports/clock.ts";

/**
 * A generator that gives the same numbers for the same seed, on every machine: a Weyl sequence whose steps are mixed by two
 * multiplications (constants: C. Wellons, "Prospecting for hash functions", public domain). For scenarios, not for secrets.
 * @param seed any integer; its low 32 bits count.
 */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
