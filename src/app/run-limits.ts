import type { Settings } from "../config/settings.ts";
import type { Millis } from "../kernel/units.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import type { Clock } from "../ports/clock.ts";
import type { StopCause } from "./crawl-types.ts";

/** The limit of the run that is reached now, with work left; null when none is. */
export function limitReached(pipeline: Pipeline, settings: Settings, clock: Clock): StopCause | null {
  const { maxPages, maxBytes, maxWait } = settings;
  const { tally, dispatcher } = pipeline;
  if (pipeline.isIdle) return null;
  if (maxPages !== undefined && tally.pages >= maxPages) return "max-pages";
  if (maxBytes !== undefined && tally.bytesWire >= maxBytes) return "max-bytes";
  // What this machine cannot do for so long, nothing allows either.
  if (dispatcher.local !== null && clock.now() - dispatcher.local.since > maxWait) return "max-wait";
  return pipeline.isSettled && dispatcher.held === null && isTooFar(pipeline, clock, maxWait) ? "max-wait" : null;
}

/** Nothing is under way, and the next start that anything allows is further away than one waits for it. */
function isTooFar(pipeline: Pipeline, clock: Clock, maxWait: Millis): boolean {
  const next = pipeline.dispatcher.nextStartAt;
  return Number.isFinite(next) ? next - clock.now() > maxWait : pipeline.providers.isStuck(clock.epoch(), maxWait);
}
