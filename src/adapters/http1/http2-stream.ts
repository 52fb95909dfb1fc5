import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import type { Bytes, Millis } from "../../kernel/units.ts";
import type { HeaderView } from "../../ports/fetch-route.ts";
import type { Carrier, Exchange } from "./carrier.ts";
import { LostError, ProtocolError } from "./protocol-error.ts";

/** Of one connection, not of the request (RFC 9113 8.2.2), or said by other fields. */
const NOT_IN_HTTP2 = new Set(["connection", "host", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade"]);
const UNSENDABLE = /[\0\r\n]/;

/** What a stream needs of its session. */
export interface StreamOwner {
  readonly origin: { readonly authority: string };
  readonly setup: Bytes;
  takeBytes(): { readonly out: Bytes; readonly in: Bytes };
  left(now: Millis): void;
}

/**
 * One exchange on an HTTP/2 connection. While a body is paused nothing is read of it: its window closes, and the server stops.
 *
 * States: asked -> answered (headers) -> over (complete, failed, or killed).
 */
export class Http2Stream implements Carrier {
  readonly kind = "shared";
  readonly #owner: StreamOwner;
  readonly #session: ClientHttp2Session;
  #stream: ClientHttp2Stream | undefined;
  #exchange: Exchange | undefined;
  #isOver = false;
  #error: Error | undefined;
  /** Left of the promised length; undefined without one. */
  #left: Bytes | undefined;

  constructor(owner: StreamOwner, session: ClientHttp2Session) {
    this.#owner = owner;
    this.#session = session;
  }

  get setup(): Bytes {
    return this.#owner.setup;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  send(path: string, headers: readonly string[], exchange: Exchange): Bytes {
    this.#exchange = exchange;
    const { authority } = this.#owner.origin;
    const fields: Record<string, string> = { ":method": "GET", ":scheme": "https", ":authority": authority, ":path": path };
    let size = authority.length + path.length;
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i].toLowerCase();
      const value = headers[i + 1];
      if (NOT_IN_HTTP2.has(name) || UNSENDABLE.test(value) || UNSENDABLE.test(name)) continue;
      fields[name] = Object.hasOwn(fields, name) ? `${fields[name]}, ${value}` : value;
      size += name.length + value.length;
    }
    try {
      this.#listen(this.#session.request(fields, { endStream: true }));
    } catch (error) {
      this.#error = error instanceof Error ? error : new ProtocolError(String(error));
      queueMicrotask(() => this.#over());
    }
    return size;
  }

  resume(): void {
    this.#stream?.resume();
  }

  takeBytes(): { readonly out: Bytes; readonly in: Bytes } {
    return this.#owner.takeBytes();
  }

  linger(): void {
    const exchange = this.#exchange;
    this.kill();
    // The connection lives on: what comes late is counted with the next fetch.
    queueMicrotask(() => exchange?.onError(new LostError("the stream was cut")));
  }

  kill(): void {
    this.#exchange = undefined;
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#stream === undefined) return;
    this.#stream.resume();
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** The place on the session is free again. @param now for the session's idle time. */
  leave(now: Millis): void {
    this.#owner.left(now);
  }

  #listen(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    stream.on("response", (_fields, _flags, raw?: readonly string[]) => this.#answered(raw ?? []));
    stream.on("data", (piece: Buffer) => {
      if (this.#left !== undefined) this.#left -= piece.length;
      if (this.#exchange !== undefined && !this.#exchange.onData(piece)) stream.pause();
    });
    stream.once("end", () => {
      // A stream that is cut ends as well.
      if (stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR || (this.#left ?? 0) > 0) return;
      const exchange = this.#exchange;
      this.#exchange = undefined;
      this.#isOver = true;
      exchange?.onComplete();
    });
    stream.on("error", (error) => {
      this.#error = error;
    });
    stream.once("close", () => this.#over());
  }

  #answered(raw: readonly string[]): void {
    const head = new Http2Head(raw);
    const length = head.get("content-length");
    if (length !== undefined && /^\d{1,15}$/.test(length) && head.status !== 304) this.#left = Number(length);
    this.#exchange?.onResponseStarted();
    this.#exchange?.onHeaders(head.status, head, head.size);
  }

  #over(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#isOver = true;
    if (exchange === undefined) return;
    const code = this.#stream?.rstCode ?? constants.NGHTTP2_NO_ERROR;
    const isLost = code === constants.NGHTTP2_REFUSED_STREAM || code === constants.NGHTTP2_CANCEL || code === constants.NGHTTP2_NO_ERROR;
    if (isLost || this.#session.destroyed) exchange.onError(new LostError(this.#error?.message ?? "the stream was closed"));
    else exchange.onError(new ProtocolError(`the stream was reset: ${this.#error?.message ?? `code ${code}`}`));
  }
}

/** Headers of an HTTP/2 response. */
class Http2Head implements HeaderView {
  readonly status: number;
  /** Before compression. */
  readonly size: Bytes;
  readonly #fields: readonly (readonly [string, string])[];

  /** @param raw name, value, name, value, … */
  constructor(raw: readonly string[]) {
    const fields: [string, string][] = [];
    let status = 0;
    let size = 0;
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i];
      const value = String(raw[i + 1]);
      size += name.length + value.length;
      if (name === ":status") status = Number(value);
      else if (!name.startsWith(":")) fields.push([name, value]);
    }
    this.status = status;
    this.size = size;
    this.#fields = fields;
  }

  get(name: string): string | undefined {
    return this.#fields.find((field) => field[0] === name)?.[1];
  }

  all(name: string): readonly string[] {
    return this.#fields.filter((field) => field[0] === name).map((field) => field[1]);
  }

  entries(): readonly (readonly [string, string])[] {
    return this.#fields;
  }
}
