import type { Millis } from "../kernel/units.ts";

/** Failures in a row, whatever the hosts, that close an endpoint: one may be chance, three are not. Source: guess. */
const ROW_MOST = 3;
/** First gate, doubled with each failed probe up to the longest. Source: flow-control.md §8 (gate). */
const GATE_FIRST: Millis = 1_000;
const GATE_LONGEST: Millis = 300_000;
/** Part of the moved load that is added in each span. Source: flow-control.md §2 (who pays). */
const MOVE_SHARE = 0.1;
const MOVE_SPAN: Millis = 10_000;
/** Time over which the load is estimated. Source: guess; three spans. */
const LOAD_TAU: Millis = 30_000;
/** Load taken for granted, in starts a second, so that a slow crawl moves at all. Source: guess. */
const LOAD_LEAST = 1;

/**
 * Health and load of one endpoint of a gateway.
 *
 * States: *open* → *closed* (three failures in a row; nothing leaves until the gate's end) → *half-open* (one probe; its success
 * opens, its failure closes for twice as long).
 *
 * While it is closed its load moves elsewhere, a tenth of it more every ten seconds: endpoints that get all of a failed one's load
 * at once fail next. After that it comes back at the same rate.
 */
export class Endpoint {
  readonly region: string | null;
  isOpen = true;
  /** End of the gate; a probe may leave from then on. */
  gateUntil: Millis = 0;
  isProbing = false;
  /** Successes so far. */
  oks = 0;
  #row = 0;
  #events = 0;
  #closedAt: Millis = 0;
  // Load: a decaying count of starts.
  #load = 0;
  #loadAt: Millis = 0;
  #firstStart: Millis | undefined;
  #loadAtClose = 0;
  #nextMove: Millis = 0;
  #nextReturn: Millis = 0;
  #returnGap: Millis = 0;

  constructor(region: string | null) {
    this.region = region;
  }

  /** Failures since the last success, and closures in this event. */
  get failures(): { readonly row: number; readonly events: number } {
    return { row: this.#row, events: this.#events };
  }

  /** A probe may leave now. */
  isDue(now: Millis): boolean {
    return !this.isOpen && !this.isProbing && now >= this.gateUntil;
  }

  started(now: Millis): void {
    this.#load = this.#load * Math.exp((this.#loadAt - now) / LOAD_TAU) + 1;
    this.#loadAt = now;
    this.#firstStart ??= now;
  }

  /** Starts a second lately. */
  rate(now: Millis): number {
    if (this.#firstStart === undefined) return 0;
    const seen = 1 - Math.exp(-Math.max(1_000, now - this.#firstStart) / LOAD_TAU);
    return ((this.#load * Math.exp((this.#loadAt - now) / LOAD_TAU)) / (LOAD_TAU * seen)) * 1_000;
  }

  /** @param moved hosts that have gone elsewhere meanwhile. */
  succeeded(isProbe: boolean, moved: number, now: Millis): void {
    this.oks += 1;
    if (!this.isOpen && !isProbe) return; // started before it closed: says nothing about now
    this.#row = 0;
    if (this.isOpen) return;
    this.isOpen = true;
    this.isProbing = false;
    this.#events = 0;
    this.#nextReturn = now;
    this.#returnGap = MOVE_SPAN / Math.max(1, MOVE_SHARE * moved);
  }

  failed(isProbe: boolean, now: Millis, random: () => number): void {
    if (!this.isOpen && !isProbe) return; // the same event
    this.#row += 1;
    if (this.isOpen && this.#row < ROW_MOST) return;
    if (this.isOpen) {
      this.#loadAtClose = Math.max(LOAD_LEAST, this.rate(now));
      this.#closedAt = now;
      this.#nextMove = now;
    }
    this.isOpen = false;
    this.isProbing = false;
    this.#events += 1;
    const gate = Math.min(GATE_LONGEST, GATE_FIRST * 2 ** (this.#events - 1));
    this.gateUntil = now + gate / 2 + random() * (gate / 2);
  }

  /** A probe that taught nothing: another one, a little later. */
  unprobed(now: Millis): void {
    this.isProbing = false;
    this.gateUntil = Math.max(this.gateUntil, now + GATE_FIRST);
  }

  /** When may the next request of its hosts leave by another endpoint? */
  moveAt(now: Millis): Millis {
    return Math.max(now, this.#nextMove);
  }

  moved(now: Millis): void {
    const spans = 1 + Math.floor((now - this.#closedAt) / MOVE_SPAN);
    const share = MOVE_SHARE * spans;
    // What a second brings may come in one moment.
    this.#nextMove = share >= 1 ? now : Math.max(now - 1_000, this.#nextMove) + 1_000 / (this.#loadAtClose * share);
  }

  /** One more host may come back. */
  mayReturn(now: Millis): boolean {
    return now >= this.#nextReturn;
  }

  returned(now: Millis): void {
    this.#nextReturn = now + this.#returnGap;
  }
}
