import type { Bytes, Millis } from "../kernel/units.ts";

/** Deadlines of a route's own, as `adapters/fetch-direct` has them. */
export interface RouteLimits {
  readonly connectTimeout: Millis;
  readonly tlsTimeout: Millis;
  readonly dnsTimeout: Millis;
  readonly firstByteTimeout: Millis;
  readonly leastRate: { readonly bytesPerSecond: Bytes; readonly window: Millis; readonly grace: Millis };
}
