import type { UrlId } from "../../kernel/units.ts";
import type { DeadLetters, Requeued } from "../../ports/store.ts";
import type { Connection } from "./database.ts";
import { outcomeCode } from "./rows.ts";

/** Puts dead letters back, one transaction. Rare, so that its statements are prepared for each call. */
export function requeue(db: Connection, which: DeadLetters, after: UrlId, limit: number): readonly Requeued[] {
  const parameters: (string | number)[] = [after];
  const only: string[] = [];
  if (which.host !== null) {
    only.push("AND u.host = (SELECT id FROM host WHERE key = ?)");
    parameters.push(which.host);
  }
  if (which.code !== null) {
    only.push("AND p.code = ?");
    parameters.push(which.code);
  }
  if (which.pass !== null) {
    only.push("AND p.pass = ?");
    parameters.push(which.pass);
  }
  const dead = `p.outcome IN (${outcomeCode("failed")}, ${outcomeCode("blocked")}) AND u.skip IS NULL`;
  const select = db.prepare(
    `SELECT p.id, u.host, p.pass, p.outcome FROM page p JOIN url u ON u.id = p.id
     WHERE p.id > ? AND ${dead} ${only.join(" ")} ORDER BY p.id LIMIT ?`,
  );
  const putBack = db.prepare(
    `UPDATE page SET token = token + 1, pass = 0, outcome = NULL, code = NULL, attempts = 0, tries = 0, due_at = NULL,
       retry_code = NULL, retry_delay = NULL WHERE id = ?`,
  );
  const uncount = db.prepare("UPDATE tally SET visits = max(0, visits - 1) WHERE pass = ? AND outcome = ?");
  return db.transaction(() =>
    select.rows([...parameters, limit]).map(([id, host, pass, outcome]) => {
      putBack.run([id]);
      uncount.run([pass, outcome]);
      return { id: Number(id), host: Number(host) };
    }),
  );
}
