/** For each of four words and each count of bytes in the last block: the bits of that word that belong to the URL. */
const MASKS = new Int32Array(64);
for (let word = 0; word < 4; word++) {
  for (let bytes = 0; bytes < 16; bytes++) {
    const own = Math.min(Math.max(bytes - word * 4, 0), 4);
    MASKS[word * 16 + bytes] = own === 4 ? -1 : 2 ** (own * 8) - 1;
  }
}

/** 128 bits that a store draws once, keeps, and hands to its `Fingerprinter`: with other ones its fingerprints mean nothing. */
export type FingerprintSeed = readonly [number, number, number, number];

/**
 * Reduces a URL to 96 bits, `a`, `b` and `c`, under which it is known.
 *
 * Four lanes mixed in blocks of 16 bytes after the x86 128-bit MurmurHash3 (Appleby, public domain), with three of its results
 * kept. It differs in two ways, so its values are its own: the last block is filled up with zeros (the length goes into the end
 * mix), and the multipliers depend on the seed as well. With fixed ones, pairs that collide under every seed can be computed
 * (Aumasson and Bernstein 2012), and a site could hide another's page. This makes that hard; it is no cryptographic hash.
 *
 * The chance that any two of n URLs share a fingerprint is below n² / 2^97: 6e-14 at 10^8 URLs, where 1e-6 is asked for.
 *
 * Reads 32-bit words in the order of the machine, so a store moves only between little-endian machines (all that Node is
 * released for but s390x).
 */
export class Fingerprinter {
  /** The last fingerprint's lanes, as signed 32-bit integers. */
  a = 0;
  b = 0;
  c = 0;

  readonly #words: Int32Array;
  readonly #seed1: number;
  readonly #seed2: number;
  readonly #seed3: number;
  readonly #seed4: number;
  readonly #factor1: number;
  readonly #factor2: number;
  readonly #factor3: number;
  readonly #factor4: number;

  /** `words` is the memory that is hashed from its beginning: that of `LinkResolver.scratch`. */
  constructor(words: Int32Array, seed: FingerprintSeed) {
    this.#words = words;
    this.#seed1 = seed[0] | 0;
    this.#seed2 = seed[1] | 0;
    this.#seed3 = seed[2] | 0;
    this.#seed4 = seed[3] | 0;
    this.#factor1 = factorOf(0x239b961b, seed[0] ^ finish(seed[1]));
    this.#factor2 = factorOf(0xab0e9789, seed[1] ^ finish(seed[2]));
    this.#factor3 = factorOf(0x38b34ae5, seed[2] ^ finish(seed[3]));
    this.#factor4 = factorOf(0xa1e38b93, seed[3] ^ finish(seed[0]));
  }

  /** Sets `a`, `b` and `c` for the first `length` bytes. */
  of(length: number): void {
    const words = this.#words;
    const factor1 = this.#factor1;
    const factor2 = this.#factor2;
    const factor3 = this.#factor3;
    const factor4 = this.#factor4;
    let h1 = this.#seed1;
    let h2 = this.#seed2;
    let h3 = this.#seed3;
    let h4 = this.#seed4;
    const rest = length & 15;
    const whole = length - rest;
    for (let at = 0; at < length; at += 16) {
      const i = at >> 2;
      let k1 = words[i];
      let k2 = words[i + 1];
      let k3 = words[i + 2];
      let k4 = words[i + 3];
      if (at === whole) {
        k1 &= MASKS[rest];
        k2 &= MASKS[rest + 16];
        k3 &= MASKS[rest + 32];
        k4 &= MASKS[rest + 48];
      }
      k1 = Math.imul(k1, factor1);
      h1 ^= Math.imul((k1 << 15) | (k1 >>> 17), factor2);
      h1 = (Math.imul(((h1 << 19) | (h1 >>> 13)) + h2, 5) + 0x561ccd1b) | 0;
      k2 = Math.imul(k2, factor2);
      h2 ^= Math.imul((k2 << 16) | (k2 >>> 16), factor3);
      h2 = (Math.imul(((h2 << 17) | (h2 >>> 15)) + h3, 5) + 0x0bcaa747) | 0;
      k3 = Math.imul(k3, factor3);
      h3 ^= Math.imul((k3 << 17) | (k3 >>> 15), factor4);
      h3 = (Math.imul(((h3 << 15) | (h3 >>> 17)) + h4, 5) + 0x96cd1c35) | 0;
      k4 = Math.imul(k4, factor4);
      h4 ^= Math.imul((k4 << 18) | (k4 >>> 14), factor1);
      h4 = (Math.imul(((h4 << 13) | (h4 >>> 19)) + h1, 5) + 0x32ac3b17) | 0;
    }
    h1 ^= length;
    h2 ^= length;
    h3 ^= length;
    h4 ^= length;
    h1 = (h1 + h2 + h3 + h4) | 0;
    h2 = finish(h2 + h1);
    h3 = finish(h3 + h1);
    h4 = finish(h4 + h1);
    h1 = finish(h1);
    h1 = (h1 + h2 + h3 + h4) | 0;
    this.a = h1;
    this.b = (h2 + h1) | 0;
    this.c = (h3 + h1) | 0;
  }
}

/** Spreads every bit of a word over all of it. A bijection. */
function finish(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** An odd multiplier: the high byte of a tried constant, the rest from the seed. */
function factorOf(constant: number, seed: number): number {
  return (constant & 0xff000000) | (finish(seed) & 0x00ffffff) | 1;
}
