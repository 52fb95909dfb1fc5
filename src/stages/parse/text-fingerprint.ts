/**
 * Fingerprint of a page's visible text, taken while the scan passes over it.
 */
import { matches, viewOf } from "./html-bytes.ts";

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

function skipBlank(b: Uint8Array, from: number, end: number): number {
  let p = from;
  while (p < end && b[p] <= 32) p++;
  return p;
}

/** The index of the first byte that `matches` found in two words, 0 to 7. */
function firstHit(low: number, high: number): number {
  return low === 0 ? 4 + ((31 - Math.clz32(high & -high)) >> 3) : (31 - Math.clz32(low & -low)) >> 3;
}

/** Every byte below 0x20 made 0x20. */
function controlsToSpaces(word: number): number {
  const controls = ~(((word & 0x7f7f7f7f) + 0x60606060) | word) & 0x80808080;
  return (word & ~Math.imul(controls >>> 7, 255)) | (controls >>> 2);
}

/**
 * 96-bit hash over the words of a text, as they stand in the page: every run of whitespace counts as one space, and so does every tag, so
 * that re-indented or minified markup is the same text. Character references are not decoded.
 *
 * Text is copied into a small buffer eight bytes at a time, which keeps up with reading it because text is mostly words and single spaces;
 * the buffer is mixed 16 bytes at a time in four 32-bit lanes, in the manner of MurmurHash3's 128-bit variant for 32-bit machines, of which
 * 96 bits are kept. Seeds are fixed: equal texts of two stores are equal. Mixing reads words in the machine's byte order, little-endian
 * wherever Node runs but on s390x.
 */
export class TextFingerprint {
  private readonly buffer = new Uint8Array(BUFFER);
  private readonly words = new Int32Array(this.buffer.buffer);
  private readonly bytes = new DataView(this.buffer.buffer);
  private filled = 0;
  private mixed = 0;
  private readonly lanes = new Int32Array(4);

  reset(): void {
    this.filled = 0;
    this.mixed = 0;
    this.lanes.set(SEED);
  }

  /** Bytes taken since `reset`, whitespace collapsed. */
  get length(): number {
    return this.mixed + this.filled;
  }

  /**
   * Takes one run of text, up to the next `<`. @returns its index, or `end`.
   * @param view of the same bytes as `b`.
   */
  takeToMarkup(b: Uint8Array, view: DataView, from: number, end: number): number {
    let p = skipBlank(b, from, end);
    if (p >= end || b[p] === 60) return p;
    const out = this.bytes;
    let n = this.separate();
    let spaceBefore = 0;
    while (p + 8 <= end) {
      if (n > BUFFER - 16) n = this.flush(n);
      let low = view.getInt32(p, true);
      let high = view.getInt32(p + 4, true);
      if (((((low - 0x20202020) & ~low) | ((high - 0x20202020) & ~high)) & 0x80808080) !== 0) {
        low = controlsToSpaces(low);
        high = controlsToSpaces(high);
      }
      const lowSpaces = matches(low, 0x20202020);
      const highSpaces = matches(high, 0x20202020);
      const doubled = (lowSpaces & ((lowSpaces << 8) | spaceBefore)) | (highSpaces & ((highSpaces << 8) | (lowSpaces >>> 24)));
      if (doubled === 0) {
        out.setInt32(n, low, true);
        out.setInt32(n + 4, high, true);
        const lowHits = matches(low, 0x3c3c3c3c);
        const highHits = matches(high, 0x3c3c3c3c);
        if ((lowHits | highHits) !== 0) {
          const taken = firstHit(lowHits, highHits);
          this.filled = n + taken;
          return p + taken;
        }
        n += 8;
        p += 8;
        spaceBefore = (highSpaces >>> 24) & 0x80;
        continue;
      }
      this.filled = n;
      p = this.collapseSome(b, p, end);
      n = this.filled;
      if (p >= end || b[p] === 60) return p;
      spaceBefore = b[p - 1] <= 32 ? 0x80 : 0;
    }
    this.filled = n;
    return this.collapse(b, p, end);
  }

  /** Gets past a place with much whitespace, of which at least eight bytes are left. */
  private collapseSome(b: Uint8Array, from: number, end: number): number {
    const p = this.collapse(b, from, from + 8);
    return b[p - 1] <= 32 ? skipBlank(b, p, end) : p;
  }

  /** Takes up to the next `<` or `end`, a byte at a time. */
  private collapse(b: Uint8Array, from: number, end: number): number {
    const out = this.buffer;
    let n = this.filled;
    let p = from;
    while (p < end && b[p] !== 60) {
      if (n > BUFFER - 16) n = this.flush(n);
      const c = b[p++];
      if (c > 32) out[n++] = c;
      else if (out[n - 1] !== 32) out[n++] = 32;
    }
    this.filled = n;
    return p;
  }

  /** Takes `[from, end)`, `<` included. */
  take(b: Uint8Array, from: number, end: number): void {
    const view = viewOf(b);
    let p = from;
    while (p < end) {
      p = this.takeToMarkup(b, view, p, end);
      if (p < end) {
        this.takeOpener();
        p++;
      }
    }
  }

  /** Ends the word before, if there is one. */
  private separate(): number {
    const n = this.filled;
    if (n === 0 || this.buffer[n - 1] === 32) return n;
    this.buffer[n] = 32;
    return n + 1;
  }

  /** Takes a `<` that is text. */
  takeOpener(): void {
    let n = this.filled;
    if (n > BUFFER - 16) n = this.flush(n);
    this.buffer[n] = 60;
    this.filled = n + 1;
  }

  /** Writes the fingerprint of what was taken since `reset`. May be called once per text. */
  digest(into: Uint8Array, offset: number): void {
    let n = this.filled;
    if (n > 0 && this.buffer[n - 1] === 32) n--;
    const total = this.mixed + n;
    const padded = (n + 15) & ~15;
    this.buffer.fill(0, n, padded);
    this.mix(padded >> 2);
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

  /** Mixes whole blocks and moves the rest, at least the last byte, to the front. @returns how many bytes that is. */
  private flush(filled: number): number {
    const whole = (filled - 1) & ~15;
    if (whole <= 0) return filled;
    this.mix(whole >> 2);
    this.buffer.copyWithin(0, whole, filled);
    this.mixed += whole;
    return filled - whole;
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
