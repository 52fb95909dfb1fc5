import type { EpochMillis, Millis } from "../kernel/units.ts";
import type { CancelTimer, Clock } from "../ports/clock.ts";

interface Timer {
  readonly at: Millis;
  /** Order of setting among timers of one instant. */
  readonly turn: number;
  run: (() => void) | null;
}

/** Cancelled timers are swept out of the heap when there are more than this, and more than half are cancelled. */
const SWEEP_FROM = 1_024;

/**
 * Time that stands still while anything is outstanding, and then jumps to the next timer. So an hour of crawling takes as long
 * as its work, and the same seed gives the same run.
 *
 * Timers of one instant fire in the order they were set. Between two instants everything that waits for a promise runs: that
 * is what `settle` is for, since no ordinary code can tell when the promise queue is empty.
 */
export class VirtualClock implements Clock {
  readonly #settle: () => Promise<unknown>;
  readonly #epochAtZero: EpochMillis;
  readonly #heap: Timer[] = [];
  #now: Millis = 0;
  #turn = 0;
  #cancelled = 0;
  #fired = 0;

  /** @param settle resolves after every promise that can settle by itself has done so: one turn of the event loop. */
  constructor(settle: () => Promise<unknown>, epochAtZero: EpochMillis = 1_750_000_000_000) {
    this.#settle = settle;
    this.#epochAtZero = epochAtZero;
  }

  now(): Millis {
    return this.#now;
  }

  epoch(): EpochMillis {
    return this.#epochAtZero + Math.floor(this.#now);
  }

  /** Timers that will fire. */
  get waiting(): number {
    return this.#heap.length - this.#cancelled;
  }
  /** Timers that have fired. */
  get fired(): number {
    return this.#fired;
  }

  after(delay: Millis, run: () => void): CancelTimer {
    const timer: Timer = { at: this.#now + Math.max(0, delay), turn: this.#turn++, run };
    this.#push(timer);
    return () => {
      if (timer.run === null) return;
      timer.run = null;
      this.#cancelled += 1;
      if (this.#cancelled > SWEEP_FROM && this.#cancelled * 2 > this.#heap.length) this.#sweep();
    };
  }

  /** Time passes and nothing runs, as when the event loop is blocked: what fell due meanwhile fires late. */
  stall(span: Millis): void {
    this.#now += span;
  }

  /** Lets `span` pass, with everything that happens in it. */
  async advance(span: Millis): Promise<void> {
    const end = this.#now + span;
    await this.#settle();
    while (this.#next() <= end) await this.#step();
    this.#now = Math.max(this.#now, end);
  }

  /**
   * Lets time pass until a promise has settled, and gives its result.
   * @param most rejects when it took longer than this, or when no timer is left that could settle it.
   */
  async run<T>(until: Promise<T>, most: Millis): Promise<T> {
    const end = this.#now + most;
    let over = false;
    const mark = (): void => {
      over = true;
    };
    until.then(mark, mark);
    await this.#settle();
    while (!over) {
      const next = this.#next();
      if (next === Number.POSITIVE_INFINITY) throw new Error(`Nothing would ever happen again after ${this.#now} ms`);
      if (next > end) throw new Error(`Not over after ${most} ms of virtual time`);
      await this.#step();
    }
    return until;
  }

  /** Fires the timers of the next instant. */
  async #step(): Promise<void> {
    this.#now = Math.max(this.#now, this.#next());
    while (this.#next() <= this.#now) {
      const run = this.#pop()?.run;
      this.#fired += 1;
      run?.();
    }
    await this.#settle();
  }

  /** Instant of the first timer that was not cancelled; `Infinity` when there is none. */
  #next(): Millis {
    while (this.#heap.length > 0 && this.#heap[0].run === null) {
      this.#pop();
      this.#cancelled -= 1;
    }
    return this.#heap.length === 0 ? Number.POSITIVE_INFINITY : this.#heap[0].at;
  }

  #sweep(): void {
    const kept = this.#heap.filter((timer) => timer.run !== null);
    this.#heap.length = 0;
    this.#cancelled = 0;
    for (const timer of kept) this.#push(timer);
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(timer, heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = timer;
  }

  /** Takes the first timer, cancelled or not. It counts as fired: cancelling it later does nothing. */
  #pop(): { run: (() => void) | null } | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined) return undefined;
    const popped = { run: top.run };
    top.run = null;
    if (heap.length === 0) return popped;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child += 1;
      if (!before(heap[child], last)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return popped;
  }
}

function before(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.turn < b.turn);
}
