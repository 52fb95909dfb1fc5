import type { Pipeline } from "../pipeline/pipeline.ts";
import type { Crashes } from "../pipeline/suspects.ts";
import type { Clock } from "../ports/clock.ts";
import type { ScanRow, Store } from "../ports/store.ts";
import { countCrash } from "./crash-count.ts";
import { movedSeeds } from "./pass.ts";
import type { RunStart } from "./pipeline-options.ts";

export interface StartUpDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly crashes: Crashes;
}

/**
 * Brings what the store holds into memory: hosts as they were left, the scope as far as seeds have widened it, every URL.
 * @param onRow is called for each URL read.
 * @returns how many seeds were found to lead elsewhere so far.
 */
export async function loadStore(pipeline: Pipeline, start: RunStart, deps: StartUpDeps, onRow: () => void): Promise<number> {
  const { store, clock, signal, crashes } = deps;
  await loadHosts(pipeline, store, clock);
  const moved = await movedSeeds(store, start.pass);
  for (const url of moved) start.admission.seedMoved(url);
  const { number, foreign } = start.pass;
  const now = clock.now();
  const epoch = clock.epoch();
  await store.scan((row) => {
    onRow();
    if (row.id < foreign || row.skip === "depth") judgeAgain(pipeline, start, row);
    const crashed = crashes.suspects.has(row.id) || crashes.givenUp.has(row.id);
    if (crashed && row.skip === null && row.pass < number) countCrash(pipeline, row, epoch);
    pipeline.load(row, row.pass < number, epoch, now);
  }, signal);
  return moved.length;
}

async function loadHosts(pipeline: Pipeline, store: Store, clock: Clock): Promise<void> {
  const rows = await store.hosts();
  for (const row of rows) pipeline.frontier.loadHost(row.id, row.key);
  for (const row of rows) {
    if (row.limiter === null && row.robots === null) continue;
    const host = pipeline.frontier.hostById(row.id);
    if (row.limiter !== null) pipeline.restoreHost(host, row.limiter, row.gateUntil);
    if (row.robots !== null) host.robots.restore(row.robots, clock.epoch());
    host.asked(pipeline.options.paceOf(row.key));
  }
}

/** Limits may differ from run to run, and after another crawl's pass so may everything that decides what belongs to this one. */
function judgeAgain(pipeline: Pipeline, { admission, pass }: RunStart, row: ScanRow): void {
  const outside = row.id < pass.foreign ? admission.judgeKnown(row.url) : null;
  if (row.skip === "depth" || row.skip === "scope" || row.skip === "excluded") {
    const skip = outside ?? (admission.withinDepth(row.depth) ? null : "depth");
    if (skip !== row.skip) pipeline.storeStage.revise(row.id, row.depth, skip);
    row.skip = skip;
  } else if (row.skip === null && row.pass < pass.number) row.skip = outside; // not in this pass; its good copy stays in the store
}
