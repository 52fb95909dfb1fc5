import { FingerprintTable } from "../../kernel/fingerprint-table.ts";
import type { Bytes, HostId, UrlId } from "../../kernel/units.ts";

/**
 * Which URL of a host holds a given main text: pages of one host with the same text are stored once (spec A1).
 * In memory, about 24 bytes a stored page, rebuilt by the start-up scan.
 */
export class ContentIndex {
  /** The word of a fingerprint is its holder, shifted by one; 0 means nobody any more. */
  readonly #table = new FingerprintTable();

  get bytes(): Bytes {
    return this.#table.bytes;
  }

  /** @returns the URL that holds this text on this host, or -1. */
  owner(host: HostId, text: Uint8Array): UrlId {
    const number = this.#find(host, text);
    return number < 0 ? -1 : this.#table.word(number) - 1;
  }

  /** Makes a URL the holder of its text. */
  hold(host: HostId, text: Uint8Array, id: UrlId): void {
    const number = this.#find(host, text);
    this.#table.setWord(number < 0 ? this.#table.add(lane(text, 0) ^ spread(host), lane(text, 4), lane(text, 8)) : number, id + 1);
  }

  /** A URL no longer has this text; does nothing when another holds it. */
  drop(host: HostId, text: Uint8Array, id: UrlId): void {
    const number = this.#find(host, text);
    if (number >= 0 && this.#table.word(number) === id + 1) this.#table.setWord(number, 0);
  }

  #find(host: HostId, text: Uint8Array): number {
    return this.#table.find(lane(text, 0) ^ spread(host), lane(text, 4), lane(text, 8));
  }
}

function lane(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}

/** Host ids are small and dense: spread them over 32 bits before they are mixed in. */
function spread(host: HostId): number {
  return Math.imul(host + 1, 0x9e3779b1);
}
