import fc from "fast-check";
import { expect, test } from "vitest";
import { HostRanks, type RankedEntry } from "../../../src/flow/host-ranks.ts";

const entry = (name: string): RankedEntry & { name: string } => ({ name, heapKey: 0, heapTurn: 0, heapIndex: -1, heapRank: 0 });

test("of those that may start now the highest rank goes first, and nobody before its instant", () => {
  const ranks = new HostRanks<ReturnType<typeof entry>>();
  ranks.push(entry("low, long since"), 10, 0);
  ranks.push(entry("high, just now"), 90, 3);
  ranks.push(entry("high, later"), 200, 3);
  expect(ranks.nextKey).toBe(10);
  expect(ranks.due(5)).toBeUndefined();
  expect(ranks.due(50)?.name).toBe("low, long since");
  expect(ranks.due(100)?.name).toBe("high, just now");
});

test("an entry is in one heap only, whatever its rank becomes", () => {
  const moves = fc.array(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 100 }), fc.nat({ max: 3 })), { maxLength: 60 });
  fc.assert(
    fc.property(moves, (pushed) => {
      const ranks = new HostRanks<ReturnType<typeof entry>>();
      const entries = Array.from({ length: 5 }, (_, n) => entry(String(n)));
      const inside = new Map<RankedEntry, { key: number; rank: number }>();
      for (const [which, key, rank] of pushed) {
        ranks.push(entries[which], key, rank);
        inside.set(entries[which], { key, rank });
      }
      for (let left = inside.size; left > 0; left--) {
        const first = ranks.due(Number.POSITIVE_INFINITY);
        expect(first).toBeDefined();
        if (first === undefined) return;
        expect(inside.get(first)?.rank).toBe(Math.max(...[...inside.values()].map((one) => one.rank)));
        inside.delete(first);
        ranks.remove(first);
      }
      expect(ranks.due(Number.POSITIVE_INFINITY)).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});
