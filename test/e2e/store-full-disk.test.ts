import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/adapters/store-sqlite/database.ts";
import { SqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { batch, newUrl, settlement, storedPage } from "../contract/store.contract.ts";

/** A real file system of 4 MB, where this machine lets us mount one (root on Linux); the unit tests have the same without. */
const folder = mkdtempSync(join(tmpdir(), "weir-full-"));
const mounted = process.platform === "linux" && spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder]).status === 0;

describe.skipIf(!mounted)("on a disk that fills up", () => {
  const path = join(folder, "weir.db");
  const ballast = join(folder, "ballast");
  beforeAll(() => writeFileSync(ballast, Buffer.alloc(1_500_000)));
  afterAll(() => {
    // Lazily: the binding keeps files open until its statements are collected.
    spawnSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  const nth = (n: number) => {
    const ids = Array.from({ length: 20 }, (_, k) => n * 20 + k);
    return batch({
      hosts: n === 0 ? [{ id: 0, key: "a.example", shard: 0 }] : [],
      urls: ids.map((id) => newUrl(id)),
      settlements: ids.map((id) => settlement(id + 1, id, { page: storedPage({ links: new Uint8Array(1500).fill(n) }) })),
      inFlight: ids,
      meta: [["batch", String(n)]],
    });
  };

  test("a commit says so, keeps its batch for later, and goes through once there is room", async () => {
    let store = SqliteStore.open(path);
    let n = 0;
    const commitUntilFull = async () => {
      for (;;) {
        const refusal = await store.commit(nth(n)).then(
          () => null,
          (error: unknown) => error,
        );
        if (refusal !== null) return refusal;
        n++;
      }
    };
    expect(await commitUntilFull()).toMatchObject({ code: "WEIR_STORE_FULL", message: expect.stringContaining("No room") });
    for (let again = 0; again < 5; again++) await expect(store.commit(nth(n))).rejects.toMatchObject({ code: "WEIR_STORE_FULL" });
    expect(n).toBeGreaterThan(3);
    expect(await store.lastSeq()).toBe(n * 20);
    expect(await store.meta("batch")).toBe(String(n - 1));

    rmSync(ballast);
    expect(await store.commit(nth(n))).toEqual([]);
    n++;
    await commitUntilFull();

    // Closed and opened again while the disk is full: what was acknowledged is there.
    await store.close();
    store = SqliteStore.open(path);
    expect(await store.lastSeq()).toBe(n * 20);
    expect((await store.settledAfter(n * 20 - 1, 1))[0].page?.links).toEqual(new Uint8Array(1500).fill(n - 1));
    await store.close();
    const db = connect(path, { readonly: true, busyMs: 0 });
    expect(db.prepare("PRAGMA integrity_check").row([])).toEqual(["ok"]);
    db.close();
  });

  test("a new store on a full disk is one clear error", () => {
    const free = spawnSync("sh", ["-c", `cat /dev/zero > ${join(folder, "rest")}`], { stdio: "ignore" });
    expect(free.error).toBeUndefined();
    expect(() => SqliteStore.open(join(folder, "second", "weir.db"))).toThrow(expect.objectContaining({ code: "WEIR_STORE_FULL" }));
  });
});

// Where nothing could be mounted the folder is just removed.
if (!mounted) rmSync(folder, { recursive: true, force: true });
