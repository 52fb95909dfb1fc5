/**
 * Quantities carry their unit in their type. They are plain numbers at run time; the aliases are for the reader and for
 * the signatures, and a name never mixes two of them.
 */

/** Milliseconds on a monotonic clock, or a span of them. */
export type Millis = number;
/** Milliseconds since 1970-01-01 UTC, wall clock. Only for what is stored or shown, never for pacing. */
export type EpochMillis = number;
/** Bytes. */
export type Bytes = number;

/** Dense, sequential number of a known URL in one store, from 0. It is the row id in the store plus nothing: the same number. */
export type UrlId = number;
/** Dense, sequential number of a host (an authority) in one store, from 0. */
export type HostId = number;
/** Delivery number of a settled URL, from 1, increasing in commit order. */
export type Seq = number;
