import type { Bytes } from "../../kernel/units.ts";
import type { HeaderView } from "../../ports/fetch-route.ts";

/**
 * Headers over the parser's raw buffers (name, value, name, value, ...). Nothing is decoded before it is asked for: a page's
 * path needs half a dozen of its headers. Values are latin1, so bytes above 127 survive a round trip.
 */
export class RawHeaderView implements HeaderView {
  readonly #raw: readonly Buffer[];

  constructor(raw: readonly Buffer[]) {
    this.#raw = raw;
  }

  get(name: string): string | undefined {
    const raw = this.#raw;
    for (let i = 0; i < raw.length; i += 2) {
      if (isNamed(raw[i], name)) return textOf(raw[i + 1]);
    }
    return undefined;
  }

  all(name: string): readonly string[] {
    const raw = this.#raw;
    const values: string[] = [];
    for (let i = 0; i < raw.length; i += 2) {
      if (isNamed(raw[i], name)) values.push(textOf(raw[i + 1]));
    }
    return values;
  }

  entries(): readonly (readonly [string, string])[] {
    const raw = this.#raw;
    const entries: (readonly [string, string])[] = [];
    for (let i = 0; i < raw.length; i += 2) entries.push([textOf(raw[i]).toLowerCase(), textOf(raw[i + 1])]);
    return entries;
  }
}

/** @param name lower-case. */
function isNamed(bytes: Buffer, name: string): boolean {
  const length = name.length;
  if (bytes.length !== length) return false;
  for (let i = 0; i < length; i += 1) {
    const byte = bytes[i];
    if ((byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) !== name.charCodeAt(i)) return false;
  }
  return true;
}

function textOf(bytes: Buffer): string {
  return bytes.toString("latin1");
}

/** undefined unless it is a plain number: undici has refused contradictions by then. */
export function contentLengthOf(headers: HeaderView): Bytes | undefined {
  const text = headers.get("content-length");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
