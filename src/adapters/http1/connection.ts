import type { Socket } from "node:net";
import type { Bytes, Millis } from "../../kernel/units.ts";
import type { Carrier, Exchange } from "./carrier.ts";
import type { ReadSink } from "./dial.ts";
import type { Origin } from "./origin.ts";
import { LostError, ProtocolError } from "./protocol-error.ts";
import type { ResponseHead } from "./response-head.ts";
import { type ResponseEvents, ResponseParser } from "./response-parser.ts";

const NOTHING = Buffer.alloc(0);
/** What would end a line of the request: such a header is left out. */
const UNSENDABLE = /[\0\r\n]/;
/** A kept connection is given up this long before the server said it would close it. */
const KEEP_ALIVE_MARGIN: Millis = 1_000;
/** After a cut more than this is not read, even to be counted: it is more than is on its way over any but the fattest pipes. */
const LINGER_BYTES: Bytes = 1024 * 1024;
const KEEP_ALIVE_HINT = /(?:^|[\s,])timeout=(\d{1,6})/i;

/** The last list of headers, and its lines: most requests of a route have the very same list. */
let lastHeaders: readonly string[] = [];
let lastLines = "";

function linesOf(headers: readonly string[]): string {
  if (headers === lastHeaders) return lastLines;
  let lines = "";
  for (let i = 0; i < headers.length; i += 2) {
    if (!UNSENDABLE.test(headers[i + 1]) && !UNSENDABLE.test(headers[i])) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  }
  lastHeaders = headers;
  lastLines = lines;
  return lines;
}

/**
 * One established connection, for one exchange at a time. It is never established again: when its socket closes it is over, and
 * the exchange under way fails.
 *
 * While a body is paused the socket is not read: TCP slows the sender. Bytes that were read with the piece that paused are held.
 */
export class Connection implements ResponseEvents, Carrier {
  readonly kind = "own";
  readonly origin: Origin<Connection>;
  /** What opening it has moved, both ways: the handshakes of TLS and of a gateway. */
  readonly setup: Bytes;
  readonly #socket: Socket;
  /** Below TLS: its counters are what went over the wire. */
  readonly #raw: Socket;
  readonly #parser = new ResponseParser(this);
  readonly #keepAlive: Millis;
  readonly #isLean: boolean;
  #exchange: Exchange | undefined;
  #isPaused = false;
  #held = NOTHING;
  #hasEnded = false;
  #isOver = false;
  #isLingering = false;
  #lingered: Bytes = 0;
  /** How long the server says that it keeps an idle connection. */
  #hint: Millis | undefined;
  #idleSince: Millis = 0;
  #countedOut: Bytes = 0;
  #countedIn: Bytes = 0;

  constructor(
    origin: Origin<Connection>,
    sockets: { readonly socket: Socket; readonly raw: Socket; readonly sink: ReadSink },
    options: { readonly keepAlive: Millis; readonly isMetered: boolean },
    onClose: (connection: Connection) => void,
  ) {
    this.origin = origin;
    this.#socket = sockets.socket;
    this.#raw = sockets.raw;
    this.#keepAlive = options.keepAlive;
    this.#isLean = options.isMetered;
    this.setup = this.#raw.bytesWritten + this.#raw.bytesRead;
    // A plain socket reads into the route's one buffer (dial.ts) and comes here by `read`; a TLS socket hands out buffers.
    sockets.sink.take = (bytes, end) => this.read(bytes, end);
    if (this.#socket !== this.#raw) this.#socket.on("data", (piece: Buffer) => this.read(piece, piece.length));
    this.#socket.on("end", () => this.#ended());
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.once("close", () => {
      this.#isOver = true;
      this.#fail(new LostError("the connection is closed"));
      onClose(this);
    });
  }

  /** Closed, by either side. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** May serve a request: not closed by either side, and not idle for longer than the server keeps it. */
  isUsable(now: Millis): boolean {
    return !this.#isOver && !this.#hasEnded && !this.#socket.destroyed && now - this.#idleSince < (this.#hint ?? this.#keepAlive);
  }

  /** Notes that it waits for its next request from now on. */
  rest(now: Millis): void {
    this.#idleSince = now;
  }

  /** Writes a request; its response goes to the exchange. @returns the size of the request's head. */
  send(path: string, headers: readonly string[], exchange: Exchange): Bytes {
    // Kept is what HTTP/1.1 means unless told otherwise; some old servers want to be told.
    const request = `GET ${path} HTTP/1.1\r\nHost: ${this.origin.authority}\r\n${this.#isLean ? "" : "Connection: keep-alive\r\n"}${linesOf(headers)}`;
    this.#exchange = exchange;
    this.#parser.reset();
    if (this.#isOver || this.#hasEnded || this.#socket.destroyed) {
      queueMicrotask(() => this.#fail(new LostError("the connection is closed")));
      return 0;
    }
    this.#socket.write(`${request}\r\n`, "latin1");
    if (this.#socket !== this.#raw && this.#socket.isPaused()) this.#socket.resume();
    return request.length + 2;
  }

  /** Takes bytes that were read. @returns false when reading must stop for now. */
  read(bytes: Buffer, end: Bytes): boolean {
    if (this.#isOver) return true;
    if (this.#exchange === undefined) {
      // Nobody asked: a connection out of step answers the wrong question next.
      this.kill();
      return true;
    }
    if (this.#isLingering) return this.#discard(end);
    if (this.#isPaused) {
      this.#held = Buffer.concat([this.#held, bytes.subarray(0, end)]);
      return false;
    }
    try {
      const stop = this.#parser.execute(bytes, 0, end);
      if (this.#isLingering) return true;
      if (this.#parser.isDone) this.#finish(stop < end);
      else if (stop < end) this.#held = Buffer.from(bytes.subarray(stop, end));
    } catch (error) {
      this.#broken(error);
    }
    if (this.#isPaused && this.#socket !== this.#raw) this.#socket.pause();
    return !this.#isPaused;
  }

  /** Goes on after a piece that paused. Not to be called from within the exchange's own calls. */
  resume(): void {
    if (!this.#isPaused || this.#isOver) return;
    this.#isPaused = false;
    const held = this.#held;
    this.#held = NOTHING;
    this.#parser.goOn();
    if (this.#parser.isDone) this.#finish(held.length > 0);
    else if (held.length > 0) this.read(held, held.length);
    if (this.#isPaused || this.#isOver) return;
    this.#socket.resume();
    if (this.#hasEnded) this.#ended();
  }

  /** Asks for no more, and reads what is on its way so that it is counted. `onError` tells when all has come. */
  linger(): void {
    const wasPaused = this.#isPaused;
    this.#isLingering = true;
    this.#isPaused = false;
    this.#held = NOTHING;
    this.#socket.end();
    if (wasPaused) this.#socket.resume();
    if (this.#hasEnded) queueMicrotask(() => this.#ended());
  }

  /** Wire bytes since the last call; what a new connection's handshakes moved is in the first answer. */
  takeBytes(): { readonly out: Bytes; readonly in: Bytes } {
    const bytes = { out: this.#raw.bytesWritten - this.#countedOut, in: this.#raw.bytesRead - this.#countedIn };
    this.#countedOut += bytes.out;
    this.#countedIn += bytes.in;
    return bytes;
  }

  /** Closes at once; an exchange under way is told nothing any more. */
  kill(): void {
    this.#isOver = true;
    this.#exchange = undefined;
    this.#held = NOTHING;
    this.#socket.destroy();
    this.#raw.destroy();
  }

  // What the parser tells.

  begun(): void {
    this.#exchange?.onResponseStarted();
  }

  head(head: ResponseHead): void {
    const kept = head.get("keep-alive");
    const hint = kept === undefined ? null : KEEP_ALIVE_HINT.exec(kept);
    if (hint !== null) this.#hint = Math.max(0, Number(hint[1]) * 1_000 - KEEP_ALIVE_MARGIN);
    this.#exchange?.onHeaders(head.status, head, head.size);
  }

  data(piece: Buffer): boolean {
    if (this.#exchange === undefined) return true;
    this.#isPaused = !this.#exchange.onData(piece);
    return !this.#isPaused;
  }

  complete(): void {
    // The rest happens behind the parser's call: `read` or `resume` sees that it is done.
  }

  #finish(isOutOfStep: boolean): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.onComplete();
    if (isOutOfStep || !this.#parser.keepAlive || this.#hasEnded) this.kill();
  }

  #discard(size: Bytes): boolean {
    this.#lingered += size;
    if (this.#lingered > LINGER_BYTES) this.#fail(new LostError("enough of what is not wanted"));
    return true;
  }

  /** The other side sends no more. While paused that is looked at later. */
  #ended(): void {
    this.#hasEnded = true;
    if (this.#isPaused || this.#isOver) return;
    const exchange = this.#exchange;
    if (exchange === undefined) this.kill();
    else if (!this.#isLingering && this.#parser.finish()) this.#finish(false);
    else this.#fail(new LostError("the other side closed the connection"));
  }

  #broken(error: unknown): void {
    this.#fail(error instanceof Error ? error : new ProtocolError(String(error)));
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.kill();
    exchange?.onError(error);
  }
}
