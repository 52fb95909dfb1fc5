import type { Clock } from "../ports/clock.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import { serverHint } from "../stages/fetch/server-hint.ts";
import type { Errand } from "./errand.ts";

/** Tells the host's limiter what its server says in advance of its own limits. */
export function heedHint(errand: Errand, result: FetchResult, clock: Clock): void {
  if (result.kind !== "response") return;
  const hint = serverHint(result.headers, clock.epoch());
  if (hint !== null) errand.host.limiter.hint(hint, clock.now());
}
