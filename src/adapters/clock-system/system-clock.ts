import type { EpochMillis, Millis } from "../../kernel/units.ts";
import type { CancelTimer, Clock } from "../../ports/clock.ts";

/** A Node timer beyond 2^31 ms fires at once: longer waits are split. */
const LONGEST_TIMER: Millis = 2_000_000_000;

/** Time of this machine. Pacing uses the monotonic clock, so a step of the wall clock moves nothing. */
export class SystemClock implements Clock {
  now(): Millis {
    return performance.now();
  }

  epoch(): EpochMillis {
    return Date.now();
  }

  after(delay: Millis, run: () => void): CancelTimer {
    let timer: NodeJS.Timeout;
    const arm = (left: Millis): void => {
      timer = left > LONGEST_TIMER ? setTimeout(() => arm(left - LONGEST_TIMER), LONGEST_TIMER) : setTimeout(run, Math.max(0, left));
    };
    arm(delay);
    return () => clearTimeout(timer);
  }
}

/** Chance of this machine. */
export const systemRandom = (): number => Math.random();
