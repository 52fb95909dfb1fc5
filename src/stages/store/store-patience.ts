import { StoreUnavailable } from "../../kernel/errors.ts";
import type { Millis } from "../../kernel/units.ts";

/**
 * A store that refuses is asked again after this, and given up after that long. A stall of a minute (another program's lock, a
 * disk being cleared) passes without an end. Source: flow-control.md §6 (3, 36), and half as long again.
 */
export const STORE_RETRY_EVERY: Millis = 1_000;
export const STORE_RETRY_FOR: Millis = 90_000;

/** Refusals that may pass by themselves: no room, an I/O error. A lost lock or a damaged file stays what it is. */
export function isPassing(error: unknown): error is StoreUnavailable {
  return error instanceof StoreUnavailable && (error.code === "WEIR_STORE_FULL" || error.code === "WEIR_STORE_FAILED");
}
