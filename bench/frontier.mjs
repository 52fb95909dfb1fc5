// The frontier over its real store: add, add again, lease and complete, in id order; beside bare SQLite loops in the same run.
// node bench/frontier.mjs [--urls 100000] [--hosts 200]        (and --urls 1000000)
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { openFrontier } from "./open-frontier.mjs";
import { options, printHeader, printTable, timed } from "./report.mjs";

const { urls: N, hosts: HOSTS } = options({ urls: 100_000, hosts: 200 });
const PRAGMAS = ["journal_mode = WAL", "page_size = 8192", "synchronous = NORMAL", "cache_size = -32768"];
const BATCH = 512;

const urlOf = (n) => `http://host-${n % HOSTS}.example/catalog/section-${n % 97}/item-${n}.html`;
const folder = mkdtempSync(join(tmpdir(), "weir-bench-"));
const rows = [];
const add = (what, n, { wall, cpu }) => rows.push({ what, "per second": n / wall, "µs CPU": (cpu / n) * 1e6 });

/** Calls `run` for 0 ≤ i < N, `BATCH` times a transaction. */
const inBatches = (db, run) => () => {
  for (let start = 0; start < N; start += BATCH) {
    db.exec("BEGIN IMMEDIATE");
    for (let i = start; i < Math.min(N, start + BATCH); i++) run(i);
    db.exec("COMMIT");
  }
};

/** What SQLite does at most on this machine: one row a statement, `BATCH` rows a transaction, nothing else. */
async function bareLoops() {
  const db = new Database(join(folder, "bare.db"));
  for (const pragma of PRAGMAS) db.pragma(pragma);
  db.exec(
    "CREATE TABLE u (id INTEGER PRIMARY KEY, url TEXT NOT NULL, host INTEGER NOT NULL, due INTEGER NOT NULL, n INTEGER NOT NULL, etag TEXT) STRICT",
  );
  const insert = db.prepare("INSERT INTO u VALUES (?, ?, ?, 0, 0, NULL)");
  const update = db.prepare("UPDATE u SET due = ?, n = n + 1, etag = ? WHERE id = ?");
  add("bare SQLite insert loop", N, await timed(inBatches(db, (i) => insert.run([i, urlOf(i), i % HOSTS]))));
  add("bare SQLite update loop", N, await timed(inBatches(db, (i) => update.run([i, '"5f3a-61b2c"', i]))));
  db.close();

  // What a completion has to write, no more: the state of the URL and its line in the visit log, after reading its text.
  const same = new Database(join(folder, "same.db"));
  for (const pragma of PRAGMAS) same.pragma(pragma);
  same.exec(readFileSync(join(import.meta.dirname, "../dist/adapters/store-sqlite/schema.sql"), "utf8"));
  const url = same.prepare("INSERT INTO url (id, url, host, depth, via) VALUES (?, ?, ?, 1, 1)");
  const read = same.prepare("SELECT u.url, p.token FROM url u LEFT JOIN page p ON p.id = u.id WHERE u.id = ?").raw();
  const page = same.prepare("INSERT INTO page (id, token, pass, outcome, attempts, seq) VALUES (?, 1, 1, 0, 0, ?)");
  const visit = same.prepare(
    "INSERT INTO visit (seq, id, pass, at, outcome, status, ms, bytes_wire, bytes_body, attempts, provider) VALUES (?, ?, 1, ?, 0, 200, 12, 30000, 29000, 1, 'direct')",
  );
  inBatches(same, (i) => url.run([i, urlOf(i), i % HOSTS]))();
  const complete = (i) => {
    read.get([i]);
    page.run([i, i + 1]);
    visit.run([i + 1, i, i]);
  };
  add("bare read + page + visit", N, await timed(inBatches(same, complete)));
  same.close();
}

const settlement = (row, at, seq) => ({
  seq,
  id: row.id,
  token: row.token,
  pass: 1,
  outcome: "new",
  code: null,
  message: null,
  status: 200,
  at,
  ms: 12,
  bytesWire: 30_000,
  bytesBody: 29_000,
  provider: "direct",
  attempts: 1,
  finalUrl: null,
  redirects: [],
  duplicateOf: null,
  changed: null,
  page: null,
  extra: null,
});

async function frontierLoops() {
  const path = join(folder, "frontier.db");
  const { store, stage, frontier, work, clock } = openFrontier(path);
  const addAll = async () => {
    for (let i = 0; i < N; i++) {
      frontier.discoverText(urlOf(i), 1, "link");
      if ((i & 8191) === 8191) await stage.committed();
    }
    await stage.committed();
  };
  add("frontier: add new, durable", N, await timed(addAll));
  add("frontier: add known", N, await timed(addAll));
  const bytes = frontier.urls.bytes / N;

  const takeAll = async () => {
    const hosts = [...frontier.hosts()];
    for (let left = N; left > 0; ) {
      const before = left;
      for (const host of hosts) {
        const row = frontier.take(host);
        if (row === undefined) continue;
        host.starts++;
        stage.settle(settlement(row, clock.epoch(), stage.nextSeq()));
        frontier.settled(row.id, false);
        left--;
      }
      if (!stage.hasRoom) await stage.committed();
      else if (before === left) await work();
    }
    await stage.committed();
  };
  add("frontier: lease + complete, durable", N, await timed(takeAll));
  await store.close();
  const size = statSync(path).size / N;

  const again = openFrontier(path, N);
  const scanAll = async () => {
    for (const { id, key } of await again.store.hosts()) again.frontier.loadHost(id, key);
    return again.store.scan((row) => again.frontier.load(row, true, 0, 0), new AbortController().signal);
  };
  const scan = await timed(scanAll);
  add("start-up scan", N, scan);
  if (scan.value !== N || again.frontier.left !== N) throw new Error(`The scan found ${scan.value} of ${N} URLs`);
  await again.store.close();
  return { bytes, size };
}

printHeader(`frontier: ${N.toLocaleString("en")} URLs on ${HOSTS} hosts`);
try {
  await bareLoops();
  const { bytes, size } = await frontierLoops();
  printTable(rows);
  // By CPU time: the machine may be shared.
  const rate = (what) => 1 / rows.find((row) => row.what === what)["µs CPU"];
  console.log(
    `lease + complete ÷ bare update loop ${(rate("frontier: lease + complete, durable") / rate("bare SQLite update loop")).toFixed(2)}`,
  );
  console.log(
    `lease + complete ÷ bare read + page + visit ${(rate("frontier: lease + complete, durable") / rate("bare read + page + visit")).toFixed(2)}`,
  );
  console.log(`add new ÷ bare insert loop ${(rate("frontier: add new, durable") / rate("bare SQLite insert loop")).toFixed(2)}`);
  console.log(`memory ${bytes.toFixed(1)} bytes a known URL, disk ${size.toFixed(0)} bytes`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
