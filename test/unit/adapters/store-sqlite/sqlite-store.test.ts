import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Connection, connect } from "../../../../src/adapters/store-sqlite/database.ts";
import { SqliteStore } from "../../../../src/adapters/store-sqlite/sqlite-store.ts";
import { batch, newUrl, scanned, settlement, storedPage } from "../../../contract/store.contract.ts";

const host = { id: 0, key: "a.example", shard: 1 };
const urls = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => newUrl(from + k));

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-store-"));
  path = join(folder, "weir.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Changes a file behind the store's back. */
function raw(change: (db: Connection) => void): void {
  const db = connect(path, { readonly: false, busyMs: 0 });
  change(db);
  db.close();
}

async function filled(): Promise<SqliteStore> {
  const store = SqliteStore.open(path);
  await store.commit(batch({ hosts: [host], urls: urls(0, 10), settlements: [settlement(1, 0, { page: storedPage() })] }));
  return store;
}

describe("opening", () => {
  test("makes the folders above a new store", async () => {
    path = join(folder, "deep", "er", "weir.db");
    await (await filled()).close();
    expect(readdirSync(join(folder, "deep", "er"))).toContain("weir.db");
  });

  test("a closed store is whole without its log", async () => {
    await (await filled()).close();
    const log = `${path}-wal`;
    expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
    expect(existsSync(`${path}.owner`)).toBe(false);
  });

  test("a path with characters that mean something in a URI is taken literally", async () => {
    path = join(folder, "a b?mode=ro&x=%41#c", "weir ü.db");
    await (await filled()).close();
    expect(existsSync(path)).toBe(true);
    const again = SqliteStore.open(path);
    expect(await again.lastSeq()).toBe(1);
    await again.close();
  });

  test("an empty file becomes a store", async () => {
    writeFileSync(path, "");
    await (await filled()).close();
  });

  test("a store of version 1 is upgraded where it stands, and loses nothing", async () => {
    await (await filled()).close();
    // Back to what version 1 wrote: the same tables without what later steps added.
    raw((db) => db.exec("ALTER TABLE page DROP COLUMN tries; ALTER TABLE page DROP COLUMN retry_delay; PRAGMA user_version = 1"));
    expect(() => SqliteStore.open(path, { readonly: true })).toThrow(expect.objectContaining({ code: "WEIR_STORE_FAILED" }));
    const store = SqliteStore.open(path);
    expect(await store.lastSeq()).toBe(1);
    const [row] = await store.visitRows([0]);
    expect(row).toMatchObject({ token: 1, tries: 0, delay: 0 });
    expect(
      await store.commit(batch({ settlements: [settlement(2, 0, { token: 1, outcome: "failed", code: "dns", attempts: 3 })] })),
    ).toEqual([]);
    expect((await store.visitRows([0]))[0]).toMatchObject({ tries: 3, code: "dns" });
    await store.close();
  });

  test("a store of a newer version is refused, untouched and unlocked", async () => {
    await (await filled()).close();
    raw((db) => db.exec("PRAGMA user_version = 99"));
    const before = readFileSync(path);
    for (const readonly of [false, true]) {
      expect(() => SqliteStore.open(path, { readonly })).toThrow(
        expect.objectContaining({ code: "WEIR_STORE_NEWER", message: expect.stringMatching(/newer version of weir.*99/) }),
      );
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}.owner`)).toBe(false);
  });

  test.each([
    ["a text file", "just some notes\n".repeat(100)],
    ["a short text", "hello"],
    ["zeros", "\0".repeat(8192)],
  ])("%s is refused as no store, and kept", (_, content) => {
    writeFileSync(path, content);
    for (const readonly of [false, true]) {
      expect(() => SqliteStore.open(path, { readonly })).toThrow(expect.objectContaining({ code: "WEIR_STORE_INVALID" }));
    }
    expect(readFileSync(path, "utf8")).toBe(content);
  });

  test("another program's SQLite file is refused, and kept as it is", () => {
    raw((db) => db.exec("CREATE TABLE bookmark (a); INSERT INTO bookmark VALUES (1)"));
    const before = readFileSync(path);
    for (const readonly of [false, true]) {
      expect(() => SqliteStore.open(path, { readonly })).toThrow(
        expect.objectContaining({ code: "WEIR_STORE_INVALID", message: expect.stringMatching(/not a weir store/) }),
      );
    }
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("a store with a damaged table says so when it is read", async () => {
    const store = SqliteStore.open(path);
    await store.commit(batch({ hosts: [host], urls: urls(0, 5000) }));
    await store.close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 8192 * 3);
    writeFileSync(path, bytes);
    const damaged = SqliteStore.open(path);
    await expect(scanned(damaged)).rejects.toMatchObject({ code: "WEIR_STORE_INVALID", message: expect.stringContaining("damaged") });
    await damaged.close();
  });

  test("a folder in the store's place, or a file in its folder's, is one clear error", () => {
    mkdirSync(path);
    expect(() => SqliteStore.open(path)).toThrow(expect.objectContaining({ code: "WEIR_STORE_FAILED" }));
    writeFileSync(join(folder, "file"), "");
    expect(() => SqliteStore.open(join(folder, "file", "weir.db"))).toThrow(expect.objectContaining({ code: "WEIR_STORE_FAILED" }));
  });
});

describe("the writer's lock", () => {
  const inUse = expect.objectContaining({
    code: "WEIR_STORE_IN_USE",
    message: expect.stringMatching(new RegExp(`process ${process.pid} since \\d{4}-`)),
  });

  test("refuses a second writer in the same process, naming the first, until it is closed", async () => {
    const first = await filled();
    expect(() => SqliteStore.open(path)).toThrow(inUse);
    expect(() => SqliteStore.open(path)).toThrow(inUse);
    await first.commit(batch({ urls: urls(10, 11) }));
    await first.close();
    const second = SqliteStore.open(path);
    expect((await second.totals(1)).known).toBe(11);
    await second.close();
  });

  test("holds whatever name the store is opened by", async () => {
    const first = await filled();
    symlinkSync(path, join(folder, "link.db"));
    symlinkSync(folder, join(folder, "here"));
    expect(() => SqliteStore.open(join(folder, "link.db"))).toThrow(inUse);
    expect(() => SqliteStore.open(join(folder, "here", "weir.db"))).toThrow(inUse);
    await first.close();
  });

  test("is given back when opening fails, and by an owner file alone it is not held", async () => {
    writeFileSync(path, "not a store");
    expect(() => SqliteStore.open(path)).toThrow();
    writeFileSync(path, "");
    writeFileSync(`${path}.owner`, '{"pid":1,"since":"2020","command":"weir crawl"}');
    await (await filled()).close();
  });
});

describe("a reader", () => {
  test("sees what a running writer has committed, and nothing it may not", async () => {
    const writer = await filled();
    const reader = SqliteStore.open(path, { readonly: true });
    expect(await reader.lastSeq()).toBe(1);
    await writer.commit(batch({ settlements: [settlement(2, 1)] }));
    expect((await reader.settledAfter(1, 5)).map(({ seq }) => seq)).toEqual([2]);
    expect(reader.urlTexts([3])).toEqual(["https://a.example/3"]);
    expect(await scanned(reader)).toHaveLength(10);
    const refusal = { code: "WEIR_STORE_FAILED", message: expect.stringContaining("reading only") };
    await expect(reader.commit(batch({ urls: urls(10, 11) }))).rejects.toMatchObject(refusal);
    await expect(reader.advance("x", 1)).rejects.toMatchObject(refusal);
    await expect(reader.clear()).rejects.toMatchObject(refusal);
    await reader.close();
    await writer.commit(batch({ urls: urls(10, 11) }));
    await writer.close();
  });

  test("does not stop a writer from opening, nor from clearing the store", async () => {
    await (await filled()).close();
    const reader = SqliteStore.open(path, { readonly: true });
    expect(await scanned(reader)).toHaveLength(10);
    const writer = SqliteStore.open(path);
    await writer.clear();
    expect(await scanned(reader)).toEqual([]);
    await writer.close();
    await reader.close();
  });

  test("of a missing store makes nothing", () => {
    path = join(folder, "none", "weir.db");
    expect(() => SqliteStore.open(path, { readonly: true })).toThrow(
      expect.objectContaining({ code: "WEIR_STORE_INVALID", message: expect.stringMatching(/no store at/) }),
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("clearing a large store gives its room back", async () => {
  const store = SqliteStore.open(path);
  await store.commit(batch({ hosts: [host], urls: urls(0, 20_000) }));
  await store.clear();
  await store.close();
  expect(statSync(path).size).toBeLessThan(200_000);
});

test("a NUL in a title or a message does not cut it", async () => {
  const store = await filled();
  await store.commit(batch({ settlements: [settlement(2, 1, { message: "a\0b", page: storedPage({ title: "c\0d" }) })] }));
  await store.commit(batch({ settlements: [settlement(3, 0, { token: 1, page: storedPage({ title: "e\0f" }) })] }));
  const [second, third] = await store.settledAfter(1, 5);
  expect([second.message, second.page?.title, third.page?.title]).toEqual(["a\ufffdb", "c\ufffdd", "e\ufffdf"]);
  await store.close();
});
