import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StoreUnavailable } from "../../kernel/errors.ts";
import type { Seq, UrlId } from "../../kernel/units.ts";
import type { DeadLetters, HostRow, Requeued, ScanRow, SettledRow, Store, StoreBatch, StoreTotals, VisitRow } from "../../ports/store.ts";
import { Committer } from "./commit.ts";
import { type Connection, connect } from "./database.ts";
import { hasWriter, WriterLock } from "./lock.ts";
import { migrate, requireCurrent } from "./migrations.ts";
import { Reader } from "./read.ts";
import { requeue } from "./requeue.ts";
import { hindrance } from "./store-error.ts";
import { UrlTexts } from "./url-texts.ts";

/**
 * Set on a writer before the first page is written. 8 KiB pages hold about 18 page rows. The write-ahead log is folded
 * back at 16 MB, so about once in 5 s of a fast crawl, and is cut to that size after a reader has made it grow. The page
 * cache counts against the crawler's 200 MB. NORMAL: a commit survives the death of the process at any moment; after a
 * loss of power the last few may be missing, and the file is whole.
 */
const WRITER_PRAGMAS = `
  PRAGMA page_size = 8192;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -32768;
  PRAGMA temp_store = MEMORY;
`;
const WAL_PAGES = 2048;
const WAL_BYTES = WAL_PAGES * 8192;

export interface SqliteStoreOptions {
  /** For `status` and `export` beside a running crawl: takes no lock, creates nothing, refuses to write. */
  readonly readonly?: boolean;
}

/** How long a statement of the running writer waits for another program's lock, in milliseconds; it blocks everything meanwhile. Source: guess. */
const BUSY_RUNNING_MS = 50;

/** The store in one SQLite file in WAL mode; calls run at once on the calling thread (7 % of a crawl's work). */
export class SqliteStore implements Store {
  readonly traits = { multiWriter: false };
  readonly path: string;
  readonly #db: Connection;
  readonly #lock: WriterLock | null;
  readonly #reader: Reader;
  readonly #committer: Committer | null;
  readonly #texts: UrlTexts;
  #closed = false;

  private constructor(path: string, db: Connection, lock: WriterLock | null) {
    this.path = path;
    this.#db = db;
    this.#lock = lock;
    this.#reader = new Reader(db);
    this.#texts = new UrlTexts(db);
    this.#committer = lock === null ? null : new Committer(db);
  }

  /**
   * Opens or creates a store, with its folder.
   * @throws StoreUnavailable: in use (naming the writer), newer, invalid, full or unreadable; nothing is changed then.
   */
  static open(path: string, options: SqliteStoreOptions = {}): SqliteStore {
    return options.readonly ? SqliteStore.#openReader(resolve(path)) : SqliteStore.#openWriter(resolve(path));
  }

  static #openReader(path: string): SqliteStore {
    if (!existsSync(path)) throw new StoreUnavailable("WEIR_STORE_INVALID", `There is no store at ${path}.`);
    // Reading a log takes a file beside the store, which a folder that may not be written does not allow. Where there is no
    // log and no writer, the file can be read as it lies there.
    const untouched = hindrance(path) !== null && !hasWriter(path) && !hasLog(path);
    const db = connect(path, { readonly: true, untouched, busyMs: 2000 });
    return closingOnError(db, () => {
      requireCurrent(db, path);
      return new SqliteStore(path, db, null);
    });
  }

  static #openWriter(given: string): SqliteStore {
    const path = makeFolder(given);
    const why = hindrance(path);
    if (why !== null) throw new StoreUnavailable("WEIR_STORE_FAILED", `The store ${path} cannot be written: ${why}.`);
    const lock = WriterLock.take(path);
    try {
      const db = connect(path, { readonly: false, busyMs: 2000 });
      return closingOnError(db, () => {
        db.exec(WRITER_PRAGMAS);
        migrate(db, path);
        enterWal(db, path);
        // From here on a lock of another program is a refusal, and the stage above is patient: waiting in here stops the process.
        db.exec(`PRAGMA busy_timeout = ${BUSY_RUNNING_MS}`);
        return new SqliteStore(path, db, lock);
      });
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async commit(batch: StoreBatch): Promise<readonly UrlId[]> {
    if (this.#committer === null) throw readonlyError(this.path);
    return this.#committer.commit(batch);
  }

  scan(row: (row: ScanRow) => void, signal: AbortSignal): Promise<number> {
    return this.#reader.scan(row, signal);
  }

  async hosts(): Promise<readonly HostRow[]> {
    return this.#reader.hosts();
  }

  async visitRows(ids: readonly UrlId[]): Promise<readonly VisitRow[]> {
    return this.#reader.visitRows(ids);
  }

  urlTexts(ids: readonly UrlId[]): readonly string[] {
    return this.#texts.get(ids);
  }

  async inFlight(): Promise<readonly UrlId[]> {
    return this.#reader.inFlight();
  }

  async meta(key: string): Promise<string | null> {
    return this.#reader.meta(key);
  }

  async settledAfter(after: Seq, limit: number, pass?: number): Promise<readonly SettledRow[]> {
    return this.#reader.settledAfter(after, limit, pass);
  }

  async lastSeq(): Promise<Seq> {
    return this.#reader.lastSeq();
  }

  async cursor(consumer: string): Promise<Seq | null> {
    return this.#reader.cursor(consumer);
  }

  async advance(consumer: string, seq: Seq): Promise<void> {
    if (this.#committer === null) throw readonlyError(this.path);
    this.#committer.advance(consumer, seq);
  }

  async current(what: "pages" | "skipped" | "failed", after: UrlId, limit: number): Promise<readonly SettledRow[]> {
    return this.#reader.current(what, after, limit);
  }

  async requeue(which: DeadLetters, after: UrlId, limit: number): Promise<readonly Requeued[]> {
    if (this.#committer === null) throw readonlyError(this.path);
    return requeue(this.#db, which, after, limit);
  }

  async totals(pass: number): Promise<StoreTotals> {
    return this.#reader.totals(pass);
  }

  async clear(): Promise<void> {
    if (this.#committer === null) throw readonlyError(this.path);
    this.#committer.clear();
    this.#texts.clear();
  }

  /** Folds the log into the file, so that what is left behind is one file. Closing twice does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      // Before `close`, which cannot do it while the binding still holds statements. A full disk leaves the log as it is.
      if (this.#lock !== null) this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").row([]);
    } catch {
      // The log is part of the store; the next opening reads it.
    } finally {
      this.#db.close();
      this.#lock?.release();
    }
  }
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Makes the folder. @returns the path with every link resolved, so that two names of one store share one lock. */
function makeFolder(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable("WEIR_STORE_FAILED", `The folder of the store ${path} cannot be made: ${text}`, { cause: error });
  }
}

/** After `migrate`, so that a file which is not a store has not been touched. The mode is kept in the file. */
function enterWal(db: Connection, path: string): void {
  const mode = db.prepare("PRAGMA journal_mode = WAL").row([])?.[0];
  if (mode !== "wal") {
    throw new StoreUnavailable(
      "WEIR_STORE_FAILED",
      `The store ${path} is on a file system without shared memory (a network share?); put it on a local disk.`,
    );
  }
  db.prepare(`PRAGMA wal_autocheckpoint = ${WAL_PAGES}`).row([]);
  db.prepare(`PRAGMA journal_size_limit = ${WAL_BYTES}`).row([]);
}

function closingOnError<T>(db: Connection, body: () => T): T {
  try {
    return body();
  } catch (error) {
    db.close();
    throw error;
  }
}

function readonlyError(path: string): StoreUnavailable {
  return new StoreUnavailable("WEIR_STORE_FAILED", `The store ${path} was opened for reading only.`);
}
