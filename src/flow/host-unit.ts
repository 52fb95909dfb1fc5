import type { Millis } from "../kernel/units.ts";
import type { Pacemark } from "./fair-share.ts";
import { Health } from "./health.ts";
import type { HostLimiter, Pace } from "./host-limiter.ts";
import { HostMemory } from "./host-memory.ts";
import { UnitLine, type UnitMember } from "./unit-line.ts";

/**
 * Several hosts that a target limits as one: they share limiter, gate, memory and health, and take turns. Queues, robots.txt and
 * retry budget stay each host's own. Source: spec A7.
 */
export class HostUnit<T extends UnitMember> implements Pacemark {
  readonly key: string;
  readonly limiter: HostLimiter;
  readonly memory = new HostMemory();
  readonly health = new Health();
  readonly line = new UnitLine<T>();
  fetches = 0;
  meanTime: Millis = 0;
  lastStart: Millis = 0;
  /** Hosts of it that left their turn to be resolved. */
  resolving = 0;
  #pace: Pace;

  /** @param pace of its first host. */
  constructor(key: string, newLimiter: (pace: Pace) => HostLimiter, pace: Pace) {
    this.key = key;
    this.#pace = pace;
    this.limiter = newLimiter(pace);
  }

  /** Least ceiling and largest delay that any of its hosts asked for, in this run. */
  get pace(): Pace {
    return this.#pace;
  }

  /** One of its hosts may be asked so much and so often. */
  asked(pace: Pace): void {
    const { ceiling, gap } = this.#pace;
    this.#pace = { ceiling: Math.min(ceiling, pace.ceiling), gap: Math.max(gap, pace.gap) };
    if (this.#pace.ceiling !== ceiling || this.#pace.gap !== gap) this.limiter.pace(this.#pace);
  }
}
