import type { UrlId } from "../../kernel/units.ts";
import type { Rescheduled, Settlement, StoreBatch, StoredPage } from "../../ports/store.ts";
import { BulkInsert } from "./bulk-insert.ts";
import type { Cell, Connection, Statement } from "./database.ts";
import { flagsOf, freeText, listText, outcomeCode, PAGE_COLUMNS } from "./rows.ts";

/** What the fence turned away. By item, not by id: one batch may hold a stale and a valid item of the same URL. */
export interface Refused {
  readonly settlements: ReadonlySet<Settlement>;
  readonly rescheduled: ReadonlySet<Rescheduled>;
}

type Item = Rescheduled | Settlement;
const byIdAndToken = (a: Item, b: Item) => a.id - b.id || a.token - b.token;

const STATE_COLUMNS = ["pass", "outcome", "duplicate_of", "seq", "code"] as const;
/** Columns of a first row; `token` and `attempts` are the same in all. */
const FIRST_COLUMNS = ["id", ...STATE_COLUMNS, ...PAGE_COLUMNS] as const;
/** Of most first rows the others are NULL, and each cell costs 0.15 us to hand over. */
const OFTEN_NULL: readonly string[] = ["duplicate_of", "code", "marks", "body_hash"];
/** A URL that brought no copy: skipped, redirected, failed. */
const BARE_COLUMNS = ["id", ...STATE_COLUMNS, "tries"] as const;
const PLAIN_COLUMNS = FIRST_COLUMNS.filter((column) => !OFTEN_NULL.includes(column));

/** Writes the state of URLs behind the fence of their tokens, without reading a row first. */
export class PageWriter {
  readonly #inserts: BulkInsert;
  readonly #plain: BulkInsert;
  readonly #bare: BulkInsert;
  readonly #seqOf: Statement;
  readonly #updateState: Statement;
  readonly #updatePage: Statement;
  readonly #retryFirst: Statement;
  readonly #retry: Statement;
  /** Parameters of the two updates, reused. */
  readonly #stateCells: Cell[] = [];
  readonly #pageCells: Cell[] = [];
  /** Inserts of this batch whose row has not been checked, and how many were found written. */
  #unchecked: Settlement[] = [];
  #written = 0;
  #stale = new Set<Settlement>();
  #staleRetries = new Set<Rescheduled>();

  constructor(db: Connection) {
    const set = (columns: readonly string[]) => columns.map((column) => `${column} = ?`).join(", ");
    const settle = "UPDATE page SET token = token + 1, attempts = 0, due_at = NULL, retry_code = NULL, retry_delay = NULL";
    const first = (columns: readonly string[]) =>
      new BulkInsert(db, `INSERT OR IGNORE INTO page (${columns.join(", ")}, token, attempts)`, columns.length, 96, ",1,0");
    this.#inserts = first(FIRST_COLUMNS);
    this.#plain = first(PLAIN_COLUMNS);
    this.#bare = first(BARE_COLUMNS);
    this.#seqOf = db.prepare("SELECT seq FROM page WHERE id = ?");
    // Without a new copy the old one stays, and with it what it duplicates. What adds no tries sets them to 0.
    this.#updateState = db.prepare(
      `${settle}, pass = ?, outcome = ?, duplicate_of = coalesce(?, duplicate_of), seq = ?, code = ?, tries = coalesce(tries + ?, 0)
       WHERE id = ? AND token = ?`,
    );
    this.#updatePage = db.prepare(`${settle}, tries = 0, ${set(STATE_COLUMNS)}, ${set(PAGE_COLUMNS)} WHERE id = ? AND token = ?`);
    this.#retryFirst = db.prepare(
      "INSERT OR IGNORE INTO page (id, token, pass, attempts, retry_delay, due_at, retry_code) VALUES (?, 1, 0, ?, ?, ?, ?)",
    );
    this.#retry = db.prepare(
      "UPDATE page SET token = token + 1, attempts = ?, retry_delay = ?, due_at = ?, retry_code = ? WHERE id = ? AND token = ?",
    );
  }

  /**
   * Applies in id order: neighbours share a database page, which is then written once. Items of one URL apply in the order
   * of their tokens, so that a retry and its settlement may come in one batch.
   */
  apply(batch: Pick<StoreBatch, "settlements" | "rescheduled">): Refused {
    this.#inserts.reset();
    this.#plain.reset();
    this.#bare.reset();
    this.#unchecked = [];
    this.#written = 0;
    this.#stale = new Set();
    this.#staleRetries = new Set();
    const retries = batch.rescheduled.slice().sort(byIdAndToken);
    let next = 0;
    for (const settlement of batch.settlements.slice().sort(byIdAndToken)) {
      while (next < retries.length && byIdAndToken(retries[next], settlement) < 0) this.#reschedule(retries[next++]);
      this.#settle(settlement);
    }
    while (next < retries.length) this.#reschedule(retries[next++]);
    if (this.#flush() !== this.#written + this.#unchecked.length) for (const settlement of this.#unchecked) this.#check(settlement);
    return { settlements: this.#stale, rescheduled: this.#staleRetries };
  }

  /** No row has token 0 and every row a higher one, so that token decides between an insert and an update. */
  #settle(settlement: Settlement): void {
    this.#finish(settlement.id);
    if (settlement.token === 0) {
      this.#insert(settlement);
      this.#unchecked.push(settlement);
    } else if (this.#update(settlement) === 0) this.#stale.add(settlement);
  }

  #reschedule(item: Rescheduled): void {
    this.#finish(item.id);
    const { id, token, attempts, delay, code } = item;
    const dueAt = Math.round(item.dueAt);
    const changed =
      token === 0 ? this.#retryFirst.run([id, attempts, delay, dueAt, code]) : this.#retry.run([attempts, delay, dueAt, code, id, token]);
    if (changed === 0) this.#staleRetries.add(item);
  }

  /** Completes the insert before another item of the same URL, which would otherwise overtake it. */
  #finish(id: UrlId): void {
    const last = this.#unchecked.at(-1);
    if (last === undefined || last.id !== id) return;
    this.#flush();
    this.#unchecked.pop();
    if (this.#check(last)) this.#written++;
  }

  /** An ignored insert leaves the row with another visit's number; each number is given once. */
  #check(settlement: Settlement): boolean {
    const written = this.#seqOf.row([settlement.id])?.[0] === settlement.seq;
    if (!written) this.#stale.add(settlement);
    return written;
  }

  /** @returns first rows written since the beginning of the batch. */
  #flush(): number {
    return this.#inserts.flush() + this.#plain.flush() + this.#bare.flush();
  }

  #insert(settlement: Settlement): void {
    const { page } = settlement;
    if (page !== null && settlement.duplicateOf === null && settlement.code === null && page.marks.length === 0 && page.bodyHash === null) {
      this.#insertPlain(settlement, page);
      return;
    }
    const inserts = page === null ? this.#bare : this.#inserts;
    inserts.put(settlement.id);
    inserts.put(settlement.pass);
    inserts.put(outcomeCode(settlement.outcome));
    inserts.put(settlement.duplicateOf);
    inserts.put(settlement.seq);
    inserts.put(settlement.code);
    if (page === null) inserts.put(triesOf(settlement) ?? 0);
    else {
      putCopy(inserts, page);
      inserts.put(listText(page.marks));
      inserts.put(page.bodyHash);
      inserts.put(page.links);
    }
    inserts.end();
  }

  #insertPlain(settlement: Settlement, page: StoredPage): void {
    const inserts = this.#plain;
    inserts.put(settlement.id);
    inserts.put(settlement.pass);
    inserts.put(outcomeCode(settlement.outcome));
    inserts.put(settlement.seq);
    putCopy(inserts, page);
    inserts.put(page.links);
    inserts.end();
  }

  #update(settlement: Settlement): number {
    const page = settlement.page;
    const cells = page === null ? this.#stateCells : this.#pageCells;
    cells[0] = settlement.pass;
    cells[1] = outcomeCode(settlement.outcome);
    cells[2] = settlement.duplicateOf;
    cells[3] = settlement.seq;
    cells[4] = settlement.code;
    const next = STATE_COLUMNS.length;
    if (page === null) cells[next] = triesOf(settlement);
    const at = page === null ? next + 1 : fillPage(cells, next, page);
    cells[at] = settlement.id;
    cells[at + 1] = settlement.token;
    return (page === null ? this.#updateState : this.#updatePage).run(cells);
  }
}

/** What a settlement adds to the attempts since the last success; null when it is one. */
function triesOf({ outcome, attempts }: Settlement): number | null {
  return outcome === "failed" || outcome === "blocked" ? attempts : null;
}

/** The page columns up to `last_modified`, in their order. */
function putCopy(inserts: BulkInsert, page: StoredPage): void {
  inserts.put(page.textHashVersion);
  inserts.put(page.textHash);
  inserts.put(flagsOf(page));
  inserts.put(page.contentType);
  inserts.put(page.charset);
  inserts.put(freeText(page.title));
  inserts.put(page.canonical);
  inserts.put(page.etag);
  inserts.put(page.lastModified);
}

/** @returns index behind the last cell written. */
function fillPage(cells: Cell[], from: number, page: StoredPage): number {
  cells[from] = page.textHashVersion;
  cells[from + 1] = page.textHash;
  cells[from + 2] = flagsOf(page);
  cells[from + 3] = page.contentType;
  cells[from + 4] = page.charset;
  cells[from + 5] = freeText(page.title);
  cells[from + 6] = page.canonical;
  cells[from + 7] = page.etag;
  cells[from + 8] = page.lastModified;
  cells[from + 9] = listText(page.marks);
  cells[from + 10] = page.bodyHash;
  cells[from + 11] = page.links;
  return from + PAGE_COLUMNS.length;
}
