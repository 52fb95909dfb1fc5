import { readFileSync } from "node:fs";
import { StoreUnavailable } from "../../kernel/errors.ts";
import type { Connection } from "./database.ts";

/** "weir" in ASCII, in the file's header: tells a store from any other SQLite file. */
export const APPLICATION_ID = 0x77656972;

/** Step `n` (from 0) takes a store of version `n` to `n + 1`. Append only: released steps never change. */
const MIGRATIONS: readonly string[] = [
  readFileSync(new URL("./schema.sql", import.meta.url), "utf8"),
  // Attempts since the last success, and the delay drawn before the last attempt. Behind the blob of the links: both are read only
  // of rows that are read whole.
  `ALTER TABLE page ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE page ADD COLUMN retry_delay REAL;`,
];

/** Version this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings a file to this program's schema, or says why it is left alone. A new or empty file becomes a store; a file of
 * something else, or of a newer weir, is not touched.
 */
export function migrate(db: Connection, path: string): void {
  const version = inspect(db, path);
  if (version === SCHEMA_VERSION) return;
  db.transaction(() => {
    for (const step of MIGRATIONS.slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/** The same judgement for a reader, which cannot upgrade anything. */
export function requireCurrent(db: Connection, path: string): void {
  const version = inspect(db, path);
  if (version === SCHEMA_VERSION) return;
  if (version === 0) throw new StoreUnavailable("WEIR_STORE_INVALID", `${path} holds no crawl yet.`);
  throw new StoreUnavailable("WEIR_STORE_FAILED", `The store ${path} has the older format ${version}; the next crawl upgrades it.`);
}

/** @returns the store's version; 0 for a file without any table. */
function inspect(db: Connection, path: string): number {
  const number = (sql: string) => Number(db.prepare(sql).row([])?.[0] ?? 0);
  const version = number("PRAGMA user_version");
  const application = number("PRAGMA application_id");
  if (application !== APPLICATION_ID) {
    if (application === 0 && number("SELECT count(*) FROM sqlite_schema") === 0) return 0;
    throw new StoreUnavailable("WEIR_STORE_INVALID", `${path} is a SQLite file, but not a weir store; give --store another path.`);
  }
  if (version > SCHEMA_VERSION) {
    throw new StoreUnavailable(
      "WEIR_STORE_NEWER",
      `The store ${path} was written by a newer version of weir (format ${version}, this one reads up to ${SCHEMA_VERSION}); upgrade weir or give --store another path.`,
    );
  }
  if (version < 1) throw new StoreUnavailable("WEIR_STORE_INVALID", `The store ${path} is damaged: it has no format number.`);
  return version;
}
