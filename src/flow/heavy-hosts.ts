import type { Bytes } from "../kernel/units.ts";

/** Weight of the newest page in a host's share of heavy ones: the first that is heavy decides, some twenty light ones take it back. */
const WEIGHT = 1 / 8;
const HEAVY_FROM = 1 / 8;
const LIGHT_BELOW = 1 / 16;
/** Weight of the newest body in a heavy host's size, and what is reserved for the next above it. */
const SIZE_WEIGHT = 1 / 4;
const MARGIN = 1.25;

/** How heavy a host's recent pages were; kept by {@link notePage}. */
export interface Heaviness {
  /** Smoothed share of heavy pages, 0 to 1. */
  heavyShare: number;
  heavy: boolean;
  /** Smoothed size of its bodies while it is heavy. */
  bodySize: Bytes;
}

/** Takes one more page of a host. @param heavy by its size, or by what parsing it takes. */
export function notePage(host: Heaviness, bytes: Bytes, heavy: boolean): void {
  if (!heavy && host.heavyShare === 0) return;
  host.heavyShare += WEIGHT * ((heavy ? 1 : 0) - host.heavyShare);
  if (host.heavyShare >= HEAVY_FROM) {
    if (!host.heavy) host.bodySize = bytes;
    host.heavy = true;
  } else if (host.heavyShare < LIGHT_BELOW) {
    host.heavy = false;
    host.heavyShare = 0;
  }
  host.bodySize += SIZE_WEIGHT * (bytes - host.bodySize);
}

/** What the next page of a heavy host is expected to hold. */
export function expectedOf(host: Heaviness): Bytes {
  return host.bodySize * MARGIN;
}
