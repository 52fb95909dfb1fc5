import { AgeMarks } from "../flow/age-marks.ts";
import type { SettledUrl } from "../kernel/settled-url.ts";
import type { Millis, Seq } from "../kernel/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { Sink } from "../ports/sink.ts";
import type { SettledRow, Store } from "../ports/store.ts";
import { isPassing, STORE_RETRY_EVERY, STORE_RETRY_FOR } from "../stages/store/store-patience.ts";

/** Least and most pages that may wait for a consumer, and the wait tolerated: bound = measured rate × wait. Source: spec A3, flow-control.md §8. */
const WINDOW_LEAST = 50;
const WINDOW_MOST = 4_096;
const WAIT_TOLERATED: Millis = 10_000;
/** Rows read and written at a time, at most. */
const BATCH_MOST = 256;
/** A window grows by at most this at each batch. Source: flow-control.md §7. */
const GROWTH = 1.25;
/** After a stop, the batch in hand may take so long; a consumer that hangs must not keep the crawl. Source: guess. */
const STOP_GRACE: Millis = 1_000;

export interface DeliveryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly sink: Sink;
  /** Name of the cursor in the store. */
  readonly consumer: string;
  readonly pass: number;
  readonly toSettledUrl: (row: SettledRow) => SettledUrl;
  /** The consumer has taken some; there may be room again. */
  readonly onTaken: () => void;
}

/**
 * Brings settled URLs from the store to one consumer, in `seq` order, at least once. What waits for the consumer lies in the
 * store; how much may wait is its own measured rate × 10 s, between 50 and 4,096, and fetching stops at that. The cursor moves
 * only after the consumer has taken a batch. One URL at a time for a consumer with `grain` 1 (the library's loop).
 */
export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #grain: number;
  readonly #ages = new AgeMarks();
  #cursor: Seq;
  #committed: Seq;
  #window = WINDOW_LEAST;
  #wake: (() => void) | null = null;
  #finishing = false;
  #stopped = false;
  #perMilli = 0;
  #abandon: () => void = () => undefined;
  readonly #abandoned = new Promise<false>((resolve) => {
    this.#abandon = () => resolve(false);
  });

  constructor(deps: DeliveryDeps, options: { readonly from: Seq; readonly committed: Seq; readonly grain: number }) {
    this.#deps = deps;
    this.#grain = options.grain;
    this.#cursor = options.from;
    this.#committed = options.committed;
  }

  /** Pages that may wait, those in flight counted. */
  get window(): number {
    return this.#window;
  }
  get cursor(): Seq {
    return this.#cursor;
  }

  /** What waits for the consumer, how much may, and since when the oldest does. */
  pressure(now: Millis): { readonly depth: number; readonly bound: number; readonly oldestAge: Millis } {
    const depth = Math.max(0, this.#committed - this.#cursor);
    return { depth, bound: this.#window, oldestAge: this.#ages.oldest(this.#cursor, now) };
  }

  /** Rows up to here are durable. */
  committed(seq: Seq): void {
    if (seq > this.#committed) {
      this.#committed = seq;
      this.#ages.entered(seq, this.#deps.clock.now());
    }
    this.#signal();
  }

  /** Nothing more will be committed: `run` ends when all is taken. */
  finish(): void {
    this.#finishing = true;
    this.#signal();
  }

  /** The consumer is gone, or the time to drain is over: `run` ends with the batch in hand, or without it in a second. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#deps.clock.after(STOP_GRACE, this.#abandon);
    this.#signal();
  }

  /** Delivers until finished or stopped. Rejects with the sink's error; the cursor stays before what was not taken. */
  async run(): Promise<void> {
    const { store, clock, sink, consumer, pass, toSettledUrl, onTaken } = this.#deps;
    while (!this.#stopped) {
      if (this.#cursor >= this.#committed) {
        if (this.#finishing) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const most = Math.min(this.#grain, BATCH_MOST, Math.ceil(this.#window / 2));
      const rows = await this.#patiently(async () => (await store.settledAfter(this.#cursor, most, pass)).map(toSettledUrl));
      const last = rows.at(-1);
      if (last === undefined) {
        this.#cursor = this.#committed;
        continue;
      }
      const began = clock.now();
      const taken = await Promise.race([sink.write(rows).then(() => true), this.#abandoned]);
      if (!taken) return;
      await this.#patiently(() => store.advance(consumer, last.seq));
      this.#cursor = last.seq;
      this.#learn(rows.length, clock.now() - began);
      onTaken();
    }
  }

  /** A store that refuses for a while is asked again, as long as the store stage would. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    const { clock } = this.#deps;
    const began = clock.now();
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (this.#stopped || !isPassing(error) || clock.now() - began >= STORE_RETRY_FOR) throw error;
        await new Promise<void>((resolve) => clock.after(STORE_RETRY_EVERY, resolve));
      }
    }
  }

  #learn(rows: number, took: Millis): void {
    const rate = rows / Math.max(took, 0.1);
    this.#perMilli = this.#perMilli === 0 ? rate : this.#perMilli + (rate - this.#perMilli) / 8;
    const wanted = this.#perMilli * WAIT_TOLERATED;
    this.#window = Math.round(Math.min(WINDOW_MOST, Math.max(WINDOW_LEAST, Math.min(wanted, this.#window * GROWTH))));
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
