import { describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../../../src/kernel/errors.ts";
import type { StoreBatch } from "../../../../src/ports/store.ts";
import { MemoryStore } from "../../../../src/simulate/memory-store.ts";
import { VirtualClock } from "../../../../src/simulate/virtual-clock.ts";
import { OPEN_LEAST, StoreStage } from "../../../../src/stages/store/store-stage.ts";
import { newUrl, settlement } from "../../../contract/store.contract.ts";
import { turn } from "../../../fixtures/turn.ts";

/** A store whose commits can be held or refused. */
class MoodyStore extends MemoryStore {
  readonly batches: StoreBatch[] = [];
  error: Error | null = null;
  held: (() => void)[] | null = null;

  override async commit(batch: StoreBatch): Promise<readonly number[]> {
    this.batches.push(batch);
    const { error, held } = this;
    if (error !== null) throw error;
    if (held !== null) await new Promise<void>((resolve) => held.push(resolve));
    return super.commit(batch);
  }
}

function setting(known = 0) {
  const clock = new VirtualClock(turn);
  const store = new MoodyStore();
  const committed: number[] = [];
  const troubles: string[] = [];
  const ends: unknown[] = [];
  const stage = new StoreStage(
    {
      store,
      clock,
      inFlight: () => [42],
      onCommitted: (seq) => committed.push(seq),
      onTrouble: (error) => troubles.push(error.code),
      onGivenUp: (error) => ends.push(error),
    },
    0,
    known,
  );
  const settle = (id: number): void => stage.settle(settlement(stage.nextSeq(), id));
  return { clock, store, stage, settle, committed, troubles, ends };
}

const FULL = new StoreUnavailable("WEIR_STORE_FULL", "no room");

describe("a batch", () => {
  test("is committed 50 ms after its first entry, with everything in it and the journal", async () => {
    const { clock, store, stage, settle, committed } = setting();
    stage.addHost({ id: 0, key: "a.example", shard: 1 });
    stage.addUrl(newUrl(0));
    await clock.advance(30);
    settle(0);
    stage.meta("state", "x");
    await clock.advance(19);
    expect(store.batches.length).toBe(0);
    await clock.advance(1);
    expect(store.batches.length).toBe(1);
    expect(store.batches[0]).toMatchObject({
      urls: [{ id: 0 }],
      hosts: [{ id: 0 }],
      settlements: [{ id: 0, seq: 1 }],
      meta: [["state", "x"]],
      inFlight: [42],
    });
    expect(committed).toEqual([1]);
    expect(await store.meta("state")).toBe("x");
  });

  test("of 1,000 settlements does not wait", async () => {
    const { clock, store, settle } = setting(1_000);
    for (let id = 0; id < 1_000; id++) settle(id);
    await clock.advance(0);
    expect(store.batches.map((batch) => batch.settlements.length)).toEqual([1_000]);
  });

  test("of half its bound does not wait", async () => {
    const { clock, store, stage, settle } = setting(1_000);
    stage.bound = OPEN_LEAST;
    for (let id = 0; id < OPEN_LEAST.items / 2; id++) settle(id);
    await clock.advance(0);
    expect(store.batches.map((batch) => batch.settlements.length)).toEqual([OPEN_LEAST.items / 2]);
  });

  test.each([
    { when: "before its first age", asked: 20, committed: 50 },
    { when: "after it", asked: 80, committed: 80 },
  ])("that fills fast is committed at $committed ms when asked to hurry $when", async ({ asked, committed }) => {
    const { clock, store, stage, settle } = setting(300);
    for (let id = 0; id < 300; id++) settle(id);
    await clock.advance(asked);
    stage.hurry();
    await clock.advance(Math.max(0, committed - asked - 1));
    expect(store.batches.length).toBe(committed === asked ? 1 : 0);
    await clock.advance(1);
    expect(store.batches.length).toBe(1);
  });

  test("that fills fast waits for 400 ms, and no longer though nothing more comes", async () => {
    const { clock, store, settle } = setting(300);
    for (let id = 0; id < 300; id++) settle(id);
    await clock.advance(399);
    expect(store.batches.length).toBe(0);
    await clock.advance(1);
    expect(store.batches.map((batch) => batch.settlements.length)).toEqual([300]);
  });

  test("fills while another is on its way, and one at a time is on its way", async () => {
    const { clock, store, stage, settle, committed } = setting(10);
    store.held = [];
    settle(0);
    await clock.advance(50);
    settle(1);
    settle(2);
    await clock.advance(1_000);
    expect([store.batches.length, stage.depth]).toEqual([1, 3]);
    store.held.shift()?.();
    await clock.advance(50);
    expect(store.batches.map((batch) => batch.settlements.map((one) => one.seq))).toEqual([[1], [2, 3]]);
    store.held.shift()?.();
    await clock.advance(0);
    expect(committed).toEqual([1, 3]);
  });

  test("keeps the last word on a URL and a host, and the robots.txt of an earlier one", async () => {
    const { clock, store, stage } = setting();
    stage.revise(3, 2, "nofollow");
    stage.revise(3, 1, null);
    stage.hostState({ id: 1, limiter: null, gateUntil: 5, robots: "rules" });
    stage.hostState({ id: 1, limiter: null, gateUntil: 9, robots: null });
    await clock.advance(50);
    expect(store.batches[0].revised).toEqual([{ id: 3, depth: 1, skip: null }]);
    expect(store.batches[0].hostStates).toEqual([{ id: 1, limiter: null, gateUntil: 9, robots: "rules" }]);
  });

  test("is not made of nothing", async () => {
    const { clock, store, stage } = setting();
    await stage.committed();
    await clock.advance(10_000);
    expect(store.batches.length).toBe(0);
  });
});

describe("room", () => {
  test("ends at 2,000 open rows and comes back with the next batch", async () => {
    const { clock, store, stage, settle } = setting(10_000);
    store.held = [];
    settle(0);
    await clock.advance(50);
    for (let id = 1; id < 2_000; id++) settle(id);
    expect(stage.hasRoom).toBe(true);
    settle(2_000);
    expect(stage.hasRoom).toBe(false);
    store.held.shift()?.();
    await clock.advance(0);
    expect(stage.hasRoom).toBe(true);
  });

  test("ends at 16 MiB of open texts, too", () => {
    const { stage } = setting();
    const long = `https://a.example/${"x".repeat(1_982)}`;
    let id = 0;
    while (stage.hasRoom && id < 20_000) stage.addUrl(newUrl(id++, { url: long }));
    expect(id).toBeGreaterThan(8_000);
    expect(id).toBeLessThan(8_500);
  });
});

describe("a store that refuses", () => {
  test("gets the same batch again each second, and nothing new is started meanwhile", async () => {
    const { clock, store, stage, settle, committed, troubles, ends } = setting(10);
    store.error = FULL;
    settle(0);
    await clock.advance(50);
    expect([stage.hasRoom, stage.troubled]).toEqual([false, true]);
    settle(1);
    await clock.advance(5_000);
    expect(store.batches.length).toBe(6);
    for (const batch of store.batches) expect(batch.settlements.map((one) => one.id)).toEqual([0]);
    expect(troubles, "said once").toEqual(["WEIR_STORE_FULL"]);
    store.error = null;
    await clock.advance(1_100);
    expect(store.batches.slice(6).map((batch) => batch.settlements.map((one) => one.id))).toEqual([[0], [1]]);
    expect([stage.hasRoom, stage.troubled, committed, ends]).toEqual([true, false, [1, 2], []]);
  });

  test("is given up after 90 s, and whoever waits for it is told", async () => {
    const { clock, store, stage, settle, ends } = setting(10);
    store.error = FULL;
    settle(0);
    const waiting = stage.committed().catch((error: unknown) => error);
    await clock.advance(89_900);
    expect(ends).toEqual([]);
    await clock.advance(200);
    expect(ends).toEqual([FULL]);
    expect(await waiting).toBe(FULL);
    await expect(stage.committed()).rejects.toMatchObject({ code: "WEIR_STORE_FAILED" });
    const before = store.batches.length;
    settle(1);
    await clock.advance(60_000);
    expect(store.batches.length).toBe(before);
  });

  test.each(["WEIR_STORE_IN_USE", "WEIR_STORE_INVALID", "WEIR_STORE_NEWER"] as const)("for good (%s) is given up at once", async (code) => {
    const { clock, store, settle, ends, troubles } = setting(10);
    store.error = new StoreUnavailable(code, "no");
    settle(0);
    await clock.advance(50);
    expect([ends.length, troubles.length]).toEqual([1, 0]);
  });

  test("when it is read holds the starts until a batch goes through, even when there is nothing to commit", async () => {
    const { clock, store, stage, committed, troubles } = setting(10);
    stage.readFailed(FULL);
    stage.readFailed(FULL);
    expect(stage.hasRoom).toBe(false);
    await clock.advance(1_000);
    expect([stage.hasRoom, store.batches.length, committed, troubles]).toEqual([true, 1, [0], ["WEIR_STORE_FULL"]]);
  });

  test("whenever it is read is given up after 90 s, though its commits work", async () => {
    const { clock, stage, ends } = setting(10);
    for (let second = 0; second < 100 && ends.length === 0; second++) {
      stage.readFailed(FULL);
      await clock.advance(1_000);
    }
    expect(ends).toEqual([FULL]);
    expect(clock.now()).toBeLessThanOrEqual(92_000);
  });
});

describe("waiting for a commit", () => {
  test("begins it at once, and ends when all that was added before is durable", async () => {
    const { clock, store, stage, settle } = setting(10);
    store.held = [];
    settle(0);
    const done: string[] = [];
    void stage.committed().then(() => done.push("first"));
    expect(store.batches.length).toBe(1);
    void stage.committed().then(() => done.push("the same"));
    settle(1);
    void stage.committed().then(() => done.push("second"));
    await turn();
    expect(done).toEqual([]);
    store.held.shift()?.();
    await turn();
    expect(done).toEqual(["first", "the same"]);
    expect(store.batches.length, "the next follows at once").toBe(2);
    store.held.shift()?.();
    await turn();
    expect(done).toEqual(["first", "the same", "second"]);
    await clock.advance(1_000);
    expect(store.batches.length).toBe(2);
  });

  test("is needed for URLs that are new, or whose retry is not stored yet", async () => {
    const { clock, stage } = setting(5);
    stage.addHost({ id: 0, key: "a.example", shard: 0 });
    stage.addUrl(newUrl(5));
    stage.reschedule({ id: 2, token: 0, attempts: 1, delay: 1, dueAt: 9, code: "timeout" });
    expect([4, 5, 2].map((id) => stage.isPending(id))).toEqual([false, true, true]);
    await clock.advance(50);
    expect([4, 5, 2].map((id) => stage.isPending(id))).toEqual([false, false, false]);
  });
});
