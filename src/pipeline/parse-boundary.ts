import { CreditPool } from "../flow/credit-pool.ts";
import type { Bytes } from "../kernel/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { StoreStage } from "../stages/store/store-stage.ts";
import { BYTES_CHARGED } from "./errand.ts";
import { FlowBounds, firstBound, PARSE_WAIT } from "./flow-bounds.ts";
import { HEAVY_BODY, ParseAdmission } from "./parse-admission.ts";

/** What stands between fetch and parse: the credits, who is admitted to them, and their bounds. */
export interface ParseBoundary {
  readonly credits: CreditPool;
  readonly bounds: FlowBounds;
  readonly admission: ParseAdmission;
}

export function openParseBoundary(
  deps: { readonly clock: Clock; readonly store: StoreStage; readonly onRelaxed: () => void },
  options: { readonly parseItems: number; readonly parseBytes: Bytes; readonly maxBody: Bytes; readonly concurrency: number },
): ParseBoundary {
  const credits = new CreditPool(firstBound(options.parseItems, options.parseBytes), HEAVY_BODY * BYTES_CHARGED);
  const bounds = new FlowBounds({ ...deps, pool: credits }, options);
  return { credits, bounds, admission: new ParseAdmission(credits, bounds.heavy, PARSE_WAIT) };
}
