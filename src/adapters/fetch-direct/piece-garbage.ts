import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Bytes } from "../../kernel/units.ts";

/** Copied pieces that may lie about before they are collected. */
const COLLECT_EVERY: Bytes = 4 * 1_048_576;

type Collect = (options: { readonly type: "minor" }) => void;

let collect: Collect | null = null;
let lying: Bytes = 0;

/**
 * Notes that a piece was copied and is garbage now. Pieces are 64 KB outside the heap behind objects of 100 bytes in it, so a
 * 20 MB body leaves 20 MB of garbage without the collector seeing a reason to come by: 40 such bodies added 25 to 30 MB to the
 * peak. A minor collection costs about 1 ms, and only bodies beyond 256 KiB come here.
 */
export function notePieceGarbage(bytes: Bytes): void {
  lying += bytes;
  if (lying < COLLECT_EVERY) return;
  lying = 0;
  collect ??= exposedCollector();
  collect({ type: "minor" });
}

/** The collector's own function, which Node hides unless it is started with a flag. */
function exposedCollector(): Collect {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof found === "function" ? (found as Collect) : () => undefined;
}
