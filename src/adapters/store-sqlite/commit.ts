import type { Seq, UrlId } from "../../kernel/units.ts";
import type { NewUrl, Settlement, StoreBatch } from "../../ports/store.ts";
import { BulkInsert } from "./bulk-insert.ts";
import type { Connection, Statement } from "./database.ts";
import { PageWriter } from "./page-writer.ts";
import { freeText, listText, outcomeCode, skipCode, viaCode } from "./rows.ts";

/** Writes batches. One instance a connection: it owns the prepared statements and their reused parameter arrays. */
export class Committer {
  readonly #db: Connection;
  readonly #urls: BulkInsert;
  readonly #visits: BulkInsert;
  readonly #plainVisits: BulkInsert;
  readonly #pages: PageWriter;
  readonly #revise: Statement;
  readonly #host: Statement;
  readonly #hostState: Statement;
  readonly #extra: Statement;
  readonly #tally: Statement;
  readonly #journal: Statement;
  readonly #meta: Statement;
  readonly #cursor: Statement;
  readonly #trimExtra: Statement;

  constructor(db: Connection) {
    this.#db = db;
    this.#urls = new BulkInsert(db, "INSERT INTO url (id, url, host, depth, via, skip)", 6, 40);
    this.#visits = new BulkInsert(
      db,
      `INSERT INTO visit (seq, id, pass, at, outcome, status, code, message, ms, bytes_wire, bytes_body, attempts, changed, provider,
        duplicate_of, final_url, redirects)`,
      17,
      20,
    );
    // Most visits are of this kind, and each cell costs 0.15 us to hand over.
    this.#plainVisits = new BulkInsert(
      db,
      "INSERT INTO visit (seq, id, pass, at, outcome, status, ms, bytes_wire, bytes_body, attempts, provider)",
      11,
      128,
    );
    this.#pages = new PageWriter(db);
    this.#revise = db.prepare("UPDATE url SET depth = ?, skip = ? WHERE id = ?");
    this.#host = db.prepare("INSERT INTO host (id, key, shard) VALUES (?, ?, ?)");
    this.#hostState = db.prepare(
      "UPDATE host SET limiter = coalesce(?, limiter), gate_until = ?, robots = coalesce(?, robots) WHERE id = ?",
    );
    this.#extra = db.prepare("INSERT INTO extra (seq, json) VALUES (?, ?)");
    this.#tally = db.prepare(
      `INSERT INTO tally (pass, outcome, visits, first_seq, last_seq) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (pass, outcome) DO UPDATE SET visits = visits + excluded.visits,
         first_seq = min(first_seq, excluded.first_seq), last_seq = max(last_seq, excluded.last_seq)`,
    );
    this.#journal = db.prepare("INSERT OR REPLACE INTO journal (one, ids) VALUES (1, ?)");
    this.#meta = db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)");
    this.#cursor = db.prepare("INSERT OR REPLACE INTO cursor (consumer, seq) VALUES (?, ?)");
    this.#trimExtra = db.prepare("DELETE FROM extra WHERE seq <= (SELECT min(seq) FROM cursor)");
  }

  /** Applies all or nothing, synchronously. @returns ids whose settlement or reschedule was refused for a stale token. */
  commit(batch: StoreBatch): readonly UrlId[] {
    return this.#db.transaction(() => {
      for (const host of batch.hosts) this.#host.run([host.id, host.key, host.shard]);
      this.#appendUrls(batch.urls);
      for (const { id, depth, skip } of batch.revised) this.#revise.run([depth, skipCode(skip), id]);
      const refused = this.#pages.apply(batch);
      const accepted =
        refused.settlements.size === 0 ? batch.settlements : batch.settlements.filter((item) => !refused.settlements.has(item));
      this.#appendVisits(accepted);
      this.#countVisits(accepted);
      for (const { id, limiter, gateUntil, robots } of batch.hostStates) {
        this.#hostState.run([limiter, gateUntil === null ? null : Math.round(gateUntil), robots, id]);
      }
      for (const [key, value] of batch.meta) this.#meta.run([key, value]);
      this.#journal.run([JSON.stringify(batch.inFlight)]);
      return [...refused.settlements, ...refused.rescheduled].map(({ id }) => id);
    });
  }

  /** Moves a cursor, and drops the extra fields that every cursor has passed. */
  advance(consumer: string, seq: Seq): void {
    this.#db.transaction(() => {
      this.#cursor.run([consumer, seq]);
      this.#trimExtra.run([]);
    });
  }

  /** Empties every table and gives the room back to the disk. */
  clear(): void {
    this.#db.transaction(() => {
      for (const table of ["url", "page", "visit", "extra", "host", "tally", "journal", "cursor", "meta"])
        this.#db.exec(`DELETE FROM ${table}`);
    });
    this.#db.exec("VACUUM");
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  #appendUrls(urls: readonly NewUrl[]): void {
    const inserts = this.#urls;
    inserts.reset();
    for (const url of urls) {
      inserts.put(url.id);
      inserts.put(url.url);
      inserts.put(url.host);
      inserts.put(url.depth);
      inserts.put(viaCode(url.via));
      inserts.put(skipCode(url.skip));
      inserts.end();
    }
    inserts.flush();
  }

  #appendVisits(settlements: readonly Settlement[]): void {
    this.#visits.reset();
    this.#plainVisits.reset();
    for (const item of settlements) {
      if (isPlain(item)) putPlain(this.#plainVisits, item);
      else putVisit(this.#visits, item);
      if (item.extra !== null) this.#extra.run([item.seq, item.extra]);
    }
    this.#visits.flush();
    this.#plainVisits.flush();
  }

  /** A batch rarely holds more than one pass and five outcomes, so the counts cost a few updates a batch. */
  #countVisits(settlements: readonly Settlement[]): void {
    const tallies: Tally[] = [];
    let tally: Tally | undefined;
    for (const { pass, outcome, seq } of settlements) {
      const code = outcomeCode(outcome);
      if (tally === undefined || tally[0] !== pass || tally[1] !== code) {
        tally = tallies.find((other) => other[0] === pass && other[1] === code);
        if (tally === undefined) {
          tally = [pass, code, 0, seq, seq];
          tallies.push(tally);
        }
      }
      tally[2]++;
      tally[3] = Math.min(tally[3], seq);
      tally[4] = Math.max(tally[4], seq);
    }
    for (const counted of tallies) this.#tally.run(counted);
  }
}

type Tally = [pass: number, outcome: number, visits: number, first: number, last: number];

/** Nothing to say beyond the numbers. */
function isPlain(item: Settlement): boolean {
  return (
    item.code === null &&
    item.message === null &&
    item.changed === null &&
    item.duplicateOf === null &&
    item.finalUrl === null &&
    item.redirects.length === 0
  );
}

function putPlain(inserts: BulkInsert, item: Settlement): void {
  inserts.put(item.seq);
  inserts.put(item.id);
  inserts.put(item.pass);
  inserts.put(Math.round(item.at));
  inserts.put(outcomeCode(item.outcome));
  inserts.put(item.status);
  inserts.put(item.ms);
  inserts.put(item.bytesWire);
  inserts.put(item.bytesBody);
  inserts.put(item.attempts);
  inserts.put(item.provider);
  inserts.end();
}

function putVisit(inserts: BulkInsert, item: Settlement): void {
  inserts.put(item.seq);
  inserts.put(item.id);
  inserts.put(item.pass);
  inserts.put(Math.round(item.at));
  inserts.put(outcomeCode(item.outcome));
  inserts.put(item.status);
  inserts.put(item.code);
  inserts.put(freeText(item.message));
  inserts.put(item.ms);
  inserts.put(item.bytesWire);
  inserts.put(item.bytesBody);
  inserts.put(item.attempts);
  inserts.put(item.changed === null ? null : Number(item.changed));
  inserts.put(item.provider);
  inserts.put(item.duplicateOf);
  inserts.put(item.finalUrl);
  inserts.put(listText(item.redirects));
  inserts.end();
}
