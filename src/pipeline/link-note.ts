import type { Via } from "../kernel/outcome.ts";

/** Ways in which a page leads to a URL, by number. */
export const LINK_VIAS: readonly Via[] = ["link", "refresh", "feed"];

/** Bits of a link's note. */
export const NOTE_VIA = 0x03;
export const NOTE_NOFOLLOW = 0x04;
/** It belongs to the page's `links`. */
export const NOTE_LISTED = 0x08;
/** An entry of an index of sitemaps. */
export const NOTE_INDEX = 0x10;
