import { setImmediate } from "node:timers/promises";
import { OUTCOMES, type Outcome, type SkipReason } from "../../kernel/outcome.ts";
import type { Seq, UrlId } from "../../kernel/units.ts";
import type { HostRow, ScanRow, SettledRow, StoreTotals, VisitRow } from "../../ports/store.ts";
import type { Connection, Row, Statement } from "./database.ts";
import { bytesOf, numberOf, outcomeCode, outcomeOf, SETTLED_COLUMNS, settledOf, skipOf, skippedOf, textOf, viaOf } from "./rows.ts";

/** Rows of one step of the scan: about 2 ms, then the event loop has its turn. */
const SCAN_CHUNK = 1000;

/** Everything that is read: one instance a connection, statements prepared at first use so that opening stays cheap. */
export class Reader {
  readonly #db: Connection;
  readonly #statements = new Map<string, Statement>();

  constructor(db: Connection) {
    this.#db = db;
  }

  #sql(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #value(sql: string, parameters: readonly (string | number)[] = []) {
    return this.#sql(sql).row(parameters)?.[0] ?? null;
  }

  /**
   * Two range reads side by side instead of a join: both tables lie in id order, and a join would seek once a row.
   * Ends early, without an error, when the signal is aborted.
   */
  async scan(visit: (row: ScanRow) => void, signal: AbortSignal): Promise<number> {
    const urls = this.#sql("SELECT id, url, host, depth, via, skip FROM url WHERE id > ? ORDER BY id LIMIT ?");
    const pages = this.#sql(
      `SELECT id, pass, outcome, attempts, due_at, token, text_hash, text_hash_version, duplicate_of FROM page
       WHERE id > ? AND id <= ? ORDER BY id`,
    );
    const row = emptyScanRow();
    let last = -1;
    let count = 0;
    while (!signal.aborted) {
      const chunk = urls.rows([last, SCAN_CHUNK]);
      if (chunk.length === 0) break;
      const end = Number(chunk[chunk.length - 1][0]);
      const states = pages.rows([last, end]);
      let next = 0;
      for (const cells of chunk) {
        row.id = cells[0] as number;
        row.url = cells[1] as string;
        row.host = cells[2] as number;
        row.depth = cells[3] as number;
        row.via = viaOf(cells[4]);
        row.skip = skipOf(cells[5]);
        if (next < states.length && states[next][0] === row.id) setState(row, states[next++]);
        else clearState(row);
        visit(row);
      }
      last = end;
      count += chunk.length;
      await setImmediate();
    }
    return count;
  }

  hosts(): readonly HostRow[] {
    return this.#sql("SELECT id, key, shard, limiter, gate_until, robots FROM host ORDER BY id")
      .rows([])
      .map((row) => ({
        id: Number(row[0]),
        key: String(row[1]),
        shard: Number(row[2]),
        limiter: bytesOf(row[3]),
        gateUntil: numberOf(row[4]),
        robots: textOf(row[5]),
      }));
  }

  visitRows(ids: readonly UrlId[]): readonly VisitRow[] {
    const statement = this.#sql(
      `SELECT u.url, u.depth, u.via, p.token, p.attempts, p.etag, p.last_modified, p.text_hash, p.text_hash_version,
         p.tries, p.retry_delay, coalesce(p.retry_code, p.code)
       FROM url u LEFT JOIN page p ON p.id = u.id WHERE u.id = ?`,
    );
    const found: VisitRow[] = [];
    for (const id of ids) {
      const row = statement.row([id]);
      if (row === undefined) continue;
      found.push({
        id,
        url: String(row[0]),
        token: Number(row[3] ?? 0),
        attempts: Number(row[4] ?? 0),
        tries: Number(row[9] ?? 0),
        delay: Number(row[10] ?? 0),
        code: textOf(row[11]),
        depth: Number(row[1]),
        via: viaOf(row[2]),
        etag: textOf(row[5]),
        lastModified: textOf(row[6]),
        textHash: bytesOf(row[7]),
        textHashVersion: Number(row[8] ?? 0),
      });
    }
    return found;
  }

  inFlight(): readonly UrlId[] {
    const ids = this.#value("SELECT ids FROM journal");
    return ids === null ? [] : (JSON.parse(String(ids)) as UrlId[]);
  }

  meta(key: string): string | null {
    return textOf(this.#value("SELECT value FROM meta WHERE key = ?", [key]));
  }

  settledAfter(after: Seq, limit: number, pass?: number): readonly SettledRow[] {
    const from = `SELECT ${SETTLED_COLUMNS} FROM visit v JOIN url u ON u.id = v.id LEFT JOIN page p ON p.id = v.id LEFT JOIN extra x ON x.seq = v.seq`;
    if (pass === undefined) return this.#sql(`${from} WHERE v.seq > ? ORDER BY v.seq LIMIT ?`).rows([after, limit]).map(settledOf);
    const range = this.#sql("SELECT min(first_seq), max(last_seq) FROM tally WHERE pass = ?").row([pass]);
    if (range === undefined || range[0] === null) return [];
    return this.#sql(`${from} WHERE v.seq > ? AND v.seq <= ? AND v.pass = ? ORDER BY v.seq LIMIT ?`)
      .rows([Math.max(after, Number(range[0]) - 1), range[1], pass, limit])
      .map(settledOf);
  }

  lastSeq(): Seq {
    return Number(this.#value("SELECT max(seq) FROM visit") ?? 0);
  }

  cursor(consumer: string): Seq | null {
    return numberOf(this.#value("SELECT seq FROM cursor WHERE consumer = ?", [consumer]));
  }

  current(what: "pages" | "skipped" | "failed", after: UrlId, limit: number): readonly SettledRow[] {
    const joined = "LEFT JOIN visit v ON v.seq = p.seq LEFT JOIN extra x ON x.seq = v.seq";
    const order = "ORDER BY u.id LIMIT ?";
    if (what === "skipped") {
      const where = `u.id > ? AND (u.skip IS NOT NULL OR p.outcome = ${outcomeCode("skipped")})`;
      return this.#sql(`SELECT ${SETTLED_COLUMNS} FROM url u LEFT JOIN page p ON p.id = u.id ${joined} WHERE ${where} ${order}`)
        .rows([after, limit])
        .map(skippedOf);
    }
    const where = what === "pages" ? "p.flags IS NOT NULL" : `p.outcome IN (${outcomeCode("failed")}, ${outcomeCode("blocked")})`;
    return this.#sql(`SELECT ${SETTLED_COLUMNS} FROM page p JOIN url u ON u.id = p.id ${joined} WHERE p.id > ? AND ${where} ${order}`)
      .rows([after, limit])
      .map(settledOf);
  }

  totals(pass: number): StoreTotals {
    const outcomes: Partial<Record<Outcome, number>> = {};
    for (const [outcome, visits] of this.#sql("SELECT outcome, visits FROM tally WHERE pass = ? AND visits > 0").rows([pass])) {
      outcomes[OUTCOMES[Number(outcome)]] = Number(visits);
    }
    const skips: Partial<Record<SkipReason, number>> = {};
    const add = (reason: SkipReason, count: number) => {
      skips[reason] = (skips[reason] ?? 0) + count;
    };
    for (const [skip, count] of this.#sql("SELECT skip, count(*) FROM url WHERE skip IS NOT NULL GROUP BY skip").rows([])) {
      const reason = skipOf(skip);
      if (reason !== null) add(reason, Number(count));
    }
    const settled = `SELECT p.code, count(*) FROM page p JOIN url u ON u.id = p.id
      WHERE p.outcome = ${outcomeCode("skipped")} AND u.skip IS NULL AND p.code IS NOT NULL GROUP BY p.code`;
    for (const [code, count] of this.#sql(settled).rows([])) add(String(code) as SkipReason, Number(count));
    return { known: Number(this.#value("SELECT max(id) FROM url") ?? -1) + 1, outcomes, skips };
  }
}

function emptyScanRow(): ScanRow {
  const row = { id: 0, url: "", host: 0, depth: 0, via: "seed", skip: null } as ScanRow;
  clearState(row);
  return row;
}

function clearState(row: ScanRow): void {
  row.pass = 0;
  row.outcome = null;
  row.attempts = 0;
  row.dueAt = null;
  row.token = 0;
  row.textHash = null;
  row.textHashVersion = 0;
  row.duplicateOf = null;
}

function setState(row: ScanRow, cells: Row): void {
  row.pass = cells[1] as number;
  row.outcome = outcomeOf(cells[2]);
  row.attempts = cells[3] as number;
  row.dueAt = cells[4] as number | null;
  row.token = cells[5] as number;
  row.textHash = cells[6] as Uint8Array | null;
  row.textHashVersion = Number(cells[7] ?? 0);
  row.duplicateOf = cells[8] as number | null;
}
