// Compares SQLite bindings on the statements of weir's store (docs/adr/0003-sqlite-binding.md): CPU of one row each.
// taskset -c 1 node bench/sqlite-bindings.mjs libsql|better-sqlite3|@photostructure/sqlite [folder of its node_modules]
// A binding that is not installed here is taken from the given folder (better-sqlite3 has to be compiled: npm rebuild better-sqlite3).
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { printHeader } from "./report.mjs";

const [name = "libsql", from = "."] = process.argv.slice(2);
const require = createRequire(resolve(from, "package.json"));
const folder = mkdtempSync(join(tmpdir(), "weir-bench-"));
const db = open(join(folder, "weir.db"));

function open(path) {
  const binding = require(name);
  if (name === "@photostructure/sqlite") {
    const connection = new binding.DatabaseSync(path);
    const prepare = (sql) => {
      const statement = connection.prepare(sql);
      statement.setReturnArrays(true);
      return { run: (p) => statement.run(...p), row: (p) => statement.get(...p), rows: (p) => statement.all(...p) };
    };
    return { prepare, exec: (sql) => connection.exec(sql) };
  }
  const connection = new binding(path);
  const prepare = (sql) => {
    const statement = connection.prepare(sql);
    if (/^(SELECT|PRAGMA)/.test(sql)) statement.raw();
    return { run: (p) => statement.run(p), row: (p) => statement.get(p), rows: (p) => statement.all(p) };
  };
  return { prepare, exec: (sql) => connection.exec(sql) };
}

function measure(what, count, body) {
  const before = process.cpuUsage();
  body();
  const { user, system } = process.cpuUsage(before);
  console.log(`${what.padEnd(44)} ${((user + system) / count).toFixed(2).padStart(6)} us`);
}

db.exec("PRAGMA page_size = 8192; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768");
db.exec(readFileSync(new URL("../src/adapters/store-sqlite/schema.sql", import.meta.url), "utf8"));
db.prepare("PRAGMA journal_mode = WAL").row([]);
db.prepare("PRAGMA wal_autocheckpoint = 2048").row([]);

const { version } = JSON.parse(readFileSync(resolve(from, "node_modules", name, "package.json"), "utf8"));
printHeader(`SQLite binding: ${name} ${version}, SQLite ${db.prepare("SELECT sqlite_version()").row([])[0]}`);

const URLS = 200_000;
const PAGES = 50_000;
const BATCH = 1000;
const url = (id) => `https://host${id % 200}.example/section/${(id * 7919) % 100_000}/some-page-title-${id}.html`;
const values = (columns, rows) =>
  `VALUES ${Array(rows)
    .fill(`(${Array(columns).fill("?").join(",")})`)
    .join(",")}`;
/** Inserts `count` rows in transactions of a thousand, `group` rows to a statement. */
function insert(what, head, columns, count, group, cells) {
  const statement = db.prepare(`${head} ${values(columns, group)}`);
  const parameters = Array(columns * group).fill(null);
  measure(`${what}, ${group} a statement`, count, () => {
    for (let i = 0; i < count; ) {
      db.exec("BEGIN IMMEDIATE");
      for (const end = i + BATCH; i < end; ) {
        for (let k = 0; k < group; k++, i++) cells(i, parameters, k * columns);
        statement.run(parameters);
      }
      db.exec("COMMIT");
    }
  });
}

const urlCells = (id, to, at) => {
  to[at] = id;
  to[at + 1] = url(id);
  to[at + 2] = id % 200;
  to[at + 3] = 3;
  to[at + 4] = 1;
};
insert("append URLs", "INSERT INTO url (id, url, host, depth, via, skip)", 6, URLS, 1, urlCells);
db.exec("DELETE FROM url");
insert("append URLs", "INSERT INTO url (id, url, host, depth, via, skip)", 6, URLS, 40, urlCells);

// Settled about in order of discovery: 64 in flight, sorted within a batch.
const order = Array.from({ length: PAGES }, (_, k) => k * 3);
for (let k = 0; k + 64 < PAGES; k += 7) [order[k], order[k + (k % 64)]] = [order[k + (k % 64)], order[k]];
for (let k = 0; k < PAGES; k += BATCH) order.splice(k, BATCH, ...order.slice(k, k + BATCH).sort((a, b) => a - b));

const state = ["pass", "outcome", "duplicate_of", "seq", "code"];
const copy = [
  "text_hash_version",
  "text_hash",
  "flags",
  "content_type",
  "charset",
  "title",
  "canonical",
  "etag",
  "last_modified",
  "marks",
  "body_hash",
  "links",
];
const links = Uint8Array.from({ length: 200 }, (_, k) => (k * 37) & 255);
const hash = Uint8Array.from({ length: 12 }, (_, k) => (k * 91) & 255);
let seq = 0;
const pageCells = (id, to, at) => {
  const cells = [
    1,
    0,
    null,
    ++seq,
    null,
    1,
    hash,
    3,
    "text/html",
    "utf-8",
    `A page about things number ${id} | Site`,
    url(id),
    '"5f3-60a1b2c3d4e5f"',
  ];
  for (const cell of [...cells, "Tue, 03 Jun 2026 10:00:00 GMT", null, null, links]) to[at++] = cell;
};
const pageHead = `INSERT OR IGNORE INTO page (id, token, attempts, ${[...state, ...copy].join(", ")})`;
insert("first settlement (page row)", pageHead, 20, PAGES, 20, (i, to, at) => {
  to[at] = order[i];
  to[at + 1] = 1;
  to[at + 2] = 0;
  pageCells(order[i], to, at + 3);
});
insert(
  "visit row",
  `INSERT INTO visit (seq, id, pass, at, outcome, status, code, message, ms, bytes_wire, bytes_body, attempts, changed, provider,
    duplicate_of, final_url, redirects)`,
  17,
  PAGES,
  20,
  (i, to, at) => {
    for (const cell of [
      i + 1,
      order[i],
      1,
      1_790_000_000_000 + i,
      0,
      200,
      null,
      null,
      35,
      32_000,
      31_000,
      1,
      null,
      "direct",
      null,
      null,
      null,
    ])
      to[at++] = cell;
  },
);
const set = [...state, ...copy].map((column) => `${column} = ?`).join(", ");
const update = db.prepare(`UPDATE page SET token = token + 1, attempts = 0, due_at = NULL, ${set} WHERE id = ? AND token = ?`);
measure("later settlement (fenced update)", PAGES, () => {
  const parameters = Array(19).fill(null);
  for (let i = 0; i < PAGES; ) {
    db.exec("BEGIN IMMEDIATE");
    for (const end = i + BATCH; i < end; i++) {
      pageCells(order[i], parameters, 0);
      parameters[17] = order[i];
      parameters[18] = 1;
      if (Number(update.run(parameters).changes) !== 1) throw new Error("the update was refused");
    }
    db.exec("COMMIT");
  }
});
const one = db.prepare("SELECT url FROM url WHERE id = ?");
measure("point read", 100_000, () => {
  for (let i = 0; i < 100_000; i++) one.row([(i * 7919) % URLS]);
});
const range = db.prepare("SELECT id, url, host, depth, skip FROM url WHERE id > ? ORDER BY id LIMIT 1000");
measure("range read", URLS, () => {
  for (let id = -1; id < URLS - 1; id += 1000) range.rows([id]);
});
console.log(`file ${(statSync(join(folder, "weir.db")).size / 1e6).toFixed(1)} MB, RSS ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`);
rmSync(folder, { recursive: true, force: true });
