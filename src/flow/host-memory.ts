import type { Signal } from "../kernel/signal.ts";
import type { Millis } from "../kernel/units.ts";
import type { Congestion, HostSignal } from "./host-limiter.ts";

/** A success counts towards "answered within the hour" so long. Source: flow-control.md §2. */
const SUCCESS_COUNTS: Millis = 3_600_000;
/** Answers looked back on for 403, and how many of them make a block. Source: flow-control.md §2. */
const LOOKED_BACK = 10;
const FORBIDDEN_SHARE = 3;
/** 403 one after the other that make a block of a host that has been answering. Source: guess; one alone is the page's. */
const FORBIDDEN_RUN = 2;
/** 5xx one after the other from which on they are the host's state, not a page's. Source: flow-control.md §2. */
const ERRORS_RUN = 3;
/** Least closure after a challenge, doubling with each further one up to the most. Source: flow-control.md §8; the most: guess. */
const CHALLENGE_GATE: Millis = 300_000;
const CHALLENGE_GATE_MOST: Millis = 3_600_000;

const NEUTRAL: HostSignal = { kind: "neutral" };

/** What a host last asked for less with, and when. */
export interface LastRefusal {
  readonly cause: Congestion;
  readonly at: Millis;
  /** Status or mark, for a person. */
  readonly what: string;
}

/**
 * Turns what an answer says into what the host's limiter hears, by what the host did before: the host's row of "who pays"
 * (flow-control.md §2) as one exhaustive switch. Signals of every other scope leave the host alone.
 *
 * A 403 is read like this. One among other answers is that page's refusal: no change. It is a block when at least 3 of the
 * host's last 10 answers are 403 (this one included), or when it follows another 403 directly at a host that answered well
 * within the hour: sites that turn against a crawler do so for every page from one moment on. Such a block halves twice
 * and backs off as any congestion; only a page that says what it is (a mark) closes the host for minutes, for a site with a members'
 * area gives runs of 403 too.
 */
export class HostMemory {
  /** The last answers, newest in the lowest bit; 1 is a 403. */
  #answers = 0;
  #okAt: Millis = Number.NEGATIVE_INFINITY;
  #errors = 0;
  #challenges = 0;
  #challengedAt: Millis = Number.NEGATIVE_INFINITY;
  #lastRefusal: LastRefusal | null = null;
  #hasAnswered = false;

  /** The host has answered something, well or not. */
  get answered(): boolean {
    return this.#hasAnswered;
  }
  get lastRefusal(): LastRefusal | null {
    return this.#lastRefusal;
  }

  /** @param startedAt of the request: challenges of one moment are one event. */
  hear(signal: Signal, startedAt: Millis, now: Millis): HostSignal {
    switch (signal.kind) {
      case "ok":
        this.#answered(false);
        this.#okAt = now;
        this.#errors = 0;
        this.#challenges = 0;
        return signal;
      case "forbidden":
        return this.#forbidden(now);
      case "blocked":
        this.#answered(true);
        return this.#congestion("block", signal.mark, this.#challengeGate(startedAt, now), now);
      case "throttled":
        this.#hasAnswered = true;
        return this.#congestion("throttle", `http-${signal.status}`, signal.retryAfter, now);
      case "reset":
        return this.#congestion("reset", "reset", null, now);
      case "timeout":
        return this.#congestion("timeout", signal.phase === "connect" ? "no connection" : "no answer", null, now);
      case "dribble":
        return this.#congestion("dribble", "too slow", null, now);
      case "server-error":
        this.#hasAnswered = true;
        this.#errors += 1;
        return this.#errors < ERRORS_RUN ? NEUTRAL : this.#congestion("errors", `http-${signal.status}`, null, now);
      case "page-fault":
      case "aborted":
      case "local":
      case "provider-busy":
      case "endpoint-down":
      case "credits-exhausted":
      case "misconfigured":
        return NEUTRAL;
      default:
        return signal satisfies never;
    }
  }

  #forbidden(now: Millis): HostSignal {
    const isRun = (this.#answers & ((1 << (FORBIDDEN_RUN - 1)) - 1)) === (1 << (FORBIDDEN_RUN - 1)) - 1;
    this.#answered(true);
    const answersWell = now - this.#okAt <= SUCCESS_COUNTS;
    if ((isRun && answersWell) || ones(this.#answers) >= FORBIDDEN_SHARE) return this.#congestion("forbidden", "http-403", null, now);
    return NEUTRAL;
  }

  #answered(forbidden: boolean): void {
    this.#hasAnswered = true;
    this.#answers = ((this.#answers << 1) | (forbidden ? 1 : 0)) & ((1 << LOOKED_BACK) - 1);
  }

  /** Grows once an event, not once an answer of the same moment. */
  #challengeGate(startedAt: Millis, now: Millis): Millis {
    if (startedAt > this.#challengedAt) {
      this.#challenges += 1;
      this.#challengedAt = now;
    }
    return Math.min(CHALLENGE_GATE_MOST, CHALLENGE_GATE * 2 ** (this.#challenges - 1));
  }

  #congestion(cause: Congestion, what: string, retryAfter: Millis | null, now: Millis): HostSignal {
    this.#lastRefusal = { cause, at: now, what };
    return { kind: "congestion", cause, retryAfter };
  }
}

function ones(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
