import Libsql from "libsql";
import { BUSY, storeError } from "./store-error.ts";

/** What SQLite hands out and takes. Integers beyond 2^53 do not occur in weir's schema. */
export type Cell = number | string | Uint8Array | null;
export type Row = readonly Cell[];

/** A statement prepared once and run often. Parameters are positional and copied before the call returns. */
export interface Statement {
  /** @returns rows changed. */
  run(parameters: readonly Cell[]): number;
  row(parameters: readonly Cell[]): Row | undefined;
  rows(parameters: readonly Cell[]): readonly Row[];
}

/** The whole of the SQLite binding that the store uses, so that another binding is a change of this one file. */
export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Runs `body` in one transaction that takes the write lock first; rolled back when `body` throws. */
  transaction<T>(body: () => T): T;
  close(): void;
}

/**
 * Opens one SQLite file; errors are thrown as the store's own. A read-only connection never creates, writes or checkpoints;
 * an `untouched` one takes the file for one that nobody changes and needs nothing beside it.
 *
 * Four habits of libsql 0.5 shape this file: it ignores the `readonly` option (so the mode goes into the file's URI); it
 * does not finalize statements on `close` (so locks are released only for connections which use `exec` alone: lock.ts);
 * it binds booleans by aborting the process (so `Cell` has none); and its SQLite, 3.45.1, can lose a commit when a second
 * connection checkpoints during it (so nobody but the writer ever checkpoints).
 */
export function connect(path: string, options: { readonly: boolean; untouched?: boolean; busyMs: number }): Connection {
  return guard(path, () => {
    const mode = options.untouched === true ? "?mode=ro&immutable=1" : options.readonly ? "?mode=ro" : "";
    const db = new Libsql(`file:${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}${mode}`);
    db.exec(`PRAGMA busy_timeout = ${options.busyMs}`);
    if (options.readonly) db.exec("PRAGMA query_only = 1; PRAGMA wal_autocheckpoint = 0");
    return new LibsqlConnection(path, db);
  });
}

/** True of an error thrown here because another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && (resultCode(error.cause) & 0xff) === BUSY;
}

/** SQLite's extended result code, or 0. A failed opening carries it only as the number that ends its message. */
function resultCode(error: unknown): number {
  const { rawCode, message } = error as { rawCode?: unknown; message?: unknown };
  if (typeof rawCode === "number") return rawCode;
  return Number(/Unable to open connection.*: (\d+)\W*$/.exec(String(message))?.[1] ?? 0);
}

function guard<T>(path: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw storeError(path, error, resultCode(error));
  }
}

class LibsqlConnection implements Connection {
  readonly #path: string;
  readonly #db: Libsql.Database;

  constructor(path: string, db: Libsql.Database) {
    this.#path = path;
    this.#db = db;
  }

  exec(sql: string): void {
    guard(this.#path, () => this.#db.exec(sql));
  }

  prepare(sql: string): Statement {
    const path = this.#path;
    const statement = guard(path, () => this.#db.prepare(sql));
    let raw = false;
    const reader = () => {
      if (!raw) statement.raw();
      raw = true;
      return statement;
    };
    return {
      run: (parameters) => {
        try {
          return statement.run(parameters).changes;
        } catch (error) {
          throw storeError(path, error, resultCode(error));
        }
      },
      row: (parameters) => guard(path, () => reader().get(parameters) as Row | undefined),
      rows: (parameters) => guard(path, () => reader().all(parameters) as Row[]),
    };
  }

  transaction<T>(body: () => T): T {
    this.exec("BEGIN IMMEDIATE");
    try {
      const result = body();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite has already rolled back after a full disk or an I/O error; then there is nothing left to undo.
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    guard(this.#path, () => this.#db.close());
  }
}
