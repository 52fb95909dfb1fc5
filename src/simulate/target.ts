import type { Bytes, Millis } from "../kernel/units.ts";
import type { Random } from "../ports/clock.ts";

/** How a site says no. `timeout`: it never answers, and the client's own deadline ends the request. */
export type RefusalKind = 429 | 503 | 403 | "challenge" | "timeout" | "reset";

/**
 * What comes instead of an answer, whatever the site would tolerate. `refused`: no connection, at once. `dead`, `tls-stall`, `silent`:
 * nothing comes while connecting, in the handshake, or after the request. `tarpit`: headers, then a byte a second. `endless`: a body
 * without end. A number: that status.
 */
export type FailureKind = "refused" | "dead" | "tls-stall" | "silent" | "reset" | "tarpit" | "endless" | "challenge" | number;

/** A level that moves between two values as a sine: it starts in the middle and rises first. */
export interface Wave {
  readonly from: number;
  readonly to: number;
  readonly periodMinutes: number;
}

/** How the site answers what it accepts. */
export interface Service {
  /** Time of one answer. */
  readonly ms: Millis;
  /** Share of `ms` by which it varies, uniform to both sides. */
  readonly jitter: number;
  /** Servers behind one queue, first come first served; 0: as many as are asked. */
  readonly workers: number;
  /** A share of answers that takes another time. */
  readonly slow: { readonly share: number; readonly ms: Millis } | null;
  /** Decoded size of a page. */
  readonly bytes: Bytes;
  /** Bytes of a body in a second; null: all at once with the headers. */
  readonly bytesPerSecond: Bytes | null;
  /** How many times as long as usual the parser takes for its pages. */
  readonly parseFactor: number;
  /** A share of requests that fails before the site looks at anything else. */
  readonly fails: { readonly share: number; readonly as: FailureKind } | null;
}

/** What the site lets pass; null: no such bound. What is beyond any of them is refused. */
export interface Tolerance {
  /** Accepted requests at once; between two whole numbers the nearer one counts. */
  readonly concurrent: number | Wave | null;
  /** Tokens a second, of which a bucket holds `burst`; each accepted request takes one. */
  readonly perSecond: number | null;
  /** null: one second's worth, at least 1. */
  readonly burst: number | null;
  /** After an excess everything is refused for so long; more of it meanwhile does not prolong this. */
  readonly banSeconds: number;
  /** Seconds, sent as Retry-After with a refusal that has headers. */
  readonly retryAfter: number | null;
  readonly answer: RefusalKind;
}

/** Fields that change at an instant; the others stay. */
export interface TargetChange {
  readonly atMinutes: number;
  readonly service?: Partial<Service>;
  readonly tolerance?: Partial<Tolerance>;
}

export interface TargetSpec {
  readonly service: Service;
  readonly tolerance: Tolerance;
  /** In order of time. */
  readonly timeline: readonly TargetChange[];
}

export type TargetAnswer =
  /** It counts as in flight until `leave`. */
  | { readonly kind: "ok"; readonly after: Millis; readonly bytes: Bytes }
  /** As a refusal takes no place. `after`: until its headers, or its end where it has none; `Infinity` where nothing comes. */
  | { readonly kind: "failed"; readonly as: FailureKind; readonly after: Millis }
  /** It takes no place: `leave` is not called for it. `after` is `Infinity` for `timeout`. */
  | { readonly kind: RefusalKind; readonly after: Millis; readonly retryAfter: Millis | null };

/** A refusal takes one round trip and no work. Source: guess; also what makes the textbook limiter's 19.5 rejects a second. */
const ROUND_TRIP: Millis = 50;

const DEFAULT_SERVICE = { jitter: 0, workers: 0, slow: null, bytes: 30_000, bytesPerSecond: null, parseFactor: 1, fails: null } as const;

export const NO_TOLERANCE: Tolerance = {
  concurrent: null,
  perSecond: null,
  burst: null,
  banSeconds: 0,
  retryAfter: null,
  answer: 429,
};

/** @param service what is known of it; `ms` must be. */
export function targetSpec(
  service: Partial<Service> & { readonly ms: Millis },
  tolerance: Partial<Tolerance> = {},
  timeline: readonly TargetChange[] = [],
): TargetSpec {
  return {
    service: { ...DEFAULT_SERVICE, ...service },
    tolerance: { ...NO_TOLERANCE, ...tolerance },
    timeline: timeline.toSorted((a, b) => a.atMinutes - b.atMinutes),
  };
}

/**
 * One site, as a model that answers from the instant a request arrives: no clock and no timer inside, so a test drives it with
 * any instants that ascend. Whoever drives it calls `leave` once for each `ok`, when its answer is complete or was given up.
 *
 * The service time of a request is drawn when it arrives; with `workers` it begins when a server is free. A client that goes
 * away frees its place in `concurrent`, not its server: the site works on.
 */
export class Target {
  readonly #spec: TargetSpec;
  /** Instant that `atMinutes` counts from. */
  readonly #zero: Millis;
  #service: Service;
  #tolerance: Tolerance;
  #changes = 0;
  #changeAt: Millis;
  #inFlight = 0;
  #tokens: number;
  #tokensAt: Millis;
  #bannedUntil = Number.NEGATIVE_INFINITY;
  /** When each server is free. */
  #free: Millis[] = [];

  constructor(spec: TargetSpec, zero: Millis = 0) {
    this.#spec = spec;
    this.#zero = zero;
    this.#service = spec.service;
    this.#tolerance = spec.tolerance;
    this.#changeAt = this.#dueAt();
    this.#tokens = burstOf(spec.tolerance);
    this.#tokensAt = zero;
    this.#hire();
  }

  get inFlight(): number {
    return this.#inFlight;
  }
  /** As of the last arrival. */
  get service(): Service {
    return this.#service;
  }

  /** How many the site lets in at once at an instant; `Infinity` without a bound. */
  concurrentAt(now: Millis): number {
    const { concurrent } = this.#tolerance;
    if (concurrent === null) return Number.POSITIVE_INFINITY;
    if (typeof concurrent === "number") return concurrent;
    const { from, to, periodMinutes } = concurrent;
    return Math.round((from + to) / 2 + ((to - from) / 2) * Math.sin((2 * Math.PI * (now - this.#zero)) / (periodMinutes * 60_000)));
  }

  arrive(now: Millis, random: Random): TargetAnswer {
    if (this.#changeAt <= now) this.#change(now);
    const { fails } = this.#service;
    if (fails !== null && random() < fails.share) return { kind: "failed", as: fails.as, after: this.#failsAfter(fails.as) };
    if (now < this.#bannedUntil) return this.#refuse();
    if (this.#isExcess(now)) {
      this.#bannedUntil = now + this.#tolerance.banSeconds * 1000;
      return this.#refuse();
    }
    this.#inFlight += 1;
    const { ms, jitter, slow, bytes } = this.#service;
    const middle = slow !== null && random() < slow.share ? slow.ms : ms;
    const time = jitter === 0 ? middle : middle * (1 + jitter * (2 * random() - 1));
    return { kind: "ok", after: this.#free.length === 0 ? time : this.#serve(now, time), bytes };
  }

  leave(_now: Millis): void {
    this.#inFlight -= 1;
  }

  /** Takes a token when nothing forbids it. */
  #isExcess(now: Millis): boolean {
    if (this.#inFlight + 1 > this.concurrentAt(now)) return true;
    const { perSecond } = this.#tolerance;
    if (perSecond === null) return false;
    this.#tokens = Math.min(burstOf(this.#tolerance), this.#tokens + ((now - this.#tokensAt) * perSecond) / 1000);
    this.#tokensAt = now;
    // What many small refills sum up to may lack the last bit.
    if (this.#tokens < 1 - 1e-9) return true;
    this.#tokens -= 1;
    return false;
  }

  #refuse(): TargetAnswer {
    const { answer, retryAfter } = this.#tolerance;
    const after = answer === "timeout" ? Number.POSITIVE_INFINITY : Math.min(ROUND_TRIP, this.#service.ms);
    return { kind: answer, after, retryAfter: retryAfter === null ? null : retryAfter * 1000 };
  }

  #failsAfter(as: FailureKind): Millis {
    if (as === "dead" || as === "tls-stall" || as === "silent") return Number.POSITIVE_INFINITY;
    return as === "refused" || as === "reset" ? Math.min(ROUND_TRIP, this.#service.ms) : this.#service.ms;
  }

  /** @returns wait for a server, and its work. */
  #serve(now: Millis, time: Millis): Millis {
    const free = this.#free;
    let first = 0;
    for (let i = 1; i < free.length; i++) if (free[i] < free[first]) first = i;
    free[first] = Math.max(now, free[first]) + time;
    return free[first] - now;
  }

  #dueAt(): Millis {
    const next = this.#spec.timeline[this.#changes];
    return next === undefined ? Number.POSITIVE_INFINITY : this.#zero + next.atMinutes * 60_000;
  }

  #change(now: Millis): void {
    while (this.#changeAt <= now) {
      const { service, tolerance } = this.#spec.timeline[this.#changes];
      this.#service = { ...this.#service, ...service };
      this.#tolerance = { ...this.#tolerance, ...tolerance };
      this.#changes += 1;
      this.#changeAt = this.#dueAt();
    }
    this.#hire();
  }

  /** Servers that are let go are those that would be free last; new ones are free at once. */
  #hire(): void {
    this.#free.sort((a, b) => a - b);
    while (this.#free.length < this.#service.workers) this.#free.push(Number.NEGATIVE_INFINITY);
    this.#free.length = this.#service.workers;
  }
}

function burstOf({ perSecond, burst }: Tolerance): number {
  return burst ?? Math.max(1, perSecond ?? 1);
}
