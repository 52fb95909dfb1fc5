import { FIXED } from "../../config/fixed.ts";
import type { Millis } from "../../kernel/units.ts";
import type { Clock } from "../../ports/clock.ts";
import { ScriptedLane, type ScriptedParse } from "../../simulate/scripted-lane.ts";
import type { SimulatedSite } from "../../simulate/simulated-site.ts";
import type { Web } from "../../simulate/web.ts";

/**
 * The parser of a simulation: as in production only big pages go through the lane, and the others cost no virtual time. While it
 * is stopped every page goes there, and waits.
 */
export function simulatedParser(clock: Clock, web: Web, siteOf: (name: string) => SimulatedSite | undefined): ScriptedLane {
  const stops = web.faults
    .filter(({ kind }) => kind === "parser")
    .map(({ atMinutes, seconds }) => ({ from: atMinutes * 60_000, to: atMinutes * 60_000 + seconds * 1000 }));
  const stoppedUntil = (now: Millis): Millis =>
    stops.reduce((until, stop) => (until >= stop.from && until < stop.to ? stop.to : until), now);
  const { from, limit } = FIXED.parse.lane;
  return new ScriptedLane(
    clock,
    ({ url, bytes, at }: ScriptedParse) => {
      const factor = siteOf(url.slice(url.indexOf("//") + 2, url.indexOf("/", 8)))?.target.service.parseFactor ?? 1;
      const takes = bytes >= from ? (bytes / 1_000_000) * web.parser.msPerMB * factor : 0;
      const waits = stoppedUntil(at) - at;
      return takes > limit ? { kind: "too-slow", message: `not parsed within ${limit} ms`, after: waits + limit } : waits + takes;
    },
    ({ bytes, at }) => bytes >= from || stoppedUntil(at) > at,
  );
}
