import { type TargetSpec, targetSpec } from "./target.ts";

/** A site, what it could give, and what a limiter must make of it. */
export interface ReferenceTarget {
  readonly name: string;
  readonly spec: TargetSpec;
  /** Good answers a second that the site allows, in the mean of the hour. */
  readonly ideal: number;
  /** Least share of `ideal` over minutes 5 to 60. */
  readonly least: number;
  /** Most that 95 % of answers may take; null where nothing queues. */
  readonly p95: number | null;
}

const usual = { ms: 300, jitter: 0.3 };
const paced = (perSecond: number, burst: number, more: object = {}): TargetSpec => targetSpec(usual, { perSecond, burst, ...more });
const queue = (workers: number, ms: number): TargetSpec => targetSpec({ ms, jitter: 0.3, workers });
const cap = (concurrent: number, more: object = {}): TargetSpec => targetSpec(usual, { concurrent, ...more });
const moving = (...levels: readonly (readonly [atMinutes: number, concurrent: number])[]): TargetSpec =>
  targetSpec(
    usual,
    { concurrent: levels[0][1] },
    levels.slice(1).map(([atMinutes, concurrent]) => ({ atMinutes, tolerance: { concurrent } })),
  );
const wave = (from: number, to: number, periodMinutes: number): TargetSpec =>
  targetSpec(usual, { concurrent: { from, to, periodMinutes } });
const target = (name: string, spec: TargetSpec, ideal: number, least: number, p95: number | null = null): ReferenceTarget => ({
  name,
  spec,
  ideal,
  least,
  p95,
});

/** The sites of flow-control.md §2, with its bars. */
export const REFERENCE_TARGETS: readonly ReferenceTarget[] = [
  target("cap 8", cap(8), 26.67, 0.92),
  target("cap 8, 4, 8", moving([0, 8], [20, 4], [40, 8]), 22.2, 0.75),
  target("1 per 10 s", paced(0.1, 1), 0.1, 0.7),
  target("1 per 10 s, Retry-After 10", paced(0.1, 1, { retryAfter: 10 }), 0.1, 0.7),
  target("2/s, burst 4", paced(2, 4), 2, 0.9),
  target("1/s, burst 5, ban 60 s", paced(1, 5, { banSeconds: 60 }), 1, 0.65),
  target("queue of 4 x 250 ms", queue(4, 250), 16, 0.92, 500),
  target("queue of 1 x 1 s", queue(1, 1_000), 1, 0.92, 2_600),
  target("cap 6, one in ten 4 s", targetSpec({ ms: 200, jitter: 0.3, slow: { share: 0.1, ms: 4_000 } }, { concurrent: 6 }), 10.34, 0.8),
  target("cap 2 to 10, 31 min", wave(2, 10, 31), 20, 0.75),
  target("no limit, 200 ms", targetSpec({ ms: 200, jitter: 0.3 }), 160, 0.92, 400),
];

/** Sites beside those, so that no constant fits the table alone. */
export const FURTHER_TARGETS: readonly ReferenceTarget[] = [
  target("cap 1", cap(1), 3.33, 0.92),
  target("cap 3", cap(3), 10, 0.92),
  target("cap 5", cap(5), 16.67, 0.92),
  target("cap 20", cap(20), 66.7, 0.92),
  target("cap 8 by 503", cap(8, { answer: 503 }), 26.67, 0.92),
  target("cap 8 by reset", cap(8, { answer: "reset" }), 26.67, 0.92),
  target("cap 8 by silence", cap(8, { answer: "timeout" }), 26.67, 0.9),
  target("cap 8 by challenge", cap(8, { answer: "challenge" }), 26.67, 0.8),
  target("cap 8, ban 60 s", cap(8, { banSeconds: 60 }), 26.67, 0.8),
  target("10/s", paced(10, 10), 10, 0.88),
  target("5/s, burst 10", paced(5, 10), 5, 0.88),
  target("5/s, burst 1", paced(5, 1), 5, 0.85),
  target("2/s, burst 1", paced(2, 1), 2, 0.88),
  target("0.5/s, burst 4", paced(0.5, 4), 0.5, 0.9),
  target("1 per 3 s", paced(1 / 3, 1), 1 / 3, 0.85),
  target("1 per 30 s", paced(1 / 30, 1), 1 / 30, 0.65),
  target("2/s by silence", paced(2, 4, { answer: "timeout" }), 2, 0.85),
  target("1/s, burst 5, ban 30 s", paced(1, 5, { banSeconds: 30 }), 1, 0.8),
  target("1/s, burst 5, ban 120 s", paced(1, 5, { banSeconds: 120 }), 1, 0.5),
  target("queue of 2 x 1 s", queue(2, 1_000), 2, 0.92, 2_000),
  target("queue of 8 x 250 ms", queue(8, 250), 32, 0.92, 500),
  target("queue of 1 x 3 s", queue(1, 3_000), 1 / 3, 0.92, 7_800),
  target("queue of 16 x 400 ms", queue(16, 400), 40, 0.92, 800),
  target("cap 6, three in ten 2 s", targetSpec({ ms: 200, jitter: 0.3, slow: { share: 0.3, ms: 2_000 } }, { concurrent: 6 }), 8.1, 0.8),
  target("cap 4 to 20, 31 min", wave(4, 20, 31), 40, 0.75),
  target("cap 2 to 10, 15 min", wave(2, 10, 15), 20, 0.6),
];
