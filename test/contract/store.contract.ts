import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewUrl, Rescheduled, ScanRow, Settlement, Store, StoreBatch, StoredPage } from "../../src/ports/store.ts";

const NOTHING: StoreBatch = {
  hosts: [],
  urls: [],
  settlements: [],
  rescheduled: [],
  revised: [],
  hostStates: [],
  inFlight: [],
  meta: [],
};

export const batch = (parts: Partial<StoreBatch>): StoreBatch => ({ ...NOTHING, ...parts });

export const newUrl = (id: number, parts: Partial<NewUrl> = {}): NewUrl => ({
  id,
  url: `https://a.example/${id}`,
  host: 0,
  depth: 1,
  via: "link",
  skip: null,
  ...parts,
});

export const storedPage = (parts: Partial<StoredPage> = {}): StoredPage => ({
  contentType: "text/html",
  charset: "utf-8",
  title: "Straße — ¿qué? 漢字 🦆",
  canonical: null,
  index: true,
  follow: false,
  links: new Uint8Array([2, 2, 0, 255, 128]),
  marks: ["thin"],
  textHash: new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0]),
  textHashVersion: 3,
  etag: '"caf\u00e9"',
  lastModified: "Tue, 03 Jun 2025 10:00:00 GMT",
  bodyHash: null,
  ...parts,
});

export const settlement = (seq: number, id: number, parts: Partial<Settlement> = {}): Settlement => ({
  seq,
  id,
  token: 0,
  pass: 1,
  outcome: "new",
  code: null,
  message: null,
  status: 200,
  at: 1_790_000_000_000 + seq,
  ms: 12.5,
  bytesWire: 4000,
  bytesBody: 3000,
  provider: "direct",
  attempts: 1,
  finalUrl: null,
  redirects: [],
  duplicateOf: null,
  changed: null,
  page: null,
  extra: null,
  ...parts,
});

export const retry = (id: number, token: number, parts: Partial<Rescheduled> = {}): Rescheduled => ({
  id,
  token,
  attempts: 1,
  delay: 1_500,
  dueAt: 1_790_000_060_000,
  code: "timeout",
  ...parts,
});

const signal = () => new AbortController().signal;

export async function scanned(store: Store): Promise<ScanRow[]> {
  const rows: ScanRow[] = [];
  await store.scan((row) => {
    rows.push({ ...row, textHash: row.textHash && Uint8Array.from(row.textHash) });
  }, signal());
  return rows;
}

/** A way to open the same store again: `reopen` closes it first and may hand back the same object when nothing is durable. */
export interface Harness {
  open(): Promise<Store>;
  reopen(store: Store): Promise<Store>;
  dispose(): Promise<void>;
}

/** What every store must do; run once for each adapter. */
export function storeContract(name: string, harness: () => Promise<Harness>): void {
  describe(`the store contract, ${name}`, () => {
    let place: Harness;
    let store: Store;
    beforeEach(async () => {
      place = await harness();
      store = await place.open();
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });

    const host = { id: 0, key: "a.example", shard: 17 };
    const fill = (count: number) => store.commit(batch({ hosts: [host], urls: Array.from({ length: count }, (_, id) => newUrl(id)) }));
    const seqs = async (after: number, limit: number, pass?: number) =>
      (await store.settledAfter(after, limit, pass)).map(({ seq }) => seq);

    describe("a new store", () => {
      test("is empty in every respect", async () => {
        expect(await scanned(store)).toEqual([]);
        expect(await store.hosts()).toEqual([]);
        expect(await store.lastSeq()).toBe(0);
        expect(await store.settledAfter(0, 10)).toEqual([]);
        expect(await store.settledAfter(0, 10, 1)).toEqual([]);
        expect(await store.inFlight()).toEqual([]);
        expect(await store.cursor("file")).toBeNull();
        expect(await store.meta("pass")).toBeNull();
        expect(await store.totals(1)).toEqual({ known: 0, outcomes: {}, skips: {} });
        expect(await store.current("pages", -1, 10)).toEqual([]);
      });

      test("takes an empty batch", async () => {
        expect(await store.commit(NOTHING)).toEqual([]);
      });
    });

    describe("URLs", () => {
      test("come back from the scan in id order, as they were discovered", async () => {
        await store.commit(
          batch({
            hosts: [host],
            urls: [
              newUrl(0, { via: "seed", depth: 0 }),
              newUrl(1, { skip: "trap", depth: 9, via: "sitemap" }),
              newUrl(2, { url: "https://a.example/%C3%BC?q=%F0%9F%A6%86" }),
            ],
          }),
        );
        const rows = await scanned(store);
        const untouched = {
          pass: 0,
          outcome: null,
          attempts: 0,
          dueAt: null,
          token: 0,
          textHash: null,
          textHashVersion: 0,
          duplicateOf: null,
        };
        expect(rows).toEqual([
          { id: 0, url: "https://a.example/0", host: 0, depth: 0, via: "seed", skip: null, ...untouched },
          { id: 1, url: "https://a.example/1", host: 0, depth: 9, via: "sitemap", skip: "trap", ...untouched },
          { id: 2, url: "https://a.example/%C3%BC?q=%F0%9F%A6%86", host: 0, depth: 1, via: "link", skip: null, ...untouched },
        ]);
      });

      test("a scan of many rows misses none, and its count says so", async () => {
        await fill(2501);
        await store.commit(batch({ settlements: [settlement(1, 999), settlement(2, 1000), settlement(3, 2500)] }));
        const rows = await scanned(store);
        expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 2501 }, (_, id) => id));
        expect(rows.filter(({ token }) => token === 1).map(({ id }) => id)).toEqual([999, 1000, 2500]);
        expect(await store.scan(() => {}, signal())).toBe(2501);
      });

      test("an aborted scan ends early without an error", async () => {
        await fill(5000);
        const abort = new AbortController();
        abort.abort();
        expect(await store.scan(() => {}, abort.signal)).toBeLessThan(5000);
      });

      test("are read by id, in the order asked", async () => {
        await fill(6);
        await store.commit(batch({ settlements: [settlement(1, 4, { page: storedPage() })], rescheduled: [retry(2, 0, { attempts: 2 })] }));
        expect(store.urlTexts([5, 0, 5, 99, 3])).toEqual([
          "https://a.example/5",
          "https://a.example/0",
          "https://a.example/5",
          "",
          "https://a.example/3",
        ]);
        expect(store.urlTexts([])).toEqual([]);
        expect(await store.visitRows([4, 77, 2, 0])).toEqual([
          {
            id: 4,
            url: "https://a.example/4",
            token: 1,
            attempts: 0,
            tries: 0,
            delay: 0,
            code: null,
            depth: 1,
            via: "link",
            etag: '"caf\u00e9"',
            lastModified: "Tue, 03 Jun 2025 10:00:00 GMT",
            textHash: new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0]),
            textHashVersion: 3,
          },
          expect.objectContaining({ id: 2, token: 1, attempts: 2, etag: null, textHash: null }),
          expect.objectContaining({ id: 0, token: 0, attempts: 0, textHash: null, textHashVersion: 0 }),
        ]);
      });

      test("many texts are read in one call, cached or not", async () => {
        await fill(20_000);
        const ids = [19_999, 3_615, 0, 16_384, 16_384, 1];
        const texts = ids.map((id) => `https://a.example/${id}`);
        expect(store.urlTexts(ids)).toEqual(texts);
        expect(store.urlTexts(ids)).toEqual(texts);
        expect(store.urlTexts(Array.from({ length: 20_000 }, (_, id) => id)).at(-1)).toBe("https://a.example/19999");
      });

      test("a very long text is kept whole", async () => {
        const url = `https://a.example/${"x".repeat(8000)}`;
        await store.commit(batch({ hosts: [host], urls: [newUrl(0, { url })] }));
        expect(store.urlTexts([0, 0])).toEqual([url, url]);
      });

      test("take a revised depth and skip", async () => {
        await fill(3);
        await store.commit(
          batch({
            revised: [
              { id: 1, depth: 0, skip: "scope" },
              { id: 2, depth: 5, skip: "robots" },
            ],
          }),
        );
        await store.commit(batch({ revised: [{ id: 2, depth: 4, skip: null }] }));
        expect((await scanned(store)).map(({ depth, skip }) => [depth, skip])).toEqual([
          [1, null],
          [0, "scope"],
          [4, null],
        ]);
      });

      test("a URL discovered and revised in one batch has the revised depth", async () => {
        await store.commit(batch({ hosts: [host], urls: [newUrl(0, { depth: 7 })], revised: [{ id: 0, depth: 2, skip: null }] }));
        expect((await scanned(store))[0].depth).toBe(2);
      });
    });

    describe("tokens", () => {
      const token = async (id: number) => (await scanned(store))[id].token;

      test("grow by one with each accepted settlement and reschedule", async () => {
        await fill(1);
        expect(await store.commit(batch({ rescheduled: [retry(0, 0)] }))).toEqual([]);
        expect(await token(0)).toBe(1);
        expect(await store.commit(batch({ settlements: [settlement(1, 0, { token: 1 })] }))).toEqual([]);
        expect(await token(0)).toBe(2);
        expect(await store.commit(batch({ settlements: [settlement(2, 0, { token: 2, pass: 2, page: storedPage() })] }))).toEqual([]);
        expect(await token(0)).toBe(3);
      });

      test("a stale settlement is refused and leaves nothing behind, while the rest of its batch is stored", async () => {
        await fill(3);
        await store.commit(batch({ settlements: [settlement(1, 1, { page: storedPage({ title: "first" }) })] }));
        const refused = await store.commit(
          batch({
            settlements: [
              settlement(2, 0),
              settlement(3, 1, { token: 0, outcome: "failed", page: storedPage({ title: "late" }), extra: '{"text":"late"}' }),
              settlement(4, 2),
            ],
          }),
        );
        expect(refused).toEqual([1]);
        expect(await seqs(0, 10)).toEqual([1, 2, 4]);
        expect((await store.settledAfter(0, 1))[0]).toMatchObject({ outcome: "new", extra: null, page: { title: "first" } });
        expect((await store.totals(1)).outcomes).toEqual({ new: 3 });
        expect(await token(1)).toBe(1);
      });

      test("a token ahead of the row is as stale as one behind it", async () => {
        await fill(2);
        expect(await store.commit(batch({ settlements: [settlement(1, 0, { token: 1 })], rescheduled: [retry(1, 5)] }))).toEqual([0, 1]);
        expect(await store.lastSeq()).toBe(0);
        expect((await scanned(store)).map((row) => row.token)).toEqual([0, 0]);
      });

      test("a stale reschedule is refused", async () => {
        await fill(1);
        await store.commit(batch({ settlements: [settlement(1, 0)] }));
        expect(await store.commit(batch({ rescheduled: [retry(0, 0)] }))).toEqual([0]);
        expect((await scanned(store))[0]).toMatchObject({ token: 1, dueAt: null, outcome: "new" });
      });

      test("a late result loses to the owner that took over", async () => {
        await fill(1);
        const [slow] = await store.visitRows([0]);
        await store.commit(batch({ rescheduled: [retry(0, slow.token)] }));
        const [fast] = await store.visitRows([0]);
        expect(await store.commit(batch({ settlements: [settlement(1, 0, { token: fast.token })] }))).toEqual([]);
        expect(await store.commit(batch({ settlements: [settlement(2, 0, { token: slow.token })] }))).toEqual([0]);
      });

      test("items of one URL in one batch apply in the order of their tokens", async () => {
        await fill(4);
        const refused = await store.commit(
          batch({
            settlements: [settlement(1, 0, { token: 1 }), settlement(2, 2), settlement(4, 2, { token: 1, pass: 2, outcome: "failed" })],
            rescheduled: [retry(3, 1, { attempts: 2 }), retry(0, 0), retry(3, 0)],
          }),
        );
        expect(refused).toEqual([]);
        expect((await scanned(store)).map((row) => [row.token, row.outcome, row.attempts])).toEqual([
          [2, "new", 0],
          [0, null, 0],
          [2, "failed", 0],
          [2, null, 2],
        ]);
      });

      test("of two settlements with the same token the first wins", async () => {
        await fill(2);
        expect(await store.commit(batch({ settlements: [settlement(1, 1), settlement(2, 1, { outcome: "failed" })] }))).toEqual([1]);
        expect(await seqs(0, 10)).toEqual([1]);
      });

      test("of two settlements that the row has overtaken neither counts, and a fresh one still does", async () => {
        await fill(40);
        await store.commit(batch({ settlements: [settlement(1, 5)] }));
        const fresh = Array.from({ length: 30 }, (_, k) => settlement(10 + k, 6 + k));
        const refused = await store.commit(
          batch({ settlements: [...fresh, settlement(2, 5), settlement(3, 5, { token: 1, outcome: "failed" })] }),
        );
        expect(refused).toEqual([5]);
        expect(await seqs(0, 5)).toEqual([1, 3, 10, 11, 12]);
        expect((await scanned(store))[5]).toMatchObject({ token: 2, outcome: "failed" });
      });

      test("whatever the order of items, tokens decide as in a plain model", async () => {
        await fill(8);
        const model = Array<number>(8).fill(0);
        let seq = 0;
        const item = fc.record({ id: fc.nat(7), token: fc.nat(4), settle: fc.boolean() });
        await fc.assert(
          fc.asyncProperty(fc.array(item, { maxLength: 40 }), async (items) => {
            const numbered = items.map((one) => ({ ...one, seq: ++seq }));
            const expected: number[] = [];
            for (const one of numbered.slice().sort((a, b) => a.id - b.id || a.token - b.token)) {
              if (model[one.id] === one.token) model[one.id]++;
              else expected.push(one.id);
            }
            const refused = await store.commit(
              batch({
                settlements: numbered.filter(({ settle }) => settle).map((one) => settlement(one.seq, one.id, { token: one.token })),
                rescheduled: numbered.filter(({ settle }) => !settle).map(({ id, token: of }) => retry(id, of)),
              }),
            );
            expect(refused.slice().sort()).toEqual(expected.sort());
            expect((await scanned(store)).map((row) => row.token)).toEqual(model);
          }),
          { numRuns: 60 },
        );
      });
    });

    describe("settlements", () => {
      test("are delivered as they were committed", async () => {
        await fill(3);
        const full = settlement(1, 2, {
          outcome: "redirect",
          code: "http-301",
          message: "moved — for good",
          status: 301,
          finalUrl: "https://a.example/1",
          redirects: [
            { url: "https://a.example/2", status: 301 },
            { url: "https://a.example/x", status: 302 },
          ],
          duplicateOf: 1,
          changed: false,
          extra: '{"text":"é"}',
          attempts: 3,
          bytesWire: 5_000_000_000,
        });
        await store.commit(batch({ settlements: [full] }));
        const { page: _, token: __, ...visit } = full;
        expect(await store.settledAfter(0, 10)).toEqual([{ ...visit, url: "https://a.example/2", depth: 1, via: "link", page: null }]);
      });

      test("bring back the page they stored, byte for byte", async () => {
        await fill(2);
        const rich = storedPage({ canonical: "https://a.example/c", bodyHash: "ab".repeat(32) });
        const bare = storedPage({
          contentType: null,
          charset: null,
          title: null,
          index: false,
          follow: true,
          links: new Uint8Array(0),
          marks: [],
          etag: null,
          lastModified: null,
        });
        await store.commit(batch({ settlements: [settlement(1, 0, { page: rich }), settlement(2, 1, { page: bare })] }));
        expect((await store.settledAfter(0, 10)).map(({ page }) => page)).toEqual([rich, bare]);
      });

      test("copy what they are given: the caller may reuse its arrays", async () => {
        await fill(1);
        const links = new Uint8Array([1, 2, 3]);
        await store.commit(batch({ settlements: [settlement(1, 0, { page: storedPage({ links }) })] }));
        links.fill(9);
        expect((await store.settledAfter(0, 1))[0].page?.links).toEqual(new Uint8Array([1, 2, 3]));
      });

      test.each([null, true, false])("keep changed = %s", async (changed) => {
        await fill(1);
        await store.commit(batch({ settlements: [settlement(1, 0, { changed })] }));
        expect((await store.settledAfter(0, 1))[0].changed).toBe(changed);
      });

      test("come in seq order from behind the cursor, at most as many as asked", async () => {
        await fill(50);
        await store.commit(batch({ settlements: Array.from({ length: 40 }, (_, k) => settlement(k + 1, 49 - k)) }));
        expect(await seqs(0, 3)).toEqual([1, 2, 3]);
        expect(await seqs(3, 3)).toEqual([4, 5, 6]);
        expect(await seqs(38, 10)).toEqual([39, 40]);
        expect(await seqs(40, 10)).toEqual([]);
        expect(await store.lastSeq()).toBe(40);
      });

      test("of one pass are found among those of others, also where passes overlap", async () => {
        await fill(6);
        const pass = (seq: number, id: number, of: number) => settlement(seq, id, { pass: of });
        await store.commit(batch({ settlements: [pass(1, 0, 1), pass(2, 1, 1), pass(3, 2, 2)] }));
        await store.commit(batch({ settlements: [pass(4, 3, 1), pass(5, 4, 2), pass(6, 5, 3)] }));
        expect(await seqs(0, 10, 1)).toEqual([1, 2, 4]);
        expect(await seqs(1, 1, 1)).toEqual([2]);
        expect(await seqs(0, 10, 2)).toEqual([3, 5]);
        expect(await seqs(3, 10, 2)).toEqual([5]);
        expect(await seqs(0, 10, 3)).toEqual([6]);
        expect(await seqs(0, 10, 4)).toEqual([]);
      });

      test("a slow consumer gets an old visit's findings with the page of now", async () => {
        await fill(1);
        await store.commit(batch({ settlements: [settlement(1, 0, { page: storedPage({ title: "old" }), at: 1000 })] }));
        await store.commit(
          batch({
            settlements: [settlement(2, 0, { token: 1, pass: 2, outcome: "changed", changed: true, page: storedPage({ title: "now" }) })],
          }),
        );
        const [first, second] = await store.settledAfter(0, 10);
        expect(first).toMatchObject({ seq: 1, pass: 1, outcome: "new", changed: null, at: 1000, page: { title: "now" } });
        expect(second).toMatchObject({ seq: 2, pass: 2, outcome: "changed", changed: true, page: { title: "now" } });
      });

      test.each(["failed", "unchanged", "redirect", "skipped"] as const)(
        "one as %s without a page keeps the good copy",
        async (outcome) => {
          await fill(1);
          await store.commit(batch({ settlements: [settlement(1, 0, { page: storedPage(), duplicateOf: null })] }));
          await store.commit(batch({ settlements: [settlement(2, 0, { token: 1, pass: 2, outcome })] }));
          expect((await store.settledAfter(1, 1))[0].page).toEqual(storedPage());
          expect((await scanned(store))[0]).toMatchObject({ pass: 2, outcome, textHashVersion: 3, textHash: storedPage().textHash });
          expect(await store.visitRows([0])).toMatchObject([{ token: 2, etag: '"caf\u00e9"' }]);
        },
      );

      test("duplicateOf stays with the copy it belongs to", async () => {
        await fill(2);
        const duplicateOf = async () => (await scanned(store))[1].duplicateOf;
        await store.commit(batch({ settlements: [settlement(1, 1, { outcome: "duplicate", duplicateOf: 0, page: storedPage() })] }));
        expect(await duplicateOf()).toBe(0);
        await store.commit(batch({ settlements: [settlement(2, 1, { token: 1, outcome: "failed" })] }));
        expect(await duplicateOf()).toBe(0);
        await store.commit(batch({ settlements: [settlement(3, 1, { token: 2, outcome: "changed", page: storedPage() })] }));
        expect(await duplicateOf()).toBeNull();
      });
    });

    describe("dead letters", () => {
      beforeEach(async () => {
        await fill(7);
        const dead = (seq: number, id: number, parts: Partial<Settlement> = {}) =>
          settlement(seq, id, { outcome: "failed", code: "http-500", attempts: 4, ...parts });
        await store.commit(
          batch({
            hosts: [{ id: 1, key: "b.example:8080", shard: 2 }],
            urls: [newUrl(7, { host: 1 }), newUrl(8, { host: 1 })],
            settlements: [
              settlement(1, 0, { page: storedPage() }),
              dead(2, 1),
              dead(3, 2, { outcome: "blocked", code: "http-403", attempts: 1 }),
              dead(4, 3, { code: "timeout" }),
              settlement(5, 4, { outcome: "skipped", code: "robots" }),
              dead(6, 7),
              dead(7, 8, { pass: 2 }),
            ],
          }),
        );
      });
      const all = { host: null, code: null, pass: null };

      test("wait again as if they had never been settled, and are counted no more", async () => {
        expect(await store.requeue(all, -1, 100)).toEqual([
          { id: 1, host: 0 },
          { id: 2, host: 0 },
          { id: 3, host: 0 },
          { id: 7, host: 1 },
          { id: 8, host: 1 },
        ]);
        store = await place.reopen(store);
        expect((await scanned(store))[1]).toMatchObject({ pass: 0, outcome: null, attempts: 0, dueAt: null, token: 2 });
        expect((await store.visitRows([1]))[0]).toMatchObject({ attempts: 0, tries: 0, code: null, token: 2 });
        expect(await store.current("failed", -1, 10)).toEqual([]);
        const counts = Object.values((await store.totals(1)).outcomes);
        expect(counts.reduce((sum, count) => sum + (count ?? 0), 0)).toBe(2);
        expect(await store.requeue(all, -1, 100), "none is left").toEqual([]);
        expect(await store.settledAfter(0, 100), "what was delivered stays").toHaveLength(7);
      });

      test("are chosen by host, by code or by both, a part at a time", async () => {
        const ids = async (which: { host?: string; code?: string; pass?: number }, after = -1, limit = 100) =>
          (await store.requeue({ ...all, ...which }, after, limit)).map(({ id }) => id);
        expect(await ids({ host: "c.example" })).toEqual([]);
        expect(await ids({ code: "http-5" })).toEqual([]);
        expect(await ids({ host: "a.example", code: "http-500" })).toEqual([1]);
        expect(await ids({ code: "http-500", pass: 2 })).toEqual([8]);
        expect(await ids({ code: "http-403" })).toEqual([2]);
        expect(await ids({}, -1, 1)).toEqual([3]);
        expect(await ids({ host: "b.example:8080" })).toEqual([7]);
      });

      test("that were put back refuse what was under way before", async () => {
        await store.requeue(all, -1, 100);
        const late = batch({ settlements: [settlement(20, 1, { token: 1 })], rescheduled: [retry(2, 1)] });
        expect([...(await store.commit(late))].sort()).toEqual([1, 2]);
        expect(await store.commit(batch({ settlements: [settlement(21, 1, { token: 2, page: storedPage() })] }))).toEqual([]);
      });

      test("keep their good copy, and stay where they are when a skip stands", async () => {
        await store.commit(
          batch({
            settlements: [settlement(20, 0, { token: 1, outcome: "failed", code: "empty" })],
            revised: [{ id: 1, depth: 1, skip: "excluded" }],
          }),
        );
        expect((await store.requeue({ ...all, host: "a.example" }, -1, 100)).map(({ id }) => id)).toEqual([0, 2, 3]);
        expect((await store.visitRows([0]))[0]).toMatchObject({ etag: '"caf\u00e9"', textHashVersion: 3 });
        expect((await store.current("pages", -1, 10)).map(({ id }) => id)).toEqual([0]);
      });
    });

    describe("retries", () => {
      test("stand in the row until the URL is settled, and survive a new start", async () => {
        await fill(2);
        await store.commit(batch({ rescheduled: [retry(1, 0, { attempts: 2, dueAt: 1_790_000_123_456 })] }));
        store = await place.reopen(store);
        expect((await scanned(store))[1]).toMatchObject({ attempts: 2, dueAt: 1_790_000_123_456, token: 1, outcome: null, pass: 0 });
        await store.commit(batch({ settlements: [settlement(1, 1, { token: 1, attempts: 3 })] }));
        expect((await scanned(store))[1]).toMatchObject({ attempts: 0, dueAt: null, token: 2, outcome: "new", pass: 1 });
        expect((await store.settledAfter(0, 1))[0].attempts).toBe(3);
      });

      test("say what the next one needs: the delay drawn last, and why", async () => {
        await fill(1);
        await store.commit(batch({ rescheduled: [retry(0, 0, { delay: 2_345.5, code: "too-slow" })] }));
        expect((await store.visitRows([0]))[0]).toMatchObject({ attempts: 1, tries: 0, delay: 2_345.5, code: "too-slow" });
        await store.commit(batch({ settlements: [settlement(1, 0, { token: 1, attempts: 2, outcome: "failed", code: "http-500" })] }));
        expect((await store.visitRows([0]))[0]).toMatchObject({ attempts: 0, tries: 2, delay: 0, code: "http-500" });
      });

      test("add up over incidents until one succeeds", async () => {
        await fill(3);
        const tries = async () => (await store.visitRows([0, 1, 2])).map((row) => row.tries);
        const settled = (seq: number, token: number, parts: Partial<Settlement>) =>
          store.commit(batch({ settlements: [0, 1, 2].map((id) => settlement(3 * seq + id, id, { token, ...parts })) }));
        await settled(1, 0, { outcome: "failed", code: "http-500", attempts: 4 });
        expect(await tries()).toEqual([4, 4, 4]);
        await settled(2, 1, { outcome: "blocked", code: "http-403", attempts: 1 });
        store = await place.reopen(store);
        expect(await tries()).toEqual([5, 5, 5]);
        await store.commit(
          batch({
            settlements: [
              settlement(20, 0, { token: 2, outcome: "changed", page: storedPage() }),
              settlement(21, 1, { token: 2, outcome: "missing", code: "http-404" }),
              settlement(22, 2, { token: 2, outcome: "unchanged", status: 304 }),
            ],
          }),
        );
        expect(await tries()).toEqual([0, 0, 0]);
      });

      test("leave the good copy and the last outcome alone", async () => {
        await fill(1);
        await store.commit(batch({ settlements: [settlement(1, 0, { page: storedPage() })] }));
        await store.commit(batch({ rescheduled: [retry(0, 1)] }));
        expect((await scanned(store))[0]).toMatchObject({ outcome: "new", pass: 1, attempts: 1, token: 2, textHashVersion: 3 });
        expect(await store.current("pages", -1, 5)).toHaveLength(1);
      });
    });

    describe("a batch that contradicts the store", () => {
      test("is rejected as a bug and changes nothing", async () => {
        await fill(3);
        await store.commit(batch({ settlements: [settlement(1, 0)], inFlight: [1], meta: [["state", "before"]] }));
        const wrong = batch({
          hosts: [{ id: 1, key: "b.example", shard: 2 }],
          urls: [newUrl(3), newUrl(1, { url: "https://a.example/again" })],
          settlements: [settlement(2, 2)],
          rescheduled: [retry(1, 0)],
          revised: [{ id: 0, depth: 0, skip: "scope" }],
          hostStates: [{ id: 0, limiter: new Uint8Array([1]), gateUntil: 5, robots: "x" }],
          inFlight: [2],
          meta: [["state", "after"]],
        });
        const before = await scanned(store);
        await expect(store.commit(wrong)).rejects.toMatchObject({ code: "WEIR_BUG" });
        expect(await scanned(store)).toEqual(before);
        expect(await store.hosts()).toEqual([{ ...host, limiter: null, gateUntil: null, robots: null }]);
        expect(await store.inFlight()).toEqual([1]);
        expect(await store.meta("state")).toBe("before");
        expect(await store.lastSeq()).toBe(1);
        expect((await store.totals(1)).outcomes).toEqual({ new: 1 });

        expect(await store.commit({ ...wrong, urls: [newUrl(3)] })).toEqual([]);
        expect(await store.totals(1)).toEqual({ known: 4, outcomes: { new: 2 }, skips: { scope: 1 } });
      });

      test("is rejected for a number that was given before", async () => {
        await fill(2);
        await store.commit(batch({ settlements: [settlement(1, 0)] }));
        await expect(store.commit(batch({ settlements: [settlement(1, 1)] }))).rejects.toMatchObject({ code: "WEIR_BUG" });
        expect((await scanned(store))[1].token).toBe(0);
      });
    });

    describe("hosts", () => {
      test("keep their state; what is not given stays as it was, and a gate opens when told", async () => {
        const hosts = [host, { id: 1, key: "b.example:8080", shard: 1023 }];
        await store.commit(
          batch({
            hosts,
            hostStates: [{ id: 1, limiter: new Uint8Array([7, 0, 9]), gateUntil: 1_790_000_000_001, robots: '{"https":1}' }],
          }),
        );
        store = await place.reopen(store);
        const open = { limiter: null, gateUntil: null, robots: null };
        expect(await store.hosts()).toEqual([
          { ...host, ...open },
          { ...hosts[1], limiter: new Uint8Array([7, 0, 9]), gateUntil: 1_790_000_000_001, robots: '{"https":1}' },
        ]);
        await store.commit(batch({ hostStates: [{ id: 1, ...open }] }));
        expect((await store.hosts())[1]).toEqual({
          ...hosts[1],
          limiter: new Uint8Array([7, 0, 9]),
          gateUntil: null,
          robots: '{"https":1}',
        });
      });
    });

    describe("journal and meta", () => {
      test("each commit replaces the journal", async () => {
        await store.commit(batch({ inFlight: [5, 3, 4_000_000_000] }));
        expect(await store.inFlight()).toEqual([5, 3, 4_000_000_000]);
        await store.commit(batch({ inFlight: [7] }));
        store = await place.reopen(store);
        expect(await store.inFlight()).toEqual([7]);
        await store.commit(NOTHING);
        expect(await store.inFlight()).toEqual([]);
      });

      test("a meta text is set, replaced and kept", async () => {
        await store.commit(
          batch({
            meta: [
              ["pass", '{"n":1}'],
              ["empty", ""],
            ],
          }),
        );
        await store.commit(batch({ meta: [["pass", '{"n":2}']] }));
        store = await place.reopen(store);
        expect(await store.meta("pass")).toBe('{"n":2}');
        expect(await store.meta("empty")).toBe("");
      });
    });

    describe("cursors", () => {
      test("belong to a consumer, move both ways, and survive", async () => {
        await store.advance("file", 5);
        await store.advance("loop", 2);
        await store.advance("file", 9);
        store = await place.reopen(store);
        expect([await store.cursor("file"), await store.cursor("loop"), await store.cursor("none")]).toEqual([9, 2, null]);
        await store.advance("file", 1);
        expect(await store.cursor("file")).toBe(1);
      });

      test("extras stay until the slowest cursor has passed them", async () => {
        await fill(4);
        await store.advance("slow", 0);
        await store.commit(batch({ settlements: [1, 2, 3].map((seq) => settlement(seq, seq, { extra: `"${seq}"` })) }));
        const extras = async () => (await store.settledAfter(0, 10)).map(({ extra }) => extra);
        await store.advance("fast", 3);
        expect(await extras()).toEqual(['"1"', '"2"', '"3"']);
        await store.advance("slow", 2);
        expect(await extras()).toEqual([null, null, '"3"']);
        await store.advance("slow", 3);
        expect(await extras()).toEqual([null, null, null]);
      });
    });

    describe("what stands now", () => {
      const current = async (what: "pages" | "skipped" | "failed") =>
        (await store.current(what, -1, 100)).map(({ id, seq, outcome, code }) => [id, seq, outcome, code]);

      beforeEach(async () => {
        await store.commit(
          batch({
            hosts: [host],
            urls: [newUrl(0), newUrl(1, { skip: "scope" }), newUrl(2), newUrl(3), newUrl(4), newUrl(5), newUrl(6), newUrl(7)],
            settlements: [
              settlement(1, 7, { page: storedPage({ title: "seven" }) }),
              settlement(2, 0, { page: storedPage({ title: "zero" }) }),
              settlement(3, 2, { outcome: "skipped", code: "robots" }),
              settlement(4, 3, { outcome: "failed", code: "timeout", message: "no answer", ms: null, status: null }),
              settlement(5, 4, { outcome: "blocked", code: "http-403" }),
              settlement(6, 5, { outcome: "missing", code: "http-404" }),
            ],
            rescheduled: [retry(6, 0)],
          }),
        );
      });

      test("pages are the URLs with a good copy, in id order, also after a later failure", async () => {
        await store.commit(batch({ settlements: [settlement(7, 0, { token: 1, pass: 2, outcome: "failed", code: "dns" })] }));
        expect(await current("pages")).toEqual([
          [0, 7, "failed", "dns"],
          [7, 1, "new", null],
        ]);
        expect((await store.current("pages", -1, 1))[0]).toMatchObject({ url: "https://a.example/0", page: { title: "zero" } });
        expect((await store.current("pages", 0, 5)).map(({ id }) => id)).toEqual([7]);
      });

      test("failed are those settled as failed or blocked", async () => {
        expect(await current("failed")).toEqual([
          [3, 4, "failed", "timeout"],
          [4, 5, "blocked", "http-403"],
        ]);
        expect((await store.current("failed", -1, 1))[0]).toMatchObject({ message: "no answer", status: null, ms: null });
      });

      test("skipped are those skipped at discovery, by revision and when they were due", async () => {
        expect(await current("skipped")).toEqual([
          [1, 0, "skipped", "scope"],
          [2, 3, "skipped", "robots"],
        ]);
        await store.commit(batch({ revised: [{ id: 7, depth: 1, skip: "trap" }] }));
        expect(await current("skipped")).toContainEqual([7, 1, "skipped", "trap"]);
        expect((await store.current("skipped", -1, 1))[0]).toMatchObject({ at: 0, pass: 0, page: null, redirects: [], extra: null });
      });

      test("totals count each known URL, settlement and skip once", async () => {
        const outcomes = { new: 2, skipped: 1, failed: 1, blocked: 1, missing: 1 };
        expect(await store.totals(1)).toEqual({ known: 8, outcomes, skips: { scope: 1, robots: 1 } });
        await store.commit(
          batch({
            settlements: [
              settlement(7, 0, { token: 1, pass: 2, outcome: "unchanged" }),
              settlement(8, 2, { token: 1, pass: 2, page: storedPage() }),
            ],
            revised: [{ id: 3, depth: 1, skip: "scope" }],
          }),
        );
        expect(await store.totals(1)).toMatchObject({ outcomes });
        expect(await store.totals(2)).toEqual({ known: 8, outcomes: { unchanged: 1, new: 1 }, skips: { scope: 2 } });
      });

      test("a URL with a standing skip that was also settled as skipped counts once", async () => {
        await store.commit(batch({ revised: [{ id: 2, depth: 1, skip: "robots" }] }));
        expect((await store.totals(1)).skips).toEqual({ scope: 1, robots: 1 });
      });
    });

    test("everything is there after a new start", async () => {
      await fill(30);
      const settlements = Array.from({ length: 25 }, (_, k) =>
        settlement(k + 1, k, { page: k % 3 === 0 ? null : storedPage({ title: `t${k}` }) }),
      );
      await store.commit(batch({ settlements, inFlight: [26], meta: [["k", "v"]] }));
      const [rows, visits, totals] = [await scanned(store), await store.settledAfter(0, 100), await store.totals(1)];
      store = await place.reopen(store);
      expect(await scanned(store)).toEqual(rows);
      expect(await store.settledAfter(0, 100)).toEqual(visits);
      expect(await store.totals(1)).toEqual(totals);
      expect(await store.lastSeq()).toBe(25);
    });

    test("a cleared store has forgotten everything and takes the same ids again", async () => {
      await fill(5);
      await store.commit(batch({ settlements: [settlement(1, 0, { page: storedPage(), extra: "1" })], inFlight: [2], meta: [["k", "v"]] }));
      await store.advance("file", 1);
      expect(store.urlTexts([3])).toEqual(["https://a.example/3"]);
      await store.clear();
      expect(store.urlTexts([3])).toEqual([""]);
      expect(await scanned(store)).toEqual([]);
      expect([await store.cursor("file"), await store.meta("k"), await store.lastSeq()]).toEqual([null, null, 0]);
      expect([await store.hosts(), await store.inFlight()]).toEqual([[], []]);
      expect(await store.totals(1)).toEqual({ known: 0, outcomes: {}, skips: {} });
      await store.commit(batch({ hosts: [host], urls: [newUrl(0, { url: "https://new.example/" })], settlements: [settlement(1, 0)] }));
      expect((await store.settledAfter(0, 5))[0]).toMatchObject({ seq: 1, url: "https://new.example/" });
    });

    test("closing twice does no harm", async () => {
      await store.close();
      await store.close();
    });
  });
}
