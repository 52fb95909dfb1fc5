import type { Bytes } from "../kernel/units.ts";
import type { PipelineDeps } from "../pipeline/pipeline-deps.ts";
import type { ProviderSpec } from "../pipeline/provider-lane.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { Clock, Random } from "../ports/clock.ts";
import type { FetchRoute } from "../ports/fetch-route.ts";
import type { LoopLag } from "../ports/loop-lag.ts";
import type { ParseLane } from "../ports/parse-lane.ts";
import type { Store } from "../ports/store.ts";

/** What a run is given. */
export interface RunDeps {
  readonly clock: Clock;
  readonly lag: LoopLag;
  readonly random: Random;
  readonly store: Store;
  readonly route: FetchRoute;
  /** Other ways than the direct one. */
  readonly providers?: readonly ProviderSpec[];
  readonly blobs: BlobStore | null;
  readonly lane: ParseLane | null;
  readonly hashBody: PipelineDeps["hashBody"];
  readonly inflate: PipelineDeps["inflate"];
  readonly warn: (message: string) => void;
  readonly peakRss: () => Bytes;
  readonly pid: number;
  /** Closes store, route and sinks. */
  readonly close: () => Promise<void>;
}
