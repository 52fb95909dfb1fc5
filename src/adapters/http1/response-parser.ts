import type { Bytes } from "../../kernel/units.ts";
import { ProtocolError } from "./protocol-error.ts";
import { HEAD_MOST, ResponseHead } from "./response-head.ts";

const LF = 0x0a;
const CR = 0x0d;
const SEMICOLON = 0x3b;
/** Longest line that gives a chunk's size, extensions included. */
const CHUNK_LINE_MOST: Bytes = 16 * 1024;
/** Hex digits of a chunk's size: 2^44 is more than any cap on bodies. */
const CHUNK_DIGITS_MOST = 11;
const NOTHING = Buffer.alloc(0);

/** What a parser tells. Pieces are views into what was executed: valid during the call only. */
export interface ResponseEvents {
  /** The first byte of a response has come. */
  begun(): void;
  /** The final head (never a 1xx). */
  head(head: ResponseHead): void;
  /** @returns false to stop after this piece. */
  data(piece: Buffer): boolean;
  complete(): void;
}

type State = "start" | "head" | "length" | "chunk-size" | "chunk-data" | "chunk-end" | "trailers" | "close" | "done";

/**
 * Reads one HTTP/1.1 response at a time from pieces of a connection. Source: RFC 9112; line ends may be a bare LF (2.2), folded
 * headers are joined, 1xx responses are passed over, everything that leaves the length of a body in doubt is refused.
 *
 * States: start → head → (length | chunk-size → chunk-data → chunk-end → … → trailers | close) → done. `reset` leads back to start.
 * Bounded: 64 KiB of head, as much of trailers, 16 KiB of a chunk's line.
 */
export class ResponseParser {
  readonly #events: ResponseEvents;
  #state: State = "start";
  /** A line or a head that is not complete yet. */
  #pending = NOTHING;
  #left: Bytes = 0;
  #trailers: Bytes = 0;
  #keepAlive = false;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  /** The response is complete. */
  get isDone(): boolean {
    return this.#state === "done";
  }
  /** After the response: may the connection serve another request? */
  get keepAlive(): boolean {
    return this.#keepAlive;
  }

  reset(): void {
    this.#state = "start";
    this.#pending = NOTHING;
    this.#trailers = 0;
    this.#keepAlive = false;
  }

  /**
   * Takes bytes `[from, end)`. @returns where it stopped: the end, or earlier when a piece was not taken further or the response
   * is complete. @throws ProtocolError
   */
  execute(bytes: Buffer, from: number, end: number): number {
    let at = from;
    while (at < end && this.#state !== "done") {
      switch (this.#state) {
        case "start":
          this.#state = "head";
          this.#events.begun();
          break;
        case "head":
          at = this.#head(bytes, at, end);
          break;
        case "length":
        case "chunk-data":
        case "close": {
          const stop = this.#state === "close" ? end : Math.min(end, at + this.#left);
          const goOn = this.#body(bytes, at, stop);
          at = stop;
          if (!goOn) return at;
          break;
        }
        case "chunk-size":
        case "chunk-end":
        case "trailers":
          at = this.#line(bytes, at, end);
          break;
        default:
          this.#state satisfies never;
      }
    }
    return at;
  }

  /** To be called before the first `execute` after a piece that stopped it. */
  goOn(): void {
    if (this.#state === "length" && this.#left === 0) this.#done(this.#keepAlive);
  }

  /** The other side has closed. @returns whether the response was complete by that. */
  finish(): boolean {
    if (this.#state !== "close") return this.#state === "done";
    this.#done(false);
    return true;
  }

  #head(bytes: Buffer, from: number, end: number): number {
    const stop = headEnd(this.#pending, bytes, from, end);
    if (stop < 0) {
      this.#keepPending(bytes, from, end, HEAD_MOST, "headers");
      return end;
    }
    const text = this.#takePending(bytes, from, stop);
    if (text.length > HEAD_MOST) throw new ProtocolError(`more than ${HEAD_MOST} bytes of headers`);
    const head = new ResponseHead(withoutBlankLines(text));
    if (head.status < 200) {
      if (head.status === 101) throw new ProtocolError("101: nobody asked for another protocol");
      return stop;
    }
    this.#begin(head);
    return stop;
  }

  #begin(head: ResponseHead): void {
    const { framing } = head;
    this.#keepAlive = head.keepAlive;
    this.#state = framing.kind === "length" ? "length" : framing.kind === "chunked" ? "chunk-size" : "close";
    this.#left = framing.kind === "length" ? framing.length : 0;
    this.#events.head(head);
    if (framing.kind === "none" || (framing.kind === "length" && framing.length === 0)) this.#done(head.keepAlive);
  }

  #body(bytes: Buffer, from: number, stop: number): boolean {
    this.#left -= stop - from;
    const isLast = this.#state === "length" && this.#left === 0;
    if (this.#state === "chunk-data" && this.#left === 0) this.#state = "chunk-end";
    const goOn = this.#events.data(bytes.subarray(from, stop));
    // Whoever stops at the last piece is told of the end when it goes on.
    if (isLast && goOn) this.#done(this.#keepAlive);
    return goOn;
  }

  #line(bytes: Buffer, from: number, end: number): number {
    const lf = bytes.indexOf(LF, from);
    const state = this.#state;
    if (lf < 0 || lf >= end) {
      this.#keepPending(
        bytes,
        from,
        end,
        state === "trailers" ? HEAD_MOST : CHUNK_LINE_MOST,
        state === "trailers" ? "trailers" : "a chunk's line",
      );
      return end;
    }
    const line = this.#takePending(bytes, from, lf).replace(/\r$/, "");
    if (state === "chunk-size") this.#chunkSize(line);
    else if (state === "chunk-end") {
      if (line !== "") throw new ProtocolError("a chunk is longer than its size");
      this.#state = "chunk-size";
    } else if (line === "") this.#done(this.#keepAlive);
    else {
      this.#trailers += line.length;
      if (this.#trailers > HEAD_MOST) throw new ProtocolError(`more than ${HEAD_MOST} bytes of trailers`);
    }
    return lf + 1;
  }

  #chunkSize(line: string): void {
    let digits = 0;
    let size = 0;
    for (; digits < line.length; digits += 1) {
      const value = hexValue(line.charCodeAt(digits));
      if (value < 0) break;
      size = size * 16 + value;
      if (digits >= CHUNK_DIGITS_MOST) throw new ProtocolError("a chunk's size is too large");
    }
    const rest = line.slice(digits).trimStart();
    if (digits === 0 || (rest !== "" && rest.charCodeAt(0) !== SEMICOLON)) {
      throw new ProtocolError(`${JSON.stringify(line.slice(0, 40))} is no size of a chunk`);
    }
    this.#left = size;
    this.#state = size === 0 ? "trailers" : "chunk-data";
  }

  #done(keepAlive: boolean): void {
    this.#keepAlive = keepAlive;
    this.#state = "done";
    this.#events.complete();
  }

  #keepPending(bytes: Buffer, from: number, end: number, most: Bytes, what: string): void {
    if (this.#pending.length + end - from > most) throw new ProtocolError(`more than ${most} bytes of ${what}`);
    this.#pending = Buffer.concat([this.#pending, bytes.subarray(from, end)]);
  }

  #takePending(bytes: Buffer, from: number, stop: number): string {
    if (this.#pending.length === 0) return bytes.toString("latin1", from, stop);
    const text = this.#pending.toString("latin1") + bytes.toString("latin1", from, stop);
    this.#pending = NOTHING;
    return text;
  }
}

/** @returns index behind the empty line that ends a head whose beginning is pending, or -1. */
function headEnd(pending: Buffer, bytes: Buffer, from: number, end: number): number {
  // What is pending of the line that goes on in these bytes.
  let before = pending.length - (pending.lastIndexOf(LF) + 1);
  let line = from;
  for (let lf = bytes.indexOf(LF, from); lf >= 0 && lf < end; lf = bytes.indexOf(LF, line)) {
    const length = before + lf - line;
    const isEmpty = length === 0 || (length === 1 && (before === 1 ? pending[pending.length - 1] : bytes[line]) === CR);
    // An empty line before the status line is passed over (RFC 9112 2.2).
    if (isEmpty && (line !== from || pending.length > before)) return lf + 1;
    before = 0;
    line = lf + 1;
  }
  return -1;
}

/** Without the line ends before the status line and behind the last header. */
function withoutBlankLines(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= CR) start += 1;
  while (end > start && (text.charCodeAt(end - 1) === LF || text.charCodeAt(end - 1) === CR)) end -= 1;
  return text.slice(start, end);
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
