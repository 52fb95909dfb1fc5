import type { HostLimiter, HostSignal, Permit } from "../flow/host-limiter.ts";
import type { Millis } from "../kernel/units.ts";
import { seededRandom } from "./random.ts";
import { Target, type TargetAnswer, type TargetSpec } from "./target.ts";

/** The client's own deadline for a first byte, which ends a request that is never answered. Source: flow-control.md §8. */
const FIRST_BYTE: Millis = 15_000;

export interface ClosedLoopOptions {
  readonly seed: number;
  readonly span: Millis;
  /** What is measured begins here; refusals count from the start. */
  readonly from: Millis;
}

export interface ClosedLoopFigures {
  /** Good answers a second. */
  readonly goodput: number;
  readonly refusals: number;
  /** Most refusals of one event beyond what was in flight when it began; 0 is right. */
  readonly beyondFlight: number;
  /** Time to the answer that 95 % are below. */
  readonly p95: Millis;
  /** Most in flight at any time. */
  readonly most: number;
}

interface Flight {
  readonly permit: Permit;
  readonly startedAt: Millis;
  readonly endsAt: Millis;
  readonly answer: TargetAnswer;
}

/** One limiter before one site, with an endless backlog: everything starts that may, and nothing else is in the way. */
export function closedLoop(limiter: HostLimiter, spec: TargetSpec, { seed, span, from }: ClosedLoopOptions): ClosedLoopFigures {
  const ofLimiter = seededRandom(2 * seed);
  const ofTarget = seededRandom(2 * seed + 1);
  const target = new Target(spec);
  const flights: Flight[] = [];
  const times: Millis[] = [];
  const events = new Events();
  let most = 0;
  let now: Millis = 0;
  for (;;) {
    let at = limiter.admitAt(now);
    for (; at <= now; at = limiter.admitAt(now)) {
      const answer = target.arrive(now, ofTarget);
      flights.push({ permit: limiter.start(now, ofLimiter), startedAt: now, endsAt: now + Math.min(FIRST_BYTE, answer.after), answer });
    }
    most = Math.max(most, flights.length);
    const flight = takeFirst(flights, at);
    now = flight?.endsAt ?? at;
    if (now >= span) break;
    if (flight === null) continue;
    const { permit, startedAt, answer } = flight;
    if (answer.kind === "ok") target.leave(now);
    const signal = signalOf(answer);
    if (signal.kind === "ok" && now >= from) times.push(now - startedAt);
    const { cuts, inFlight } = limiter;
    limiter.end(permit, signal, now, ofLimiter);
    if (signal.kind === "congestion") events.refused(permit, limiter.cuts > cuts ? inFlight : null, now);
  }
  times.sort((a, b) => a - b);
  const p95 = times.at(Math.floor(0.95 * times.length)) ?? 0;
  return { goodput: times.length / ((span - from) / 1_000), refusals: events.refusals, beyondFlight: events.beyond, p95, most };
}

/** Refusals by event: those of requests that were in flight when it began. */
class Events {
  refusals = 0;
  beyond = 0;
  #of = 0;
  #inFlight = 0;
  #since: Millis = 0;

  refused(permit: Permit, newEventWith: number | null, now: Millis): void {
    this.refusals += 1;
    if (newEventWith !== null) {
      this.#of = 0;
      this.#inFlight = newEventWith;
      this.#since = now;
    }
    // Probes of the gate come one at a time, after those.
    if (permit.at <= this.#since) this.#of += 1;
    this.beyond = Math.max(this.beyond, this.#of - this.#inFlight);
  }
}

/** Takes out the flight that ends first, if it ends by then. */
function takeFirst(flights: Flight[], by: Millis): Flight | null {
  let first = 0;
  for (let i = 1; i < flights.length; i++) if (flights[i].endsAt < flights[first].endsAt) first = i;
  if (flights.length === 0 || flights[first].endsAt > by) return null;
  const flight = flights[first];
  const last = flights.pop();
  if (last !== undefined && last !== flight) flights[first] = last;
  return flight;
}

function signalOf(answer: TargetAnswer): HostSignal {
  if (answer.after > FIRST_BYTE) return { kind: "congestion", cause: "timeout", retryAfter: null };
  switch (answer.kind) {
    case "ok":
      return { kind: "ok", ttfb: answer.after };
    case 429:
    case 503:
      return { kind: "congestion", cause: "throttle", retryAfter: answer.retryAfter };
    case 403:
    case "challenge":
      return { kind: "congestion", cause: "block", retryAfter: null };
    case "timeout":
      return { kind: "congestion", cause: "timeout", retryAfter: null };
    case "reset":
      return { kind: "congestion", cause: "reset", retryAfter: null };
    case "failed":
      return { kind: "neutral" };
    default:
      return answer satisfies never;
  }
}
