import type { Millis } from "../kernel/units.ts";
import type { LoopLag } from "../ports/loop-lag.ts";

/** A loop that turns on time but for the stalls it is given; without any, one that never stalls. */
export class ScriptedLag implements LoopLag {
  readonly #stalls: readonly { readonly from: Millis; readonly to: Millis }[];

  constructor(stalls: readonly { readonly from: Millis; readonly to: Millis }[] = []) {
    this.#stalls = stalls;
  }

  delayed(now: Millis): Millis {
    return this.stalled(now);
  }

  stalled(now: Millis): Millis {
    let sum = 0;
    for (const { from, to } of this.#stalls) if (now > from) sum += Math.min(now, to) - from;
    return sum;
  }
}
