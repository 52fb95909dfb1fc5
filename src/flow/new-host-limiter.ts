import { AdaptiveLimiter } from "./adaptive-limiter.ts";
import { AimdLimiter } from "./aimd-limiter.ts";
import type { HostLimiter, Pace } from "./host-limiter.ts";

/** How limits adapt: weir's own way, or the textbook's for comparison. */
export type LimiterPolicy = "weir" | "aimd";

export function newHostLimiter(policy: LimiterPolicy, pace: Pace): HostLimiter {
  switch (policy) {
    case "weir":
      return new AdaptiveLimiter(pace);
    case "aimd":
      return new AimdLimiter(pace);
    default:
      return policy satisfies never;
  }
}
