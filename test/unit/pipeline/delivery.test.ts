import { describe, expect, test } from "vitest";
import { toSettledUrl } from "../../../src/app/output/settled-url.ts";
import { StoreUnavailable } from "../../../src/kernel/errors.ts";
import type { SettledUrl } from "../../../src/kernel/settled-url.ts";
import { Delivery } from "../../../src/pipeline/delivery.ts";
import type { Sink } from "../../../src/ports/sink.ts";
import type { SettledRow } from "../../../src/ports/store.ts";
import { MemoryStore } from "../../../src/simulate/memory-store.ts";
import { VirtualClock } from "../../../src/simulate/virtual-clock.ts";
import { batch, newUrl, settlement } from "../../contract/store.contract.ts";
import { turn } from "../../fixtures/turn.ts";

class TimedSink implements Sink {
  readonly lastSeq = null;
  readonly taken: number[] = [];
  readonly batches: number[] = [];
  error: Error | null = null;
  span: number;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock, span: number) {
    this.#clock = clock;
    this.span = span;
  }

  write(rows: readonly SettledUrl[]): Promise<void> {
    this.batches.push(rows.length);
    return new Promise((resolve, reject) => {
      this.#clock.after(this.span * rows.length, () => {
        if (this.error !== null) return reject(this.error);
        this.taken.push(...rows.map((row) => row.seq));
        resolve();
      });
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function setting(options: { rows: number; span: number; grain?: number; from?: number; store?: MemoryStore }) {
  const clock = new VirtualClock(turn);
  const store = options.store ?? new MemoryStore();
  const { rows, span, grain = 1_000, from = 0 } = options;
  const ids = Array.from({ length: rows }, (_, id) => id);
  await store.commit(
    batch({
      hosts: [{ id: 0, key: "a.example", shard: 0 }],
      urls: ids.map((id) => newUrl(id)),
      settlements: ids.map((id) => settlement(id + 1, id)),
    }),
  );
  const sink = new TimedSink(clock, span);
  let takes = 0;
  const delivery = new Delivery(
    {
      store,
      clock,
      sink,
      consumer: "c",
      pass: 1,
      toSettledUrl: (row: SettledRow) => toSettledUrl(row, (links) => store.urlTexts(links), { optional: [], page: "visit" }),
      onTaken: () => takes++,
    },
    { from, committed: rows, grain },
  );
  return { clock, store, sink, delivery, takes: () => takes };
}

test("brings every row once, in order, and the cursor follows what was taken", async () => {
  const { clock, store, sink, delivery, takes } = await setting({ rows: 1_000, span: 1 });
  const run = delivery.run();
  delivery.finish();
  await clock.run(run, 60_000);
  expect(sink.taken).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
  expect(await store.cursor("c")).toBe(1_000);
  expect(takes()).toBe(sink.batches.length);
  expect(Math.max(...sink.batches)).toBeLessThanOrEqual(256);
});

test("starts behind its cursor, and goes on when more is committed", async () => {
  const { clock, store, sink, delivery } = await setting({ rows: 5, span: 1, from: 3 });
  const run = delivery.run();
  await clock.advance(100);
  expect(sink.taken).toEqual([4, 5]);
  await store.commit(batch({ urls: [newUrl(5)], settlements: [settlement(6, 5)] }));
  delivery.committed(6);
  await clock.advance(100);
  expect(sink.taken).toEqual([4, 5, 6]);
  delivery.finish();
  await clock.run(run, 100);
});

test("rows of other passes are passed over", async () => {
  const store = new MemoryStore();
  await store.commit(
    batch({ hosts: [{ id: 0, key: "a.example", shard: 0 }], urls: [newUrl(0)], settlements: [settlement(1, 0, { pass: 7 })] }),
  );
  const clock = new VirtualClock(turn);
  const sink = new TimedSink(clock, 1);
  const delivery = new Delivery(
    {
      store,
      clock,
      sink,
      consumer: "c",
      pass: 1,
      toSettledUrl: () => {
        throw new Error("not this row");
      },
      onTaken: () => undefined,
    },
    { from: 0, committed: 1, grain: 1 },
  );
  const run = delivery.run();
  delivery.finish();
  await clock.run(run, 100);
  expect([sink.taken, delivery.cursor]).toEqual([[], 1]);
});

describe("the window", () => {
  test("is 50 at first, and stays there for a consumer of 5 a second", async () => {
    const { clock, delivery } = await setting({ rows: 1_000, span: 200, grain: 1 });
    expect(delivery.window).toBe(50);
    void delivery.run();
    await clock.advance(60_000);
    expect(delivery.window).toBe(50);
    delivery.stop();
  });

  test("becomes ten seconds' worth of the consumer's own pace, step by step", async () => {
    const { clock, delivery } = await setting({ rows: 3_000, span: 20, grain: 1 });
    void delivery.run();
    await clock.advance(20);
    expect(delivery.window).toBeLessThanOrEqual(63);
    await clock.advance(10_000);
    expect(delivery.window).toBe(500);
    delivery.stop();
  });

  test("is 4,096 at most, for whoever takes at once", async () => {
    const { clock, delivery } = await setting({ rows: 5_000, span: 0 });
    const run = delivery.run();
    delivery.finish();
    await clock.run(run, 1_000);
    expect(delivery.window).toBe(4_096);
  });

  test("shrinks with a consumer that slows down", async () => {
    const { clock, sink, delivery } = await setting({ rows: 5_000, span: 1, grain: 1 });
    void delivery.run();
    await clock.advance(1_000);
    expect(delivery.window).toBeGreaterThan(4_000);
    sink.span = 1_000;
    await clock.advance(60_000);
    expect(delivery.window).toBe(50);
    delivery.stop();
  });
});

describe("the cursor", () => {
  test("stands before the batch in hand until it is taken", async () => {
    const { clock, store, delivery } = await setting({ rows: 10, span: 100, grain: 1 });
    void delivery.run();
    await clock.advance(350);
    expect([delivery.cursor, await store.cursor("c")]).toEqual([3, 3]);
    delivery.stop();
    await clock.advance(1_000);
    expect(await store.cursor("c"), "the one in hand was taken, no further one").toBe(4);
  });

  test("stays before what the consumer refused, and the error comes out", async () => {
    const { clock, store, sink, delivery } = await setting({ rows: 10, span: 10, grain: 1 });
    const run = delivery.run();
    await clock.advance(35);
    sink.error = new Error("the disk is full");
    await expect(clock.run(run, 1_000)).rejects.toThrow("the disk is full");
    expect(await store.cursor("c")).toBe(3);
  });
});

test("a consumer that never comes back is left a second after the stop, and what it held counts as not taken", async () => {
  const { clock, store, sink, delivery } = await setting({ rows: 10, span: 10, grain: 1 });
  const run = delivery.run();
  await clock.advance(25);
  sink.span = 3_600_000;
  await clock.advance(5_000);
  delivery.stop();
  delivery.stop();
  await clock.run(run, 1_000);
  expect([delivery.cursor, await store.cursor("c")]).toEqual([3, 3]);
});

test("stopping ends an idle delivery, finishing ends it when all is taken", async () => {
  const idle = await setting({ rows: 0, span: 1 });
  const run = idle.delivery.run();
  await idle.clock.advance(5_000);
  idle.delivery.stop();
  await idle.clock.run(run, 10);
  const busy = await setting({ rows: 30, span: 10, grain: 1 });
  const other = busy.delivery.run();
  busy.delivery.finish();
  await busy.clock.run(other, 1_000);
  expect(busy.sink.taken.length).toBe(30);
});

describe("a store that refuses", () => {
  class Refusing extends MemoryStore {
    refusals = 0;
    override async settledAfter(after: number, limit: number, pass?: number): Promise<readonly SettledRow[]> {
      this.#refuse();
      return super.settledAfter(after, limit, pass);
    }
    override async advance(consumer: string, seq: number): Promise<void> {
      this.#refuse();
      return super.advance(consumer, seq);
    }
    #refuse(): void {
      if (this.refusals-- > 0) throw new StoreUnavailable("WEIR_STORE_FULL", "no room");
    }
  }

  test("for a while is asked again, and nothing is delivered twice or left out", async () => {
    const store = new Refusing();
    const { clock, sink, delivery } = await setting({ rows: 20, span: 1, grain: 7, store });
    const run = delivery.run();
    store.refusals = 5;
    delivery.finish();
    await clock.run(run, 60_000);
    expect(sink.taken).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test("for long ends the delivery with its error", async () => {
    const store = new Refusing();
    const { clock, delivery } = await setting({ rows: 20, span: 1, store });
    store.refusals = 1_000;
    await expect(clock.run(delivery.run(), 200_000)).rejects.toMatchObject({ code: "WEIR_STORE_FULL" });
    expect(clock.now()).toBeLessThanOrEqual(91_000);
  });
});
