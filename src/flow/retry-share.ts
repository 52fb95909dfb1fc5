import type { Millis } from "../kernel/units.ts";

/** Window of a retry share. Source: flow-control.md §4. */
export const RETRY_WINDOW: Millis = 60_000;
/** Parts of the window that are counted apart: for one host, and over all. */
export const HOST_PARTS = 12;
export const OVERALL_PARTS = 60;
/** Counts of one part are kept in 16 bits; more than this in 5 s of one host are not told apart. */
const COUNT_MOST = 65_535;

/**
 * Retries ÷ starts over the last 60 s. The window moves in parts; of the part that is leaving it as much is counted as still
 * lies in the window. Bounded: two small counts a part.
 */
export class RetryShare {
  readonly #parts: number;
  readonly #span: Millis;
  /** Starts and retries by part, one part more than the window has. */
  readonly #starts: Uint16Array | Uint32Array;
  readonly #retries: Uint16Array | Uint32Array;
  /** Number of the current part, from the clock's zero. */
  #part = -1;

  constructor(parts: number) {
    this.#parts = parts;
    this.#span = RETRY_WINDOW / parts;
    const wide = parts > HOST_PARTS;
    this.#starts = wide ? new Uint32Array(parts + 1) : new Uint16Array(parts + 1);
    this.#retries = wide ? new Uint32Array(parts + 1) : new Uint16Array(parts + 1);
  }

  started(now: Millis, isRetry: boolean): void {
    const part = Math.floor(now / this.#span);
    if (part !== this.#part) this.#move(part);
    const at = part % (this.#parts + 1);
    if (this.#starts[at] === COUNT_MOST && this.#parts <= HOST_PARTS) return;
    this.#starts[at] += 1;
    if (isRetry) this.#retries[at] += 1;
  }

  /** @returns 0–1; 0 when nothing started. */
  share(now: Millis): number {
    const starts = this.#sum(this.#starts, now);
    return starts <= 0 ? 0 : this.#sum(this.#retries, now) / starts;
  }

  retries(now: Millis): number {
    return this.#sum(this.#retries, now);
  }

  #sum(counts: Uint16Array | Uint32Array, now: Millis): number {
    const part = Math.floor(now / this.#span);
    if (part !== this.#part) this.#move(part);
    let sum = 0;
    for (const count of counts) sum += count;
    const leaving = counts[(part + 1) % (this.#parts + 1)];
    return sum - leaving * (now / this.#span - part);
  }

  /** Empties the parts that time has passed over. */
  #move(part: number): void {
    const slots = this.#parts + 1;
    const from = Math.max(this.#part + 1, part - this.#parts);
    for (let empty = from; empty <= part; empty++) {
      this.#starts[empty % slots] = 0;
      this.#retries[empty % slots] = 0;
    }
    this.#part = part;
  }
}

/** Share from which an episode begins once it has lasted, and below which it ends. Source: flow-control.md §4; the end: half of it, guess. */
const ALARM_ABOVE = 0.2;
const CALM_BELOW = 0.1;
/** How long either must last. Source: flow-control.md §4. */
const LASTS: Millis = 60_000;
/** Fewer retries than this in the window are no storm, whatever their share: the last few URLs of a crawl are tried again alone. Source: guess. */
const RETRIES_LEAST = 10;

/** Tells when retries have become too large a part of all requests, once an episode, and holds the shed level meanwhile. */
export class RetryAlarm {
  #since: Millis | null = null;
  #raised = false;

  /** Steps by which the shed level is raised now. */
  get level(): 0 | 1 {
    return this.#raised ? 1 : 0;
  }

  /** Called once a second. @returns what has changed. */
  tick(now: Millis, share: number, retries: number): "raised" | "over" | null {
    const turns = this.#raised ? share < CALM_BELOW : share > ALARM_ABOVE && retries >= RETRIES_LEAST;
    if (!turns) {
      this.#since = null;
      return null;
    }
    this.#since ??= now;
    if (now - this.#since < LASTS) return null;
    this.#since = null;
    this.#raised = !this.#raised;
    return this.#raised ? "raised" : "over";
  }
}
