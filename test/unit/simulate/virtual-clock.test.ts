import fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../../../src/simulate/virtual-clock.ts";
import { turn } from "../../fixtures/turn.ts";

test("time stands still until it is told to pass, and then fires what falls into the span, in order", async () => {
  const clock = new VirtualClock(turn, 1_000);
  const fired: string[] = [];
  for (const [delay, name] of [
    [30, "c"],
    [10, "a"],
    [20, "b"],
    [10, "a2"],
    [31, "late"],
  ] as const)
    clock.after(delay, () => fired.push(`${name} ${clock.now()}`));
  await clock.advance(0);
  expect([clock.now(), clock.epoch(), fired.length]).toEqual([0, 1_000, 0]);
  await clock.advance(30);
  expect(fired).toEqual(["a 10", "a2 10", "b 20", "c 30"]);
  expect([clock.now(), clock.epoch(), clock.waiting]).toEqual([30, 1_030, 1]);
});

test("promises settle between two instants, however long their chain", async () => {
  const clock = new VirtualClock(turn);
  const seen: string[] = [];
  clock.after(10, async () => {
    for (let step = 0; step < 500; step++) await Promise.resolve();
    seen.push(`chain ${clock.now()}`);
    clock.after(5, () => seen.push(`set by it ${clock.now()}`));
  });
  clock.after(16, () => seen.push(`next ${clock.now()}`));
  await clock.advance(20);
  expect(seen).toEqual(["chain 10", "set by it 15", "next 16"]);
});

test("a cancelled timer does not fire, and cancelling late or twice does nothing", async () => {
  const clock = new VirtualClock(turn);
  let fired = 0;
  const cancels = Array.from({ length: 3_000 }, (_, index) => clock.after(index, () => fired++));
  for (const cancel of cancels.slice(1)) {
    cancel();
    cancel();
  }
  expect(clock.waiting).toBe(1);
  await clock.advance(5_000);
  cancels[0]();
  expect([fired, clock.fired, clock.waiting]).toEqual([1, 1, 0]);
});

test("a timer may cancel another of the same instant", async () => {
  const clock = new VirtualClock(turn);
  let fired = 0;
  const cancels: (() => void)[] = [];
  clock.after(5, () => cancels[0]());
  cancels.push(clock.after(5, () => fired++));
  await clock.advance(10);
  expect(fired).toBe(0);
});

test("runs until a promise has settled, and says so when it never would", async () => {
  const clock = new VirtualClock(turn);
  const later = new Promise<string>((resolve) => clock.after(3_600_000, () => resolve("done")));
  expect(await clock.run(later, 4_000_000)).toBe("done");
  expect(clock.now()).toBe(3_600_000);
  await expect(clock.run(new Promise(() => undefined), 10)).rejects.toThrow(/Nothing would ever happen/);
  clock.after(100, () => undefined);
  await expect(clock.run(new Promise(() => undefined), 50)).rejects.toThrow(/Not over/);
  await expect(clock.run(Promise.reject(new Error("own")), 50)).rejects.toThrow("own");
});

test("timers fire by instant and then by order of setting, under any cancellations", async () => {
  const timer = fc.record({ delay: fc.nat({ max: 40 }), cancelled: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(timer, { maxLength: 60 }), async (timers) => {
      const clock = new VirtualClock(turn);
      const fired: number[] = [];
      const cancels = timers.map(({ delay }, index) => clock.after(delay, () => fired.push(index)));
      timers.forEach(({ cancelled }, index) => {
        if (cancelled) cancels[index]();
      });
      await clock.advance(40);
      const kept = timers.map((one, index) => ({ ...one, index })).filter((one) => !one.cancelled);
      expect(fired).toEqual(kept.sort((a, b) => a.delay - b.delay).map((one) => one.index));
    }),
    { numRuns: 50 },
  );
});
