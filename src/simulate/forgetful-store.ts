import { StoreUnavailable, WeirError } from "../kernel/errors.ts";
import type { Outcome, SkipReason } from "../kernel/outcome.ts";
import type { EpochMillis, Millis, Seq, UrlId } from "../kernel/units.ts";
import type {
  HostRow,
  NewUrl,
  Requeued,
  Rescheduled,
  ScanRow,
  SettledRow,
  Settlement,
  Store,
  StoreBatch,
  StoreTotals,
  VisitRow,
} from "../ports/store.ts";

interface WaitingRow {
  readonly url: NewUrl;
  token: number;
  attempts: number;
  delay: Millis;
  code: string | null;
  dueAt: EpochMillis | null;
}

/**
 * A store for long simulations: it knows the URLs that wait, and of those that were settled only how many. So an hour of a fast
 * host takes no more memory than a minute, and what a run must never do is seen at once: settle a URL twice, or one unknown.
 * It can stall, and it can be full.
 */
export class ForgetfulStore implements Store {
  readonly traits = { multiWriter: false };
  readonly #rows = new Map<UrlId, WaitingRow>();
  readonly #skipped = new Map<UrlId, SkipReason>();
  readonly #hosts: HostRow[] = [];
  readonly #meta = new Map<string, string>();
  readonly #outcomes: Partial<Record<Outcome, number>> = {};
  #known = 0;
  #settled = 0;
  #refused = 0;
  #lastSeq: Seq = 0;
  #stalled: (() => void)[] | null = null;
  #full = false;

  /** URLs discovered and neither settled nor skipped. */
  get waiting(): number {
    return this.#rows.size;
  }
  get settled(): number {
    return this.#settled;
  }
  get known(): number {
    return this.#known;
  }
  /** Results for a URL that was settled already, or under an old token. */
  get refused(): number {
    return this.#refused;
  }
  get outcomes(): Readonly<Partial<Record<Outcome, number>>> {
    return this.#outcomes;
  }

  /** From now on nothing answers. */
  stall(): void {
    this.#stalled ??= [];
  }
  /** What has waited is done. */
  resume(): void {
    const waiting = this.#stalled ?? [];
    this.#stalled = null;
    for (const go of waiting) go();
  }
  /** Whether there is no room. */
  fill(full: boolean): void {
    this.#full = full;
  }

  async commit(batch: StoreBatch): Promise<readonly UrlId[]> {
    await this.#ready();
    if (this.#full) throw new StoreUnavailable("WEIR_STORE_FULL", "There is no room on the disk");
    for (const host of batch.hosts) this.#hosts[host.id] = { ...host, limiter: null, gateUntil: null, robots: null };
    for (const url of batch.urls) this.#add(url);
    for (const { id, skip } of batch.revised) this.#revise(id, skip);
    const items = [...batch.settlements, ...batch.rescheduled].sort((a, b) => a.id - b.id || a.token - b.token);
    const refused = items.filter((item) => !this.#apply(item)).map(({ id }) => id);
    this.#refused += refused.length;
    for (const [key, value] of batch.meta) this.#meta.set(key, value);
    return refused;
  }

  #add(url: NewUrl): void {
    if (this.#rows.has(url.id)) throw new WeirError("WEIR_BUG", "A batch contradicts what the store holds.");
    this.#known += 1;
    if (url.skip === null) this.#rows.set(url.id, { url, token: 0, attempts: 0, delay: 0, code: null, dueAt: null });
    else this.#skipped.set(url.id, url.skip);
  }

  #revise(id: UrlId, skip: SkipReason | null): void {
    if (skip !== null && this.#rows.delete(id)) this.#skipped.set(id, skip);
    else if (skip === null && this.#skipped.has(id)) throw new WeirError("WEIR_BUG", "This store does not take a skip back.");
  }

  #apply(item: Rescheduled | Settlement): boolean {
    const row = this.#rows.get(item.id);
    if (row === undefined || row.token !== item.token) return false;
    if ("seq" in item) {
      this.#rows.delete(item.id);
      this.#settled += 1;
      this.#lastSeq = Math.max(this.#lastSeq, item.seq);
      this.#outcomes[item.outcome] = (this.#outcomes[item.outcome] ?? 0) + 1;
    } else {
      row.token += 1;
      row.attempts = item.attempts;
      row.delay = item.delay;
      row.code = item.code;
      row.dueAt = item.dueAt;
    }
    return true;
  }

  /** Its URLs are no past ones: a simulation begins anew. */
  async scan(_row: (row: ScanRow) => void): Promise<number> {
    return 0;
  }

  async hosts(): Promise<readonly HostRow[]> {
    return this.#hosts;
  }

  async visitRows(ids: readonly UrlId[]): Promise<readonly VisitRow[]> {
    await this.#ready();
    return ids.flatMap((id) => {
      const row = this.#rows.get(id);
      if (row === undefined) return [];
      const { url, depth, via } = row.url;
      const { token, attempts, delay, code } = row;
      return [
        { id, url, token, attempts, tries: 0, delay, code, depth, via, etag: null, lastModified: null, textHash: null, textHashVersion: 0 },
      ];
    });
  }

  urlTexts(ids: readonly UrlId[]): readonly string[] {
    return ids.map((id) => this.#rows.get(id)?.url.url ?? "");
  }

  async inFlight(): Promise<readonly UrlId[]> {
    return [];
  }
  async meta(key: string): Promise<string | null> {
    return this.#meta.get(key) ?? null;
  }
  async settledAfter(): Promise<readonly SettledRow[]> {
    return [];
  }
  async lastSeq(): Promise<Seq> {
    return this.#lastSeq;
  }
  async cursor(): Promise<Seq | null> {
    return null;
  }
  async advance(): Promise<void> {}
  async current(): Promise<readonly SettledRow[]> {
    return [];
  }

  /** What was settled is forgotten. */
  async requeue(): Promise<readonly Requeued[]> {
    return [];
  }

  async totals(): Promise<StoreTotals> {
    const skips: Partial<Record<SkipReason, number>> = {};
    for (const reason of this.#skipped.values()) skips[reason] = (skips[reason] ?? 0) + 1;
    return { known: this.#known, outcomes: this.#outcomes, skips };
  }

  async clear(): Promise<void> {
    this.#rows.clear();
    this.#skipped.clear();
    this.#meta.clear();
    this.#hosts.length = 0;
  }

  async close(): Promise<void> {}

  #ready(): Promise<void> {
    const stalled = this.#stalled;
    return stalled === null ? Promise.resolve() : new Promise((go) => stalled.push(go));
  }
}
