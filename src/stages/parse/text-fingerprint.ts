/**
 * Fingerprint of a page's visible text, taken while the scan passes over it.
 */
import { lowestByte, matches, viewOf } from "./html-bytes.ts";

/** Raised whenever the same text would give another fingerprint: fingerprints of two versions are never compared. */
export const TEXT_HASH_VERSION = 1;
/** Bytes of a fingerprint. */
export const TEXT_HASH_BYTES = 12;

const SEED = [0x2545f491, 0x6c078965, 0x9908b0df, 0x5bd1e995] as const;
const M0 = 0x239b961b | 0;
const M1 = 0xab0e9789 | 0;
const M2 = 0x38b34ae5 | 0;
const M3 = 0xa1e38b93 | 0;
/** Multiple of 16 and small enough to stay in the first-level cache. */
const BUFFER = 8_192;

const finish = (h: number): number => {
  let x = h ^ (h >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return x ^ (x >>> 16);
};

/**
 * 96-bit hash over the bytes of a text above 0x20, as they stand in the page: whitespace never counts, neither its amount nor its place,
 * so that re-indented or minified markup is the same text. Character references are not decoded.
 *
 * Text is compacted into a small buffer without a branch per byte, then mixed 16 bytes at a time in four 32-bit lanes, in the manner of
 * MurmurHash3's 128-bit variant for 32-bit machines, of which 96 bits are kept. Seeds are fixed: equal texts of two stores are equal.
 * The mixing reads 32-bit words in the machine's byte order, little-endian on every platform Node runs on but s390x.
 */
export class TextFingerprint {
  private readonly buffer = new Uint8Array(BUFFER);
  private readonly words = new Int32Array(this.buffer.buffer);
  private filled = 0;
  private mixed = 0;
  private readonly lanes = new Int32Array(4);

  reset(): void {
    this.filled = 0;
    this.mixed = 0;
    this.lanes.set(SEED);
  }

  /** Bytes above 0x20 taken since `reset`. */
  get length(): number {
    return this.mixed + this.filled;
  }

  /**
   * Takes text up to the next `<`. @returns its index, or `end`.
   * @param view of the same bytes as `b`: four are loaded at once, and only looked at one by one to be compacted.
   */
  takeToMarkup(b: Uint8Array, view: DataView, from: number, end: number): number {
    const out = this.buffer;
    let p = from;
    for (;;) {
      let n = this.filled;
      const stop = end - p > BUFFER - n ? p + BUFFER - n : end;
      while (p + 4 <= stop) {
        const four = view.getInt32(p, true);
        const hits = matches(four, 0x3c3c3c3c);
        const ahead = hits === 0 ? 4 : lowestByte(hits);
        // A byte is kept by moving on behind it: whitespace, and what lies behind a `<`, is overwritten by the next. Shifts are 1 or 0.
        out[n] = four;
        n += ((32 - (four & 255)) & -ahead) >>> 31;
        out[n] = four >>> 8;
        n += ((32 - ((four >>> 8) & 255)) & (1 - ahead)) >>> 31;
        out[n] = four >>> 16;
        n += ((32 - ((four >>> 16) & 255)) & (2 - ahead)) >>> 31;
        out[n] = four >>> 24;
        n += ((32 - (four >>> 24)) & (3 - ahead)) >>> 31;
        p += ahead;
        if (ahead < 4) {
          this.filled = n;
          return p;
        }
      }
      while (p < stop && b[p] !== 60) {
        const c = b[p++];
        out[n] = c;
        n += (32 - c) >>> 31;
      }
      this.filled = n;
      if (p >= end || b[p] === 60) return p;
      this.flush();
    }
  }

  /** Takes `[from, end)`, `<` included. */
  take(b: Uint8Array, from: number, end: number): void {
    const view = viewOf(b);
    let p = from;
    while (p < end) {
      p = this.takeToMarkup(b, view, p, end);
      if (p < end) {
        this.takeByte(60);
        p++;
      }
    }
  }

  takeByte(byte: number): void {
    if (this.filled === BUFFER) this.flush();
    this.buffer[this.filled++] = byte;
  }

  /** Writes the fingerprint of what was taken since `reset`. May be called once per text. */
  digest(into: Uint8Array, offset: number): void {
    this.flush();
    const total = this.mixed + this.filled;
    if (this.filled > 0) {
      this.buffer.fill(0, this.filled, 16);
      this.mix(4);
      this.filled = 0;
    }
    this.mixed = total;
    let [h0, h1, h2, h3] = this.lanes;
    h0 ^= total;
    h1 ^= total;
    h2 ^= total;
    h3 ^= total;
    h0 = (h0 + h1 + h2 + h3) | 0;
    h1 = finish(h1 + h0);
    h2 = finish(h2 + h0);
    h3 = finish(h3 + h0);
    h0 = finish(h0);
    h0 = (h0 + h1 + h2 + h3) | 0;
    const words = [h0, h1 + h0, h2 + h0];
    for (let k = 0; k < TEXT_HASH_BYTES; k++) into[offset + k] = words[k >> 2] >>> ((k & 3) * 8);
  }

  /** Mixes all whole blocks and moves the rest to the front. */
  private flush(): void {
    const whole = this.filled & ~15;
    if (whole === 0) return;
    this.mix(whole >> 2);
    this.buffer.copyWithin(0, whole, this.filled);
    this.filled -= whole;
    this.mixed += whole;
  }

  private mix(count: number): void {
    const w = this.words;
    let [h0, h1, h2, h3] = this.lanes;
    for (let k = 0; k < count; k += 4) {
      let x = Math.imul(w[k], M0);
      h0 ^= Math.imul((x << 15) | (x >>> 17), M1);
      h0 = (Math.imul(((h0 << 19) | (h0 >>> 13)) + h1, 5) + 0x561ccd1b) | 0;
      x = Math.imul(w[k + 1], M1);
      h1 ^= Math.imul((x << 16) | (x >>> 16), M2);
      h1 = (Math.imul(((h1 << 17) | (h1 >>> 15)) + h2, 5) + 0x0bcaa747) | 0;
      x = Math.imul(w[k + 2], M2);
      h2 ^= Math.imul((x << 17) | (x >>> 15), M3);
      h2 = (Math.imul(((h2 << 15) | (h2 >>> 17)) + h3, 5) + 0x96cd1c35) | 0;
      x = Math.imul(w[k + 3], M3);
      h3 ^= Math.imul((x << 18) | (x >>> 14), M0);
      h3 = (Math.imul(((h3 << 13) | (h3 >>> 19)) + h0, 5) + 0x32ac3b17) | 0;
    }
    this.lanes[0] = h0;
    this.lanes[1] = h1;
    this.lanes[2] = h2;
    this.lanes[3] = h3;
  }
}
