import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { OUTCOMES, SKIP_REASONS } from "../../src/kernel/outcome.ts";
import type { Store, StoreBatch } from "../../src/ports/store.ts";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import { batch, newUrl, retry, scanned, settlement, storedPage } from "./store.contract.ts";

/** One thing that happens to one of sixty URLs; the right token or a stale one is chosen when it is applied. */
const happening = fc.record({
  id: fc.nat(59),
  what: fc.constantFrom("page", "visit", "retry", "revise"),
  stale: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  outcome: fc.constantFrom(...OUTCOMES),
  skip: fc.constantFrom(null, ...SKIP_REASONS),
  pass: fc.integer({ min: 1, max: 3 }),
  text: fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\0")),
  number: fc.nat(200),
});
const history = fc.array(fc.record({ urls: fc.nat(25), items: fc.array(happening, { maxLength: 45 }), cursor: fc.nat(100) }), {
  maxLength: 6,
});

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

async function everything(store: Store) {
  const ids = Array.from({ length: 62 }, (_, id) => id);
  return {
    scan: await scanned(store),
    settled: await store.settledAfter(0, 1000),
    second: await store.settledAfter(7, 3, 2),
    pages: await store.current("pages", -1, 1000),
    skipped: await store.current("skipped", 4, 20),
    failed: await store.current("failed", -1, 1000),
    totals: [await store.totals(1), await store.totals(2), await store.totals(3)],
    visits: await store.visitRows(ids),
    texts: store.urlTexts(ids),
    last: [await store.lastSeq(), await store.cursor("c"), await store.inFlight(), await store.meta("m")],
  };
}

test("both stores tell the same of any history, and SQLite also after a new start", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), "weir-store-"));
      let sqlite: Store = SqliteStore.open(join(folder, "weir.db"));
      const memory = new MemoryStore();
      try {
        let known = 0;
        let seq = 0;
        for (const { urls, items, cursor } of steps) {
          const first = known;
          known = Math.min(60, known + urls);
          const tokens = new Map((await memory.visitRows(items.map(({ id }) => id))).map(({ id, token }) => [id, token]));
          const parts = toBatch(items, known, tokens, () => ++seq);
          const next = batch({
            ...parts,
            hosts: first === 0 && known > 0 ? [{ id: 0, key: "a.example", shard: 3 }] : [],
            urls: Array.from({ length: known - first }, (_, k) => newUrl(first + k, { skip: (first + k) % 9 === 0 ? "trap" : null })),
          });
          // Which ids were refused is the contract, not in which order.
          expect([...(await sqlite.commit(next))].sort()).toEqual([...(await memory.commit(next))].sort());
          for (const store of [sqlite, memory]) await store.advance("c", cursor);
        }
        const expected = await everything(memory);
        expect(await everything(sqlite)).toEqual(expected);
        await sqlite.close();
        sqlite = SqliteStore.open(join(folder, "weir.db"));
        expect(await everything(sqlite)).toEqual(expected);
        for (const which of [
          { host: null, code: steps[0]?.items[0]?.text ?? "x", pass: null },
          { host: "a.example", code: null, pass: 2 },
          { host: "a.example", code: null, pass: null },
        ])
          expect(await sqlite.requeue(which, 1, 3)).toEqual(await memory.requeue(which, 1, 3));
        expect(await everything(sqlite)).toEqual(await everything(memory));
      } finally {
        await sqlite.close();
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: 40 },
  );
});

function toBatch(items: readonly Happening[], known: number, tokens: Map<number, number>, seq: () => number): Partial<StoreBatch> {
  const settlements = [];
  const rescheduled = [];
  const revised = [];
  for (const { id, what, stale, outcome, skip, pass, text, number } of items) {
    if (id >= known) continue;
    const current = tokens.get(id) ?? 0;
    const token = stale ? (current === 0 ? 3 : current - 1) : current;
    if (!stale && what !== "revise") tokens.set(id, current + 1);
    if (what === "revise") revised.push({ id, depth: number, skip });
    else if (what === "retry") rescheduled.push(retry(id, token, { attempts: number, code: text }));
    else {
      const code = outcome === "skipped" ? (skip ?? "robots") : text;
      const copy = { title: text, textHashVersion: number, textHash: new Uint8Array(12).fill(number), marks: number % 2 ? [text] : [] };
      const page = what === "page" ? storedPage(copy) : null;
      const changed = [null, true, false][number % 3];
      const more = { duplicateOf: number % 5 === 0 ? number : null, extra: number % 4 === 0 ? JSON.stringify(text) : null };
      settlements.push(settlement(seq(), id, { token, pass, outcome, code, page, changed, ...more }));
    }
  }
  return { settlements, rescheduled, revised, inFlight: items.map(({ id }) => id), meta: [["m", String(items.length)]] };
}
