import type { PrintBatch } from "./print-batch.ts";

/** Entries a chunk holds. */
const CHUNK = 65_536;
/** 32-bit words of an entry: three lanes and the owner's word. 16 bytes, so that an entry never lies in two cache lines. */
const WORDS = 4;
const SHIFT = 16;
const MASK = CHUNK - 1;
/** Separate small tables, chosen by lane `c`: a table that doubles needs its old and its new memory for a moment, so tables stay small. */
const SEGMENTS = 256;
/** Slots of a fresh segment. */
const FIRST_SLOTS = 16;

/**
 * Set of 96-bit fingerprints (three 32-bit lanes), numbered densely in order of arrival, each with a word for its owner.
 *
 * Entries lie in chunks by number (16 bytes each: what was just compared is in the cache when the word is read); each of 256
 * segments is an open-addressing table of `number + 1` with linear probing, doubled at three quarters. So a fingerprint costs
 * 16 bytes and 5.3 to 10.7 more, and growth copies one segment at a time. Nothing is ever removed.
 *
 * The chance that any two of n different keys share a fingerprint is below n² / 2^97: 6e-14 at 10^8 keys.
 */
export class FingerprintTable {
  readonly #lanes: Int32Array[] = [];
  readonly #segments: Int32Array[] = [];
  readonly #counts = new Int32Array(SEGMENTS);
  #size = 0;
  #slots = SEGMENTS * FIRST_SLOTS;

  constructor() {
    for (let i = 0; i < SEGMENTS; i++) this.#segments.push(new Int32Array(FIRST_SLOTS));
  }

  /** Fingerprints held; also the number the next new one gets. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of typed arrays held. */
  get bytes(): number {
    return this.#lanes.length * CHUNK * WORDS * 4 + this.#slots * 4;
  }

  /** @returns the number of the fingerprint, or -1 when it is not here. */
  find(a: number, b: number, c: number): number {
    const table = this.#segments[c & (SEGMENTS - 1)];
    const mask = table.length - 1;
    let slot = a & mask;
    for (let held = table[slot]; held !== 0; held = table[slot]) {
      const number = held - 1;
      const lanes = this.#lanes[number >>> SHIFT];
      const at = (number & MASK) * WORDS;
      if (lanes[at] === a && lanes[at + 1] === b && lanes[at + 2] === c) return number;
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  /** Looks up every fingerprint of a batch: its `found` holds the numbers then. */
  findAll(batch: PrintBatch): void {
    const { lanes, found, count } = batch;
    const segments = this.#segments;
    // First every first slot, so that their misses overlap; most of them hold what is sought.
    for (let i = 0; i < count; i++) {
      const table = segments[lanes[3 * i + 2] & (SEGMENTS - 1)];
      found[i] = table[lanes[3 * i] & (table.length - 1)] - 1;
    }
    for (let i = 0; i < count; i++) {
      const number = found[i];
      if (number < 0) continue;
      const chunk = this.#lanes[number >>> SHIFT];
      const at = (number & MASK) * WORDS;
      if (chunk[at] !== lanes[3 * i] || chunk[at + 1] !== lanes[3 * i + 1] || chunk[at + 2] !== lanes[3 * i + 2]) {
        found[i] = this.find(lanes[3 * i], lanes[3 * i + 1], lanes[3 * i + 2]);
      }
    }
  }

  /** Adds a fingerprint that `find` did not find. @returns its number. */
  add(a: number, b: number, c: number): number {
    const number = this.#size++;
    let lanes = this.#lanes[number >>> SHIFT];
    if (lanes === undefined) {
      lanes = new Int32Array(CHUNK * WORDS);
      this.#lanes.push(lanes);
    }
    const at = (number & MASK) * WORDS;
    lanes[at] = a;
    lanes[at + 1] = b;
    lanes[at + 2] = c;
    const segment = c & (SEGMENTS - 1);
    let table = this.#segments[segment];
    if (++this.#counts[segment] * 4 > table.length * 3) table = this.#grow(segment);
    place(table, a, number);
    return number;
  }

  /** The owner's word of an entry; 0 until it is set. */
  word(number: number): number {
    return this.#lanes[number >>> SHIFT][(number & MASK) * WORDS + 3];
  }
  setWord(number: number, word: number): void {
    this.#lanes[number >>> SHIFT][(number & MASK) * WORDS + 3] = word;
  }

  #grow(segment: number): Int32Array {
    const old = this.#segments[segment];
    const table = new Int32Array(old.length * 2);
    for (const held of old) {
      if (held !== 0) place(table, this.#lanes[(held - 1) >>> SHIFT][((held - 1) & MASK) * WORDS], held - 1);
    }
    this.#segments[segment] = table;
    this.#slots += old.length;
    return table;
  }
}

/** Puts a number into the first free slot from its first lane on. */
function place(table: Int32Array, a: number, number: number): void {
  const mask = table.length - 1;
  let slot = a & mask;
  while (table[slot] !== 0) slot = (slot + 1) & mask;
  table[slot] = number + 1;
}
