import { type ClientHttp2Session, connect } from "node:http2";
import type { Socket } from "node:net";
import type { Bytes, Millis } from "../../kernel/units.ts";
import { Http2Stream } from "./http2-stream.ts";
import type { Origin } from "./origin.ts";

/** What may be under way unread on one stream, and on all of a session: a paused body holds no other up until that many are paused. */
const STREAM_WINDOW: Bytes = 256 * 1024;
const SESSION_WINDOW: Bytes = 16 * STREAM_WINDOW;
/** Header bytes of one response, as in HTTP/1.1. */
const HEAD_MOST: Bytes = 64 * 1024;
/** Streams at once where the server names no bound. Source: RFC 9113 6.5.2 recommends no less than 100. */
const STREAMS_MOST = 100;

/** One HTTP/2 connection, shared by the fetches of its origin. Its bytes go to whichever of them asks next. */
export class Http2Session {
  readonly origin: Origin;
  /** What opening it has moved, both ways. */
  readonly setup: Bytes;
  readonly #session: ClientHttp2Session;
  readonly #raw: Socket;
  readonly #keepAlive: Millis;
  #streams = 0;
  #isOver = false;
  #idleSince: Millis = 0;
  #countedOut: Bytes = 0;
  #countedIn: Bytes = 0;

  constructor(
    origin: Origin,
    sockets: { readonly socket: Socket; readonly raw: Socket },
    options: { readonly keepAlive: Millis },
    onClose: (session: Http2Session) => void,
  ) {
    this.origin = origin;
    this.#raw = sockets.raw;
    this.#keepAlive = options.keepAlive;
    this.setup = this.#raw.bytesWritten + this.#raw.bytesRead;
    this.#session = connect(`https://${origin.authority}`, {
      createConnection: () => sockets.socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW, maxHeaderListSize: HEAD_MOST },
    });
    this.#session.once("connect", () => this.#session.setLocalWindowSize(SESSION_WINDOW));
    // Told to each stream by itself.
    this.#session.on("error", () => {});
    this.#session.on("goaway", () => {
      this.#isOver = true;
    });
    this.#session.once("close", () => {
      this.#isOver = true;
      onClose(this);
    });
  }

  get isIdle(): boolean {
    return this.#streams === 0;
  }

  /** May carry one more exchange. */
  hasRoom(now: Millis): boolean {
    if (this.#isOver || this.#session.closed || this.#session.destroyed) return false;
    if (this.#streams === 0 && this.#idleSince > 0 && now - this.#idleSince >= this.#keepAlive) {
      this.kill();
      return false;
    }
    return this.#streams < Math.min(STREAMS_MOST, this.#session.remoteSettings?.maxConcurrentStreams ?? STREAMS_MOST);
  }

  open(): Http2Stream {
    this.#streams += 1;
    return new Http2Stream(this, this.#session);
  }

  /** One of its exchanges is over. */
  left(now: Millis): void {
    this.#streams -= 1;
    this.#idleSince = now;
  }

  takeBytes(): { readonly out: Bytes; readonly in: Bytes } {
    const bytes = { out: this.#raw.bytesWritten - this.#countedOut, in: this.#raw.bytesRead - this.#countedIn };
    this.#countedOut += bytes.out;
    this.#countedIn += bytes.in;
    return bytes;
  }

  kill(): void {
    this.#isOver = true;
    this.#session.destroy();
  }
}
