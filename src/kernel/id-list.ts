import type { UrlId } from "./units.ts";

/** A zig-zag delta of two ids below 2^31 fits in 32 bits: at most 5 bytes of 7. */
const MOST_BYTES_PER_ID = 5;

/** Reused between calls: the engine encodes one list for each page, and a page has tens of links. */
let scratch = new Uint8Array(1024);
/** Lists are cut from one piece of memory after the other: a piece for each would cost more than its bytes. */
const PIECE = 65_536;
const CUT_MOST = 4_096;
let piece = new Uint8Array(0);
let used = 0;

/**
 * Packs a list of ids, in their order, for a page's row: unsigned LEB128 of zig-zag deltas, the first one from 0. Links of one
 * page are often neighbours in order of discovery, so that most take one byte.
 * @param count how many of `ids` count. Ids are at least 0 and below 2^31.
 * @returns bytes of its own, which the caller may keep.
 */
export function encodeIds(ids: Int32Array | readonly UrlId[], count: number = ids.length): Uint8Array {
  if (scratch.length < count * MOST_BYTES_PER_ID) scratch = new Uint8Array(count * MOST_BYTES_PER_ID * 2);
  const out = scratch;
  let at = 0;
  let last = 0;
  for (let i = 0; i < count; i++) {
    const id = ids[i];
    const delta = (id - last) | 0;
    last = id;
    let rest = ((delta << 1) ^ (delta >> 31)) >>> 0;
    while (rest > 0x7f) {
      out[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    out[at++] = rest;
  }
  return kept(out, at);
}

/** Bytes that nobody else writes, cut from a piece unless there are many. */
function kept(bytes: Uint8Array, length: number): Uint8Array {
  if (length > CUT_MOST) return bytes.slice(0, length);
  if (used + length > piece.length) {
    piece = new Uint8Array(PIECE);
    used = 0;
  }
  const own = piece.subarray(used, used + length);
  for (let i = 0; i < length; i++) own[i] = bytes[i];
  used += length;
  return own;
}

/**
 * Unpacks what `encodeIds` made.
 * @throws RangeError when the bytes end inside an id: the row is damaged.
 */
export function decodeIds(bytes: Uint8Array): UrlId[] {
  const ids: UrlId[] = [];
  let last = 0;
  let value = 0;
  let shift = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    value |= (byte & 0x7f) << shift;
    if (byte > 0x7f) {
      shift += 7;
      if (shift > 28) throw new RangeError("A list of ids is damaged: an id of more than 5 bytes");
      continue;
    }
    last = (last + ((value >>> 1) ^ -(value & 1))) | 0;
    ids.push(last);
    value = 0;
    shift = 0;
  }
  if (shift !== 0) throw new RangeError("A list of ids is damaged: it ends inside an id");
  return ids;
}
