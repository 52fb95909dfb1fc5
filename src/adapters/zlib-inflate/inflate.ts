import { gunzipSync } from "node:zlib";
import type { Bytes } from "../../kernel/units.ts";

/** Inflates one layer of gzip, for a sitemap that is a gzip file. @returns null when it is none, is broken, or would exceed the cap. */
export function inflate(bytes: Uint8Array, cap: Bytes): Uint8Array | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: cap });
  } catch {
    return null;
  }
}
