import { connect } from "./database.ts";

/** Version of the SQLite inside the binding; rejects when the binding cannot be loaded on this machine (for `weir doctor`). */
export async function sqliteVersion(): Promise<string> {
  const db = connect(":memory:", { readonly: false, busyMs: 0 });
  try {
    return String(db.prepare("SELECT sqlite_version()").row([])?.[0]);
  } finally {
    db.close();
  }
}
