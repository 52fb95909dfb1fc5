import type { Socket } from "node:net";
import { Client } from "undici";
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
  readonly origin: Origin;
  readonly client: Client;
  /** Requests written so far. */
  served = 0;
  /** Set while a fetch has paused the body. */
  paused = false;
  readonly #socket: Socket;
  /** Below TLS: its counters are what went over the wire. */
  readonly #raw: Socket;
  #countedOut: Bytes = 0;
  #countedIn: Bytes = 0;

  constructor(
    origin: Origin,
    sockets: { readonly socket: Socket; readonly raw: Socket },
    keepAlive: Millis,
    onClose: (connection: Connection) => void,
  ) {
    this.origin = origin;
    this.#socket = sockets.socket;
    this.#raw = sockets.raw;
    let taken = false;
    this.client = new Client(origin.key, {
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
    this.#socket.prependListener("error", (error: NodeJS.ErrnoException) => {
      // undici 7.30 finishes its parser on ECONNRESET when the response is to end with the connection, and asserts that the parser
      // is not paused: a reset during a pause would be an uncaught exception. Under another code it takes the ordinary path.
      if (this.paused && error.code === "ECONNRESET") error.code = "ECONNABORTED";
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
