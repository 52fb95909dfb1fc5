import { WeirError } from "../kernel/errors.ts";
import type { Outcome, SkipReason } from "../kernel/outcome.ts";
import type { EpochMillis, Millis, Seq, UrlId } from "../kernel/units.ts";
import type {
  DeadLetters,
  HostRow,
  NewUrl,
  Requeued,
  Rescheduled,
  ScanRow,
  SettledRow,
  Settlement,
  Store,
  StoreBatch,
  StoredPage,
  StoreTotals,
  VisitRow,
} from "../ports/store.ts";

type Url = { -readonly [K in keyof NewUrl]: NewUrl[K] };

/** State of a URL that was settled or rescheduled; absent means token 0. */
interface PageRow {
  readonly token: number;
  readonly pass: number;
  readonly outcome: Outcome | null;
  readonly code: string | null;
  readonly attempts: number;
  readonly tries: number;
  readonly delay: Millis;
  readonly retryCode: string | null;
  readonly dueAt: EpochMillis | null;
  readonly duplicateOf: UrlId | null;
  readonly seq: Seq | null;
  readonly page: StoredPage | null;
}

type Visit = Omit<Settlement, "page" | "token" | "extra">;

const EMPTY: PageRow = {
  token: 0,
  pass: 0,
  outcome: null,
  code: null,
  attempts: 0,
  tries: 0,
  delay: 0,
  retryCode: null,
  dueAt: null,
  duplicateOf: null,
  seq: null,
  page: null,
};

/** The store's contract in plain memory, for scenarios on virtual time: no file, no timer, nothing to wait for. */
export class MemoryStore implements Store {
  readonly traits = { multiWriter: false };
  #urls: Url[] = [];
  #hosts: HostRow[] = [];
  #pages = new Map<UrlId, PageRow>();
  /** In `seq` order. */
  #visits: Visit[] = [];
  #extras = new Map<Seq, string>();
  #cursors = new Map<string, Seq>();
  #meta = new Map<string, string>();
  #inFlight: readonly UrlId[] = [];
  /** Visits whose URLs were put back. */
  readonly #uncounted = new Set<Seq>();

  async commit(batch: StoreBatch): Promise<readonly UrlId[]> {
    this.#refuseContradictions(batch);
    for (const host of batch.hosts) this.#hosts[host.id] = { ...host, limiter: null, gateUntil: null, robots: null };
    for (const url of batch.urls) this.#urls[url.id] = { ...url };
    for (const { id, depth, skip } of batch.revised) if (this.#urls[id]) Object.assign(this.#urls[id], { depth, skip });
    const settled: (Rescheduled | Settlement)[] = [...batch.settlements, ...batch.rescheduled];
    const items = settled.sort((a, b) => a.id - b.id || a.token - b.token);
    const refused = items.filter((item) => !this.#apply(item));
    this.#log(batch.settlements.filter((item) => !refused.includes(item)));
    for (const { id, limiter, gateUntil, robots } of batch.hostStates) {
      const host = this.#hosts[id];
      if (host !== undefined) this.#hosts[id] = { ...host, limiter: limiter ?? host.limiter, gateUntil, robots: robots ?? host.robots };
    }
    for (const [key, value] of batch.meta) this.#meta.set(key, value);
    this.#inFlight = batch.inFlight.slice();
    return refused.map(({ id }) => id);
  }

  /** Checked before anything changes: that makes the rest all or nothing. */
  #refuseContradictions(batch: StoreBatch): void {
    const ids = new Set<UrlId>();
    const known =
      batch.urls.some(({ id }) => this.#urls[id] !== undefined || ids.size === ids.add(id).size) ||
      batch.hosts.some(({ id }) => this.#hosts[id] !== undefined);
    const numbered = batch.settlements.some(({ seq }) => this.#visitAt(seq) !== undefined);
    if (known || numbered) throw new WeirError("WEIR_BUG", "A batch contradicts what the store holds.");
  }

  #apply(item: Rescheduled | Settlement): boolean {
    const row = this.#pages.get(item.id) ?? EMPTY;
    if (item.token !== row.token) return false;
    if (!("seq" in item)) {
      const { attempts, delay, dueAt, code: retryCode } = item;
      this.#pages.set(item.id, { ...row, token: row.token + 1, attempts, delay, dueAt, retryCode });
      return true;
    }
    const { page, token } = item;
    this.#pages.set(item.id, {
      token: token + 1,
      pass: item.pass,
      outcome: item.outcome,
      code: item.code,
      attempts: 0,
      tries: page === null && isDead(item.outcome) ? row.tries + item.attempts : 0,
      delay: 0,
      retryCode: null,
      dueAt: null,
      duplicateOf: page === null ? (item.duplicateOf ?? row.duplicateOf) : item.duplicateOf,
      seq: item.seq,
      page: page === null ? row.page : { ...page, links: page.links.slice(), textHash: page.textHash.slice() },
    });
    return true;
  }

  /** Numbers nearly always ascend from batch to batch; only then is the log not sorted again. */
  #log(settlements: readonly Settlement[]): void {
    const last = this.#visits.at(-1)?.seq ?? 0;
    const visits = settlements.slice().sort((a, b) => a.seq - b.seq);
    for (const { page: _page, token: _token, extra, ...visit } of visits) {
      this.#visits.push(visit);
      if (extra !== null) this.#extras.set(visit.seq, extra);
    }
    if (visits.length > 0 && visits[0].seq < last) this.#visits.sort((a, b) => a.seq - b.seq);
  }

  async scan(row: (row: ScanRow) => void, signal: AbortSignal): Promise<number> {
    let count = 0;
    for (const { id, url, host, depth, via, skip } of this.#urls) {
      if (signal.aborted) break;
      const { pass, outcome, attempts, dueAt, token, duplicateOf, page } = this.#pages.get(id) ?? EMPTY;
      const textHash = page?.textHash ?? null;
      const textHashVersion = page?.textHashVersion ?? 0;
      row({ id, url, host, depth, via, skip, pass, outcome, attempts, dueAt, token, textHash, textHashVersion, duplicateOf });
      count++;
    }
    return count;
  }

  async hosts(): Promise<readonly HostRow[]> {
    return this.#hosts.map((host) => ({ ...host }));
  }

  async visitRows(ids: readonly UrlId[]): Promise<readonly VisitRow[]> {
    return ids.flatMap((id) => {
      const known = this.#urls[id];
      if (known === undefined) return [];
      const { token, attempts, tries, delay, code, retryCode, page } = this.#pages.get(id) ?? EMPTY;
      return {
        id,
        url: known.url,
        token,
        attempts,
        tries,
        delay,
        code: retryCode ?? code,
        depth: known.depth,
        via: known.via,
        etag: page?.etag ?? null,
        lastModified: page?.lastModified ?? null,
        textHash: page?.textHash ?? null,
        textHashVersion: page?.textHashVersion ?? 0,
      };
    });
  }

  urlTexts(ids: readonly UrlId[]): readonly string[] {
    return ids.map((id) => this.#urls[id]?.url ?? "");
  }

  async inFlight(): Promise<readonly UrlId[]> {
    return this.#inFlight;
  }

  async meta(key: string): Promise<string | null> {
    return this.#meta.get(key) ?? null;
  }

  async settledAfter(after: Seq, limit: number, pass?: number): Promise<readonly SettledRow[]> {
    const rows: SettledRow[] = [];
    for (let k = this.#firstAfter(after); k < this.#visits.length && rows.length < limit; k++) {
      const visit = this.#visits[k];
      if (pass === undefined || visit.pass === pass) rows.push(this.#settledRow(visit.id, visit));
    }
    return rows;
  }

  async lastSeq(): Promise<Seq> {
    return this.#visits.at(-1)?.seq ?? 0;
  }

  async cursor(consumer: string): Promise<Seq | null> {
    return this.#cursors.get(consumer) ?? null;
  }

  async advance(consumer: string, seq: Seq): Promise<void> {
    this.#cursors.set(consumer, seq);
    const taken = Math.min(...this.#cursors.values());
    for (const held of this.#extras.keys()) if (held <= taken) this.#extras.delete(held);
  }

  async current(what: "pages" | "skipped" | "failed", after: UrlId, limit: number): Promise<readonly SettledRow[]> {
    const rows: SettledRow[] = [];
    for (const { id, skip } of this.#urls) {
      if (rows.length === limit) break;
      const { outcome, page, seq } = this.#pages.get(id) ?? EMPTY;
      const wanted = {
        pages: page !== null,
        skipped: skip !== null || outcome === "skipped",
        failed: isDead(outcome),
      };
      if (id <= after || !wanted[what]) continue;
      const row = this.#settledRow(id, seq === null ? undefined : this.#visitAt(seq));
      rows.push(what === "skipped" && skip !== null ? { ...row, outcome: "skipped", code: skip } : row);
    }
    return rows;
  }

  async requeue(which: DeadLetters, after: UrlId, limit: number): Promise<readonly Requeued[]> {
    const requeued: Requeued[] = [];
    for (const { id, host, skip } of this.#urls) {
      const row = this.#pages.get(id) ?? EMPTY;
      if (id <= after || requeued.length === limit || skip !== null || !isDead(row.outcome)) continue;
      if ((which.host !== null && this.#hosts[host]?.key !== which.host) || (which.code !== null && row.code !== which.code)) continue;
      if (which.pass !== null && row.pass !== which.pass) continue;
      this.#pages.set(id, { ...EMPTY, token: row.token + 1, duplicateOf: row.duplicateOf, seq: row.seq, page: row.page });
      if (row.seq !== null) this.#uncounted.add(row.seq);
      requeued.push({ id, host });
    }
    return requeued;
  }

  async totals(pass: number): Promise<StoreTotals> {
    const outcomes: Partial<Record<Outcome, number>> = {};
    const skips: Partial<Record<SkipReason, number>> = {};
    for (const { seq, pass: of, outcome } of this.#visits)
      if (of === pass && !this.#uncounted.has(seq)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    for (const { id, skip } of this.#urls) {
      const state = this.#pages.get(id);
      const reason = skip ?? (state?.outcome === "skipped" ? (state.code as SkipReason | null) : null);
      if (reason !== null) skips[reason] = (skips[reason] ?? 0) + 1;
    }
    return { known: this.#urls.length, outcomes, skips };
  }

  async clear(): Promise<void> {
    this.#urls = [];
    this.#hosts = [];
    this.#visits = [];
    this.#inFlight = [];
    for (const map of [this.#pages, this.#extras, this.#cursors, this.#meta, this.#uncounted]) map.clear();
  }

  async close(): Promise<void> {}

  #settledRow(id: UrlId, visit: Visit | undefined): SettledRow {
    const { url, depth, via, skip } = this.#urls[id];
    const page = this.#pages.get(id)?.page ?? null;
    if (visit !== undefined) return { ...visit, extra: this.#extras.get(visit.seq) ?? null, url, depth, via, page };
    return { ...NEVER_VISITED, id, code: skip, url, depth, via, page };
  }

  /** Index of the first visit with a number above `after`. */
  #firstAfter(after: Seq): number {
    let low = 0;
    let high = this.#visits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#visits[middle].seq <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #visitAt(seq: Seq): Visit | undefined {
    const visit = this.#visits[this.#firstAfter(seq - 1)];
    return visit?.seq === seq ? visit : undefined;
  }
}

function isDead(outcome: Outcome | null): boolean {
  return outcome === "failed" || outcome === "blocked";
}

/** What `current` tells of a URL that was skipped when it was discovered. */
const NEVER_VISITED = {
  seq: 0,
  pass: 0,
  outcome: "skipped",
  message: null,
  status: null,
  at: 0,
  ms: null,
  bytesWire: 0,
  bytesBody: 0,
  provider: null,
  attempts: 0,
  finalUrl: null,
  redirects: [],
  duplicateOf: null,
  changed: null,
  extra: null,
} as const;
