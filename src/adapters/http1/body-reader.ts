import type { Duplex } from "node:stream";
import type { Bytes } from "../../kernel/units.ts";
import type { BodyCredit } from "../../ports/fetch-route.ts";
import { BodyBuffer } from "./body-buffer.ts";
import type { BodyPool } from "./body-pool.ts";
import { type Coding, decodeAtOnce, decodersOf } from "./content-decoding.ts";
import { isCut } from "./cut-error.ts";
import type { Failure } from "./failure.ts";

/** Credit is drawn in steps of this (flow-control 0.8). */
export const CREDIT_STEP: Bytes = 256 * 1024;
/** What the start of a fetch grants by itself: about what it charges. 64 fetches in flight hold 4 MB by it, not 16. */
export const CREDIT_AT_START: Bytes = 64 * 1024;
/** A coded body up to this size is collected and decoded in one go. */
const AT_ONCE: Bytes = 256 * 1024;

/** What the reader tells its fetch. */
export interface BodyOwner {
  /** `push` returned false before, and more can be taken now. */
  bodyUnblocked(): void;
  /** Exactly one of these two, once, unless the reader was cancelled. */
  bodyReady(body: Uint8Array): void;
  bodyFailed(failure: Failure): void;
}

/** Told when the body waits for something local and when it goes on; calls balance. */
export interface Pauses {
  pause(): void;
  goOn(): void;
}

/**
 * Turns the bytes of one response into its body: caps, decoding, and credit for every decoded byte kept. Bytes that come while
 * no credit is left are held and block the sender; they are one network piece at most.
 */
export class BodyReader {
  readonly #owner: BodyOwner;
  readonly #pauses: Pauses;
  readonly #credit: BodyCredit;
  readonly #codings: readonly Coding[];
  readonly #limit: Bytes;
  readonly #isBeginning: boolean;
  readonly #buffer: BodyBuffer;
  #raw: Uint8Array[] = [];
  #received: Bytes = 0;
  #granted: Bytes = CREDIT_AT_START;
  #decoders: readonly Duplex[] = [];
  #isOver = false;

  /**
   * @param expected the response's Content-Length, if any.
   * @param isBeginning what passes the limit is left out, where it else fails the body.
   */
  constructor(
    parts: { readonly owner: BodyOwner; readonly pauses: Pauses; readonly bodies: BodyPool },
    credit: BodyCredit,
    codings: readonly Coding[],
    expected: Bytes | undefined,
    limit: Bytes,
    isBeginning = false,
  ) {
    this.#owner = parts.owner;
    this.#pauses = parts.pauses;
    this.#credit = credit;
    this.#codings = codings;
    this.#limit = limit;
    this.#isBeginning = isBeginning;
    this.#buffer = new BodyBuffer(parts.bodies, codings.length === 0 ? expected : undefined, limit);
  }

  /** Payload bytes taken, before decoding. */
  get received(): Bytes {
    return this.#received;
  }

  /** @param piece valid during the call only. @returns false when the sender must stop until `bodyUnblocked`. */
  push(piece: Uint8Array): boolean {
    if (this.#isOver) return true;
    this.#received += piece.length;
    if (this.#received > this.#limit && !this.#isBeginning) {
      this.#fail({ code: "too-large", phase: "body", message: `the body is larger than ${this.#limit} bytes` });
      return true;
    }
    if (this.#codings.length === 0) return this.#keep(piece, true);
    const kept = Buffer.from(piece);
    if (this.#decoders.length > 0) return this.#feed(kept);
    this.#raw.push(kept);
    return this.#received <= AT_ONCE || this.#decodeStreaming();
  }

  /** The last byte has been pushed. */
  end(): void {
    if (this.#isOver) return;
    if (this.#codings.length === 0) this.#ready(this.#buffer.take());
    else if (this.#decoders.length > 0) this.#decoders[0].end();
    else this.#decodeCollected();
  }

  /** Stops everything, at any time; nothing is told to the owner any more. */
  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#raw = [];
    this.#buffer.clear();
    for (const decoder of this.#decoders) decoder.destroy();
  }

  #decodeCollected(): void {
    const raw = this.#raw.length === 1 ? this.#raw[0] : Buffer.concat(this.#raw, this.#received);
    if (raw.length === 0) {
      this.#ready(raw);
      return;
    }
    let body: Uint8Array | undefined;
    try {
      body = decodeAtOnce(this.#codings, raw, Math.min(CREDIT_STEP, this.#limit));
    } catch (error) {
      this.#failDecoding(error);
      return;
    }
    if (body !== undefined) {
      this.#ready(body);
      return;
    }
    this.#raw = [raw];
    this.#decodeStreaming();
    this.#decoders[0].end();
  }

  /** Moves on from collecting to decoders fed piece by piece. */
  #decodeStreaming(): boolean {
    const raw = this.#raw;
    this.#raw = [];
    this.#decoders = decodersOf(this.#codings, raw[0].length > 1 ? raw[0] : Buffer.concat(raw));
    for (let i = 0; i < this.#decoders.length; i += 1) {
      this.#decoders[i].on("error", (error) => this.#failDecoding(error));
      if (i > 0) this.#decoders[i - 1].pipe(this.#decoders[i]);
    }
    const last = this.#decoders[this.#decoders.length - 1];
    last.on("data", (piece: Buffer) => {
      if (!this.#keep(piece, false)) last.pause();
    });
    last.once("end", () => {
      if (!this.#isOver) this.#ready(this.#buffer.take());
    });
    for (const piece of raw.slice(0, -1)) this.#decoders[0].write(piece);
    return this.#feed(raw[raw.length - 1]);
  }

  #feed(piece: Uint8Array): boolean {
    const first = this.#decoders[0];
    if (first.write(piece)) return true;
    this.#pauses.pause();
    first.once("drain", () => {
      if (this.#isOver) return;
      this.#pauses.goOn();
      this.#owner.bodyUnblocked();
    });
    return false;
  }

  /** @param isSender true when the piece came right from the network, which is then what has to wait. */
  #keep(piece: Uint8Array, isSender: boolean): boolean {
    if (this.#isOver) return true;
    const size = this.#buffer.size + piece.length;
    if (size > this.#limit) {
      if (this.#isBeginning) {
        this.#buffer.append(piece.subarray(0, this.#limit - this.#buffer.size));
        this.#ready(this.#buffer.take());
        return true;
      }
      this.#fail({ code: "too-large", phase: "body", message: `the body decodes to more than ${this.#limit} bytes` });
      return true;
    }
    if (size > this.#granted && !this.#draw(size, piece, isSender)) return false;
    this.#buffer.append(piece);
    return true;
  }

  #draw(size: Bytes, passing: Uint8Array, isSender: boolean): boolean {
    const piece = isSender ? Buffer.from(passing) : passing;
    const wanted = Math.ceil((size - this.#granted) / CREDIT_STEP) * CREDIT_STEP;
    const granted = this.#credit.draw(wanted, () => {
      if (this.#isOver) return;
      this.#granted += wanted;
      this.#buffer.append(piece);
      this.#pauses.goOn();
      if (isSender) this.#owner.bodyUnblocked();
      else this.#decoders[this.#decoders.length - 1].resume();
    });
    if (granted) this.#granted += wanted;
    else this.#pauses.pause();
    return granted;
  }

  #ready(body: Uint8Array): void {
    this.#isOver = true;
    for (const decoder of this.#decoders) decoder.destroy();
    this.#owner.bodyReady(body);
  }

  #failDecoding(error: unknown): void {
    if (this.#isOver) return;
    const name = this.#codings.join(", ");
    const reason = error instanceof Error ? error.message : String(error);
    if (isCut(error)) this.#fail({ code: "incomplete", phase: "body", message: `the ${name} data ends early: ${reason}` });
    else this.#fail({ code: "decode", phase: "body", message: `the body is not valid ${name}: ${reason}` });
  }

  #fail(failure: Failure): void {
    this.cancel();
    this.#owner.bodyFailed(failure);
  }
}
