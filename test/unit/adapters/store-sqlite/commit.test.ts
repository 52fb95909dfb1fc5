import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Committer } from "../../../../src/adapters/store-sqlite/commit.ts";
import { type Connection, connect } from "../../../../src/adapters/store-sqlite/database.ts";
import { migrate } from "../../../../src/adapters/store-sqlite/migrations.ts";
import { Reader } from "../../../../src/adapters/store-sqlite/read.ts";
import { batch, newUrl, settlement, storedPage } from "../../../contract/store.contract.ts";

let folder: string;
let db: Connection;
let committer: Committer;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-store-"));
  const path = join(folder, "weir.db");
  db = connect(path, { readonly: false, busyMs: 0 });
  migrate(db, path);
  db.prepare("PRAGMA journal_mode = WAL").row([]);
  committer = new Committer(db);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const number = (sql: string) => Number(db.prepare(sql).row([])?.[0]);
/** A disk that has room for so many more pages of the file. */
const leaveRoom = (pages: number) => db.prepare(`PRAGMA max_page_count = ${number("PRAGMA page_count") + pages}`).row([]);

const big = (seq: number, id: number) => settlement(seq, id, { page: storedPage({ links: new Uint8Array(3000).fill(id) }), extra: "1" });
const wide = () =>
  batch({
    hosts: [{ id: 0, key: "a.example", shard: 0 }],
    urls: Array.from({ length: 300 }, (_, id) => newUrl(id)),
    settlements: Array.from({ length: 100 }, (_, k) => big(k + 1, k)),
    inFlight: [7],
    meta: [["k", "v"]],
  });

// One page of room after the other, so that the disk fills up in every one of the statements once.
test.each(Array.from({ length: 12 }, (_, k) => k * 4))(
  "a disk that fills up %i pages into a commit leaves nothing of it, and the same batch goes through later",
  (room) => {
    committer.commit(batch({ meta: [["k", "before"]] }));
    leaveRoom(room);
    for (let again = 0; again < 3; again++)
      expect(() => committer.commit(wide())).toThrow(expect.objectContaining({ code: "WEIR_STORE_FULL" }));
    const reader = new Reader(db);
    expect([reader.lastSeq(), reader.meta("k"), reader.hosts(), reader.inFlight(), number("SELECT count(*) FROM page")]).toEqual([
      0,
      "before",
      [],
      [],
      0,
    ]);
    leaveRoom(10_000);
    expect(committer.commit(wide())).toEqual([]);
    expect([reader.lastSeq(), reader.meta("k"), reader.inFlight(), number("SELECT count(*) FROM url")]).toEqual([100, "v", [7], 300]);
    expect(number("SELECT sum(visits) FROM tally")).toBe(100);
    expect(db.prepare("PRAGMA integrity_check").row([])).toEqual(["ok"]);
  },
);

test("a full disk in the middle of updates keeps the earlier copies", () => {
  committer.commit(wide());
  leaveRoom(5);
  const again = batch({
    settlements: Array.from({ length: 100 }, (_, k) => ({
      ...big(101 + k, k),
      token: 1,
      page: storedPage({ links: new Uint8Array(9000) }),
    })),
  });
  expect(() => committer.commit(again)).toThrow(expect.objectContaining({ code: "WEIR_STORE_FULL" }));
  expect(number("SELECT count(*) FROM page WHERE token = 1 AND length(links) = 3000")).toBe(100);
  leaveRoom(10_000);
  expect(committer.commit(again)).toEqual([]);
  expect(number("SELECT count(*) FROM page WHERE token = 2 AND length(links) = 9000")).toBe(100);
});

test("rows are appended in groups of any size without a loss", () => {
  let id = 0;
  for (const size of [1, 2, 9, 10, 11, 39, 40, 41, 50, 79, 80, 81, 121]) {
    const ids = Array.from({ length: size }, () => id++);
    committer.commit(
      batch({
        urls: ids.map((one) => newUrl(one)),
        settlements: ids.map((one) => settlement(one + 1, one, { page: storedPage({ title: `t${one}` }) })),
      }),
    );
  }
  expect(number("SELECT count(*) FROM url")).toBe(id);
  expect(number("SELECT count(*) FROM visit WHERE seq = id + 1")).toBe(id);
  expect(number("SELECT count(*) FROM page WHERE title = 't' || id AND seq = id + 1 AND token = 1")).toBe(id);
});
