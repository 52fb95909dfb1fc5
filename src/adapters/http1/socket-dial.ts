import { connect as connectTcp, type NetConnectOpts, type OnReadOpts, type Socket } from "node:net";
import type { Bytes, Millis } from "../../kernel/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AddressPolicy } from "./address-policy.ts";
import type { Dial, DialOutcome, ReadSink } from "./dial.ts";
import { connectFailure, type Failure, tlsFailure } from "./failure.ts";
import type { HttpOptions } from "./options.ts";
import type { Origin } from "./origin.ts";
import type { Resolver } from "./resolver.ts";
import type { TlsClient } from "./tls-client.ts";

/** Addresses tried for one connection. */
const MAX_ATTEMPTS = 4;
/** Bodies come in pieces of up to this. */
const READ_PIECE: Bytes = 64 * 1024;
const ignore = (): void => {};

/**
 * What plain sockets read into, all of them: a read and what is done with it are one step, and whoever keeps bytes copies them.
 * A buffer for each read costs an allocation of 64 KB a page and garbage outside the heap. A TLS socket makes its own.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(READ_PIECE);

/** `net.connect` passes these on to its stream, which its declaration leaves out. */
interface StreamOptions {
  readonly highWaterMark: Bytes;
}

export interface DialParts {
  readonly clock: Clock;
  readonly resolver: Resolver;
  readonly policy: Pick<AddressPolicy, "permits">;
  readonly tls: TlsClient;
  readonly options: Pick<HttpOptions, "connectTimeout" | "tlsTimeout">;
}

/**
 * Opens one connection: name to addresses, TCP, TLS. The policy is asked for each address in the moment before it is connected
 * to, literals in URLs included, and the socket goes to that address and not to the name: a name that resolves differently a
 * second time (DNS rebinding) gains nothing. Host and SNI carry the name.
 *
 * States: resolve -> connect (one address after the other) -> tls (https only) -> ended. `end` is called once on entering ended,
 * unless the dial was cancelled. Deadlines are checked from outside, by the sweep.
 */
export class SocketDial implements Dial {
  readonly #parts: DialParts;
  readonly #origin: Origin;
  readonly #end: (outcome: DialOutcome) => void;
  /** Read through the shared buffer: for a socket that stays plain. */
  readonly #isShared: boolean;
  #state: "resolve" | "connect" | "tls" | "ended" = "resolve";
  #addresses: string[] = [];
  #attempts = 0;
  #refused: string | undefined;
  #failure: Failure | undefined;
  #raw: Socket | undefined;
  #tls: Socket | undefined;
  #stateAt: Millis = 0;
  #attemptAt: Millis = 0;
  #bytesIn: Bytes = 0;
  #bytesOut: Bytes = 0;

  /** @param isShared false when something besides HTTP will read from the socket itself. */
  constructor(parts: DialParts, origin: Origin, end: (outcome: DialOutcome) => void, isShared = !origin.secure) {
    this.#parts = parts;
    this.#origin = origin;
    this.#end = end;
    this.#isShared = isShared;
  }

  /** What attempts have moved that did not succeed; the sockets of one that did count for themselves. */
  get bytes(): { readonly out: Bytes; readonly in: Bytes } {
    return { out: this.#bytesOut + (this.#raw?.bytesWritten ?? 0), in: this.#bytesIn + (this.#raw?.bytesRead ?? 0) };
  }

  start(): void {
    const known = this.#parts.resolver.known(this.#origin.hostname);
    if (known !== undefined) {
      this.#connectTo(known);
      return;
    }
    this.#parts.resolver.lookup(this.#origin.hostname, (answer) => {
      if (this.#state !== "resolve") return;
      if (answer.kind === "found") this.#connectTo(answer.addresses);
      else this.#fail({ code: "dns", phase: "resolve", message: answer.message });
    });
  }

  /** Ends what has taken too long. */
  check(now: Millis): void {
    const { connectTimeout, tlsTimeout } = this.#parts.options;
    if (this.#state === "tls" && now - this.#stateAt >= tlsTimeout) {
      this.#fail({ code: "timeout", phase: "tls", message: `no TLS handshake within ${tlsTimeout} ms` });
    }
    if (this.#state !== "connect") return;
    if (now - this.#stateAt >= connectTimeout) {
      this.#fail({ code: "timeout", phase: "connect", message: `no connection within ${connectTimeout} ms` });
    } else if (this.#addresses.length > 0 && now - this.#attemptAt >= connectTimeout / (this.#attempts + this.#addresses.length)) {
      this.#dropRaw();
      this.#tryNext();
    }
  }

  expire(timeout: Millis): void {
    if (this.#state === "ended") return;
    this.#fail({ code: "timeout", phase: this.#state, message: `not finished within ${timeout} ms` });
  }

  cancel(): void {
    this.#state = "ended";
    this.#tls?.destroy();
    this.#raw?.destroy();
  }

  #connectTo(addresses: readonly string[]): void {
    const { preferred } = this.#origin;
    const ordered =
      preferred !== undefined && addresses.includes(preferred) ? [preferred, ...addresses.filter((one) => one !== preferred)] : addresses;
    this.#addresses = ordered.slice(0, MAX_ATTEMPTS);
    this.#state = "connect";
    this.#stateAt = this.#parts.clock.now();
    this.#tryNext();
  }

  #tryNext(): void {
    const { hostname, port } = this.#origin;
    let address = this.#addresses.shift();
    while (address !== undefined && !this.#parts.policy.permits(address, hostname, port)) {
      this.#refused = address;
      address = this.#addresses.shift();
    }
    if (address === undefined) {
      const refused: Failure = {
        code: "private-address",
        phase: "resolve",
        message: `${hostname} is at ${this.#refused}, which is not a public address`,
      };
      this.#fail(this.#failure ?? refused);
      return;
    }
    this.#attempts += 1;
    this.#attemptAt = this.#parts.clock.now();
    this.#openRaw(address);
  }

  #openRaw(address: string): void {
    // A server that speaks before it is asked is not heard.
    const sink: ReadSink = { take: () => true };
    const onread: OnReadOpts = { buffer: READ_BUFFER, callback: (end) => sink.take(READ_BUFFER, end) };
    // Half-open: what happens at the other side's end is decided by the connection, which may be paused (connection.ts).
    const target: NetConnectOpts & StreamOptions = {
      ...(this.#isShared ? { onread } : {}),
      host: address,
      port: this.#origin.port,
      noDelay: true,
      allowHalfOpen: true,
      highWaterMark: READ_PIECE,
    };
    const raw = connectTcp(target);
    this.#raw = raw;
    // Stays for the socket's life: an error nobody listens to would end the process.
    raw.on("error", (error) => {
      if (raw !== this.#raw || this.#state !== "connect") return;
      this.#failure = worse(this.#failure, connectFailure(error, address));
      this.#dropRaw();
      this.#tryNext();
    });
    raw.once("connect", () => {
      if (raw !== this.#raw || this.#state !== "connect") return;
      this.#origin.preferred = address;
      if (this.#origin.secure) this.#openTls(raw, sink);
      else this.#succeed(raw, raw, sink);
    });
  }

  #openTls(raw: Socket, sink: ReadSink): void {
    const { clock, tls } = this.#parts;
    const { hostname } = this.#origin;
    this.#state = "tls";
    this.#stateAt = clock.now();
    const socket = tls.start(raw, hostname, this.#origin.key, this.#origin.http2);
    this.#tls = socket;
    socket.on("error", (error) => {
      if (this.#state === "tls") this.#fail(tlsFailure(error, hostname));
    });
    socket.once("close", () => {
      if (this.#state === "tls") this.#fail({ code: "connect", phase: "tls", message: "the connection was closed in the TLS handshake" });
    });
    socket.once("secureConnect", () => {
      if (this.#state === "tls") this.#succeed(socket, raw, sink);
    });
  }

  /** Gives up an attempt, keeping what it moved. */
  #dropRaw(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (raw === undefined) return;
    this.#bytesIn += raw.bytesRead;
    this.#bytesOut += raw.bytesWritten;
    raw.on("error", ignore).destroy();
  }

  #succeed(socket: Socket, raw: Socket, sink: ReadSink): void {
    this.#state = "ended";
    this.#raw = undefined;
    this.#tls = undefined;
    this.#end({ kind: "connected", socket, raw, sink });
  }

  #fail(failure: Failure): void {
    this.cancel();
    this.#end({ kind: "failed", failure });
  }
}

/** Of two failed addresses, the one that says more: the remote end's answer before this machine's. */
function worse(before: Failure | undefined, now: Failure): Failure {
  return before !== undefined && before.phase !== "local" && now.phase === "local" ? before : now;
}
