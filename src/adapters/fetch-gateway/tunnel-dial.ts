import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Bytes, Millis } from "../../kernel/units.ts";
import type { Dial, DialOutcome, ReadSink, Refusal } from "../http1/dial.ts";
import { type Failure, tlsFailure } from "../http1/failure.ts";
import type { Origin } from "../http1/origin.ts";
import { type DialParts, SocketDial } from "../http1/socket-dial.ts";
import type { TlsClient } from "../http1/tls-client.ts";
import { type Handshake, refusedBy } from "./handshake.ts";

export interface TunnelParts {
  /** Connects to the gateway; every address of it is permitted, since the user named it. */
  readonly dial: DialParts;
  /** For sites behind the tunnel. */
  readonly tls: TlsClient;
  readonly tunnelTimeout: Millis;
  readonly tlsTimeout: Millis;
}

/**
 * Opens a tunnel: a connection to the gateway (TCP, and TLS for `https://`), the handshake that asks for the site, then TLS with
 * the site. What fails up to the open tunnel is the gateway's refusal; what fails behind it is the site's.
 *
 * States: gateway -> tunnel -> tls (https sites only) -> ended.
 */
export class TunnelDial implements Dial {
  readonly #parts: TunnelParts;
  readonly #origin: Origin;
  readonly #handshake: Handshake;
  readonly #end: (outcome: DialOutcome) => void;
  readonly #outer: SocketDial;
  #state: "gateway" | "tunnel" | "tls" | "ended" = "gateway";
  #stateAt: Millis = 0;
  #socket: Socket | undefined;
  #raw: Socket | undefined;
  #sink: ReadSink | undefined;
  #inner: TLSSocket | undefined;
  readonly #onData = (piece: Buffer): void => this.#take(piece);

  constructor(parts: TunnelParts, gateway: Origin, origin: Origin, handshake: Handshake, end: (outcome: DialOutcome) => void) {
    this.#parts = parts;
    this.#origin = origin;
    this.#handshake = handshake;
    this.#end = end;
    this.#outer = new SocketDial(parts.dial, gateway, (outcome) => this.#connected(outcome), !gateway.secure && !origin.secure);
  }

  get bytes(): { readonly out: Bytes; readonly in: Bytes } {
    const { bytes } = this.#outer;
    return { out: bytes.out + (this.#raw?.bytesWritten ?? 0), in: bytes.in + (this.#raw?.bytesRead ?? 0) };
  }

  start(): void {
    this.#outer.start();
  }

  check(now: Millis): void {
    const { tunnelTimeout, tlsTimeout } = this.#parts;
    if (this.#state === "gateway") this.#outer.check(now);
    else if (this.#state === "tunnel" && now - this.#stateAt >= tunnelTimeout) {
      this.#refuse(this.#handshake.broken(`did not open a tunnel within ${tunnelTimeout} ms`));
    } else if (this.#state === "tls" && now - this.#stateAt >= tlsTimeout) {
      this.#fail({ code: "timeout", phase: "tls", message: `no TLS handshake within ${tlsTimeout} ms` });
    }
  }

  expire(timeout: Millis): void {
    if (this.#state === "tls") this.#fail({ code: "timeout", phase: "tls", message: `not finished within ${timeout} ms` });
    else if (this.#state !== "ended") this.#refuse(this.#handshake.broken(`did not open a tunnel within ${timeout} ms`));
  }

  cancel(): void {
    this.#state = "ended";
    this.#outer.cancel();
    this.#inner?.destroy();
    this.#socket?.destroy();
    this.#raw?.destroy();
  }

  #connected(outcome: DialOutcome): void {
    if (this.#state !== "gateway") return;
    if (outcome.kind !== "connected") {
      const { message, phase } = outcome.kind === "failed" ? outcome.failure : { message: outcome.refusal.message, phase: "connect" };
      // This machine's own want is nobody else's fault.
      if (phase === "local" && outcome.kind === "failed") this.#fail(outcome.failure);
      else this.#refuse(refusedBy("endpoint", `The gateway cannot be reached: ${message}`));
      return;
    }
    const { socket, raw, sink } = outcome;
    this.#socket = socket;
    this.#raw = raw;
    this.#sink = sink;
    this.#state = "tunnel";
    this.#stateAt = this.#parts.dial.clock.now();
    const gone = (): void => {
      if (this.#state === "tunnel") this.#refuse(this.#handshake.broken("closed the connection before the tunnel was open"));
    };
    socket.on("error", gone);
    socket.once("end", gone);
    socket.once("close", gone);
    sink.take = (bytes, end) => {
      this.#take(Buffer.from(bytes.subarray(0, end)));
      return true;
    };
    socket.on("data", this.#onData);
    socket.write(this.#handshake.begin());
  }

  #take(piece: Buffer): void {
    if (this.#state !== "tunnel" || this.#socket === undefined) return;
    const step = this.#handshake.feed(piece);
    switch (step.kind) {
      case "more":
        if (step.write !== undefined) this.#socket.write(step.write);
        break;
      case "open":
        this.#opened(this.#socket);
        break;
      case "refused":
        this.#refuse(step.refusal);
        break;
      default:
        step satisfies never;
    }
  }

  #opened(socket: Socket): void {
    socket.off("data", this.#onData);
    if (this.#sink !== undefined) this.#sink.take = () => true;
    if (this.#origin.secure) this.#openTls(socket);
    else this.#succeed(socket);
  }

  #openTls(under: Socket): void {
    const { hostname } = this.#origin;
    this.#state = "tls";
    this.#stateAt = this.#parts.dial.clock.now();
    const socket = this.#parts.tls.start(under, hostname, this.#origin.key, this.#origin.http2);
    this.#inner = socket;
    socket.on("error", (error) => {
      if (this.#state === "tls") this.#fail(tlsFailure(error, hostname));
    });
    socket.once("close", () => {
      if (this.#state === "tls") this.#fail({ code: "connect", phase: "tls", message: "the connection was closed in the TLS handshake" });
    });
    socket.once("secureConnect", () => {
      if (this.#state === "tls") this.#succeed(socket);
    });
  }

  #succeed(socket: Socket): void {
    const raw = this.#raw;
    const sink = this.#sink;
    if (raw === undefined || sink === undefined) return;
    this.#state = "ended";
    this.#socket = undefined;
    this.#raw = undefined;
    this.#inner = undefined;
    this.#end({ kind: "connected", socket, raw, sink });
  }

  #fail(failure: Failure): void {
    this.cancel();
    this.#end({ kind: "failed", failure });
  }

  #refuse(refusal: Refusal): void {
    this.cancel();
    this.#end({ kind: "refused", refusal });
  }
}
