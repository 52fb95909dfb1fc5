import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { StoreUnavailable } from "../../kernel/errors.ts";
import { type Connection, connect, isBusy } from "./database.ts";

/**
 * Makes this process the store's only writer. An exclusive transaction is held on an empty SQLite file beside the store:
 * the operating system ends that lock with the process however it dies, a second connection in the same process is
 * refused too, and readers of the store itself never meet it. Who holds it stands in a text file, because a lock cannot be
 * read; that file may outlive its writer and proves nothing by itself.
 */
export class WriterLock {
  readonly #db: Connection;
  readonly #owner: string;

  private constructor(db: Connection, owner: string) {
    this.#db = db;
    this.#owner = owner;
  }

  /** @throws StoreUnavailable `WEIR_STORE_IN_USE`, naming the holder. */
  static take(path: string): WriterLock {
    const owner = `${path}.owner`;
    const db = connect(`${path}.lock`, { readonly: false, busyMs: 0 });
    try {
      // `exec` only: a prepared statement would keep the lock beyond `close` until it is collected.
      db.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      db.close();
      if (isBusy(error)) throw inUse(path, owner, error);
      throw error;
    }
    const lock = new WriterLock(db, owner);
    try {
      writeFileSync(
        owner,
        `${JSON.stringify({ pid: process.pid, since: new Date().toISOString(), command: commandLine(process.argv) })}\n`,
      );
    } catch {
      // It only serves the message of whoever comes second; a full disk must not stop the first.
    }
    return lock;
  }

  release(): void {
    rmSync(this.#owner, { force: true });
    this.#db.close();
  }
}

/** Whether a process writes the store, or ended without leaving it. */
export function hasWriter(path: string): boolean {
  return existsSync(`${path}.owner`);
}

function inUse(path: string, owner: string, cause: unknown): StoreUnavailable {
  return new StoreUnavailable(
    "WEIR_STORE_IN_USE",
    `The store ${path} is being written by ${holder(owner)}; wait for it, stop it, or give --store another path.`,
    { cause },
  );
}

function holder(owner: string): string {
  try {
    const { pid, since, command } = JSON.parse(readFileSync(owner, "utf8")) as Record<string, unknown>;
    return `process ${Number(pid)} since ${String(since)} (${String(command)})`;
  } catch {
    return "another process";
  }
}

/** Program and words up to the first option: options may carry secrets, and so may a URL's user part. */
export function commandLine(argv: readonly string[]): string {
  const words = [basename(argv[1] ?? argv[0] ?? "weir")];
  for (const word of argv.slice(2)) {
    if (word.startsWith("-") || words.length === 4) break;
    words.push(word.replace(/\/\/[^/@]*@/, "//").slice(0, 200));
  }
  return words.join(" ");
}
