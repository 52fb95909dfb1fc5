import type { Bytes, Millis } from "../../kernel/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FetchMeasure } from "../../ports/fetch-route.ts";

/** Times and wire bytes of one fetch, in whatever order and however far it comes. */
export class FetchMeter {
  readonly #clock: Clock;
  readonly #startedAt: Millis;
  #sentAt: Millis | undefined;
  #headersAt: Millis | undefined;
  #paused: Millis = 0;
  #pausedSince: Millis = 0;
  /** Reasons to be paused that hold now. */
  #pauses = 0;
  #bytesOut: Bytes = 0;
  #bytesIn: Bytes = 0;
  /** Set when a connection was opened for it. */
  connected = false;
  /** Of these bytes, what opening its connection moved. */
  setup: Bytes = 0;
  /** Of these bytes, heads of requests and responses, before TLS. */
  heads: Bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  /** The request is being written, once more after a lost connection. */
  markSent(): void {
    this.#sentAt = this.#clock.now();
  }

  /** The final headers are complete. */
  markHeaders(size: Bytes): void {
    this.heads += size;
    this.#headersAt = this.#clock.now();
  }

  /** Of the answer whose headers have come. */
  get ttfb(): Millis {
    return this.#sentAt === undefined || this.#headersAt === undefined ? 0 : this.#headersAt - this.#sentAt;
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses === 1) this.#pausedSince = this.#clock.now();
  }

  goOn(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#paused += this.#clock.now() - this.#pausedSince;
  }

  /** Ends every pause, at the end of the fetch. */
  endPauses(): void {
    if (this.#pauses === 0) return;
    this.#pauses = 1;
    this.goOn();
  }

  addBytes(bytes: { readonly out: Bytes; readonly in: Bytes }): void {
    this.#bytesOut += bytes.out;
    this.#bytesIn += bytes.in;
  }

  /** Since the start, pauses left out. */
  spent(now: Millis): Millis {
    return now - this.#startedAt - this.#pausedBy(now);
  }

  /** Since the request was written; 0 before. */
  sinceSent(now: Millis): Millis {
    return this.#sentAt === undefined ? 0 : now - this.#sentAt;
  }

  /** Since the final headers, pauses left out: all pauses come later than those. */
  sinceHeaders(now: Millis): Millis {
    return this.#headersAt === undefined ? 0 : now - this.#headersAt - this.#pausedBy(now);
  }

  measure(): FetchMeasure {
    const now = this.#clock.now();
    return {
      ttfb: this.#sentAt === undefined ? 0 : (this.#headersAt ?? now) - this.#sentAt,
      total: now - this.#startedAt,
      paused: this.#pausedBy(now),
      bytesOut: this.#bytesOut,
      bytesIn: this.#bytesIn,
      connected: this.connected,
      setup: this.setup,
      heads: this.heads,
    };
  }

  #pausedBy(now: Millis): Millis {
    return this.#paused + (this.#pauses > 0 ? now - this.#pausedSince : 0);
  }
}
