import type { Socket } from "node:net";
import type { Client } from "undici";
// The package's front door loads its fetch, cache, mock and WebSocket too: 60 ms and 8 MB at every start for what is not used.
import UndiciClient from "undici/lib/dispatcher/client.js";
import type { Bytes, Millis } from "../../kernel/units.ts";
import type { Origin } from "./origin.ts";

/** Header bytes of one response; beyond it the response is a protocol failure. */
const MAX_HEADER: Bytes = 64 * 1024;
const ignore = (): void => {};

/**
 * One established connection with undici's HTTP/1.1 client on top, for one request at a time. It is never established again:
 * when its socket closes it is over, and whoever still waits on it gets an error.
 */
export class Connection {
  readonly origin: Origin<Connection>;
  readonly client: Client;
  /** Requests written so far. */
  served = 0;
  readonly #socket: Socket;
  /** Below TLS: its counters are what went over the wire. */
  readonly #raw: Socket;
  /** Listeners for the end that are Node's own. */
  readonly #nodeOnEnd: ReadonlySet<unknown>;
  /** undici's, while the body is paused. */
  #heldOnEnd: (() => void)[] | undefined;
  #hasEnded = false;
  #countedOut: Bytes = 0;
  #countedIn: Bytes = 0;

  constructor(
    origin: Origin<Connection>,
    sockets: { readonly socket: Socket; readonly raw: Socket },
    keepAlive: Millis,
    onClose: (connection: Connection) => void,
  ) {
    this.origin = origin;
    this.#socket = sockets.socket;
    this.#raw = sockets.raw;
    let taken = false;
    this.client = new UndiciClient(origin.key, {
      // Later, not at once: the client ignores a connection made within the call that asked for it.
      connect: (_options, callback) =>
        queueMicrotask(() => {
          if (taken || this.#socket.destroyed) callback(new ConnectionOverError(), null);
          else callback(null, this.#socket);
          taken = true;
        }),
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER,
      // undici's timers tick at 0.5 to 1 s and cost a timer per request: the route's sweep keeps the deadlines.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAlive,
      keepAliveMaxTimeout: Math.max(keepAlive, 600_000),
    });
    this.#nodeOnEnd = new Set(this.#socket.listeners("end"));
    this.#socket.prependListener("error", (error: NodeJS.ErrnoException) => {
      // As for `pause`: undici finishes its parser on this code only, on others the request just fails.
      if (this.#heldOnEnd !== undefined && error.code === "ECONNRESET") error.code = "ECONNABORTED";
    });
    this.#socket.once("close", () => {
      this.client.destroy(new ConnectionOverError(), ignore);
      onClose(this);
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Wire bytes since the last call; what a new connection's handshakes moved is in the first answer. */
  takeBytes(): { readonly out: Bytes; readonly in: Bytes } {
    const bytes = { out: this.#raw.bytesWritten - this.#countedOut, in: this.#raw.bytesRead - this.#countedIn };
    this.#countedOut += bytes.out;
    this.#countedIn += bytes.in;
    return bytes;
  }

  /**
   * Must be called when a body is paused, before undici knows. When the other side closes, undici 7.30 finishes its parser, which
   * asserts that it is not paused: an uncaught exception, whenever a body that ends with its connection is all received while it
   * is paused. So undici does not hear of the end before `resume`. The sockets are half-open ones: the end does not close them.
   */
  pause(): void {
    if (this.#heldOnEnd !== undefined) return;
    this.#heldOnEnd = [];
    for (const listener of this.#socket.listeners("end") as (() => void)[]) {
      if (this.#nodeOnEnd.has(listener)) continue;
      this.#heldOnEnd.push(listener);
      this.#socket.off("end", listener);
    }
    this.#socket.on("end", this.#onEnd);
  }

  /** @param resume undici's function for the paused response. */
  resume(resume: () => void): void {
    const held = this.#heldOnEnd;
    if (held === undefined) return;
    this.#heldOnEnd = undefined;
    this.#socket.off("end", this.#onEnd);
    for (const listener of held) this.#socket.on("end", listener);
    resume();
    if (this.#hasEnded && this.#heldOnEnd === undefined) for (const listener of held) listener.call(this.#socket);
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
  };

  /** Closes at once; a request on it fails. Always with an error: undici treats a close without one as the end of a body. */
  kill(): void {
    this.client.destroy(new ConnectionOverError(), ignore);
    this.#socket.destroy(new ConnectionOverError());
  }
}

/** The request was given to a connection that closed before it was written: like a lost connection, but nothing was sent. */
class ConnectionOverError extends Error {
  readonly code = "ECONNABORTED";
  constructor() {
    super("the connection is closed");
  }
}
