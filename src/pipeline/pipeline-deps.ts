import type { LimiterPolicy } from "../flow/new-host-limiter.ts";
import type { FingerprintSeed } from "../kernel/fingerprint.ts";
import type { Bytes, Millis, Seq } from "../kernel/units.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { Clock, Random } from "../ports/clock.ts";
import type { FetchRoute } from "../ports/fetch-route.ts";
import type { LoopLag } from "../ports/loop-lag.ts";
import type { ParseLane } from "../ports/parse-lane.ts";
import type { Store } from "../ports/store.ts";
import type { Admission } from "./admission.ts";
import type { ContinuousOptions } from "./continuous.ts";
import type { ProviderSpec } from "./provider-lane.ts";
import type { Crashes } from "./suspects.ts";
import type { UnitRule } from "./unit-rule.ts";

/** What one run is set to. */
export interface PipelineOptions {
  readonly pass: number;
  readonly seed: FingerprintSeed;
  readonly concurrency: number;
  readonly ipCeiling: number;
  readonly limiter: LimiterPolicy;
  readonly parseItems: number;
  readonly parseBytes: Bytes;
  readonly maxBody: Bytes;
  readonly timeout: Millis;
  readonly retries: number;
  readonly cookies: "none" | "chain" | "host";
  readonly obeyRobots: boolean;
  readonly productToken: string;
  readonly sitemaps: "auto" | "probe" | "off";
  readonly own: { readonly headers: readonly (readonly [string, string])[]; readonly origins: ReadonlySet<string> };
  readonly wants: { readonly text: boolean; readonly headers: boolean; readonly html: boolean };
  /** Ceiling and least gap of a host, as the person set them. */
  readonly paceOf: (host: string) => { readonly ceiling: number; readonly gap: Millis };
  /** By what hosts are limited together; absent: each by itself. */
  readonly unit?: UnitRule;
  readonly maxPages: number | null;
  /** Name of the provider that a host goes by; absent: all go by the deps' `route`. */
  readonly providerOf?: (host: string) => string;
  /** What earlier unclean ends say about URLs. */
  readonly crashes: Crashes;
  /** Settled URLs come back after their revisit interval, and the least valuable are deferred under overload. A crawl has none of it. */
  readonly continuous?: ContinuousOptions;
}

export interface PipelineDeps {
  readonly clock: Clock;
  readonly lag: LoopLag;
  readonly random: Random;
  /** The direct way. */
  readonly route: FetchRoute;
  /** Other ways, by name. */
  readonly providers?: readonly ProviderSpec[];
  readonly store: Store;
  readonly blobs: BlobStore | null;
  /** Where pages are parsed that would keep this thread too long; null: all are parsed here. */
  readonly lane: ParseLane | null;
  readonly hashBody: (body: Uint8Array) => string;
  readonly inflate: (bytes: Uint8Array, cap: Bytes) => Uint8Array | null;
  readonly admission: Admission;
  readonly onSeedMoved: (from: string, to: string) => void;
  /** Pages that may still be started for the consumer's sake. */
  readonly consumerHasRoom: (inFlight: number, lastSeq: Seq) => boolean;
  readonly onCommitted: (seq: Seq) => void;
  readonly onTurn: () => void;
  readonly warn: (message: string) => void;
  readonly onFatal: (error: unknown) => void;
}
