import type { Cell, Connection, Statement } from "./database.ts";

/**
 * Inserts rows many at a time: crossing into SQLite once for twenty rows instead of once a row more than halves what an
 * append costs (docs/adr/0003). Rows are written cell by cell with `put` and ended with `end`; what is left at the end of
 * a batch goes in quarters, then one by one, so that small batches gain too.
 */
export class BulkInsert {
  readonly #capacity: number;
  readonly #steps: readonly { readonly cells: Cell[]; readonly statement: Statement }[];
  readonly #cells: Cell[];
  #at = 0;
  #inserted = 0;

  /**
   * @param head everything before the values: `INSERT INTO t` or `INSERT OR IGNORE INTO t`.
   * @param tail values behind the cells that are the same in every row, with a comma before each.
   */
  constructor(db: Connection, head: string, columns: number, rows: number, tail = "") {
    const row = `(${Array(columns).fill("?").join(",")}${tail})`;
    const step = (count: number) => ({
      cells: Array<Cell>(columns * count).fill(null),
      statement: db.prepare(`${head} VALUES ${Array(count).fill(row).join(",")}`),
    });
    this.#capacity = columns * rows;
    this.#steps = [step(rows), step(rows >> 2), step(1)];
    this.#cells = this.#steps[0].cells;
  }

  /** Forgets rows of an earlier batch that failed before its flush. */
  reset(): void {
    this.#at = 0;
    this.#inserted = 0;
  }

  put(cell: Cell): void {
    this.#cells[this.#at++] = cell;
  }

  /** Ends a row; writes when enough of them wait. */
  end(): void {
    if (this.#at === this.#capacity) {
      this.#inserted += this.#steps[0].statement.run(this.#cells);
      this.#at = 0;
    }
  }

  /** Writes what waits. @returns rows inserted since `reset`. */
  flush(): number {
    let from = 0;
    for (const { cells, statement } of this.#steps) {
      while (this.#at - from >= cells.length) {
        for (let k = 0; k < cells.length; k++) cells[k] = this.#cells[from + k];
        this.#inserted += statement.run(cells);
        from += cells.length;
      }
    }
    this.#at = 0;
    return this.#inserted;
  }
}
