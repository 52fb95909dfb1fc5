import type { Bytes, Millis } from "../../kernel/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { BodyDecision, FetchRequest, FetchResult, HeaderView } from "../../ports/fetch-route.ts";
import type { BodyPool } from "./body-pool.ts";
import { type BodyOwner, BodyReader } from "./body-reader.ts";
import type { Connection, Exchange } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { codingsOf } from "./content-decoding.ts";
import { contentLengthOf } from "./content-length.ts";
import type { Dial, DialOutcome } from "./dial.ts";
import { exchangeFailure, type Failure, isLost } from "./failure.ts";
import { FetchMeter } from "./fetch-meter.ts";
import type { DirectRouteOptions } from "./options.ts";
import type { Origin } from "./origin.ts";
import { RateWatch } from "./rate-watch.ts";

/** A body to be thrown away is read up to here to keep its connection; a longer one costs more than a new connection. */
const DISCARD_LIMIT: Bytes = 64 * 1024;
const NO_BODY = new Uint8Array(0);

/** What a fetch needs of its route. */
export interface FetchContext {
  readonly clock: Clock;
  readonly options: DirectRouteOptions;
  readonly pool: ConnectionPool;
  readonly bodies: BodyPool;
  dial(origin: Origin, end: (outcome: DialOutcome) => void): Dial;
  connectionOf(origin: Origin<Connection>, outcome: Extract<DialOutcome, { kind: "connected" }>): Connection;
  /** Own headers and the request's, name, value, name, value, ... */
  headersOf(request: FetchRequest): string[];
  /** Calls `fetch.settle` once the present call stack has ended, which may be inside a parser. */
  later(fetch: DirectFetch): void;
  /** The fetch needs no more sweeps. */
  ended(fetch: DirectFetch): void;
}

/**
 * One fetch.
 *
 * States: dial (no connection yet) -> headers (request handed over) -> body -> decode (last byte in, decoder busy) -> ended. Every
 * state can go to ended. A kept connection that is lost before the first byte of a response goes from headers back to dial, once:
 * the server closed it while the request was on its way, and RFC 9110 9.2.2 lets a GET be sent again. It counts as the same
 * attempt, all its bytes included.
 */
export class DirectFetch implements BodyOwner, Exchange {
  readonly #context: FetchContext;
  readonly #request: FetchRequest;
  readonly #origin: Origin<Connection>;
  readonly #path: string;
  #done: ((result: FetchResult) => void) | undefined;
  #state: "dial" | "headers" | "body" | "decode" | "ended" = "dial";
  #dial: Dial | undefined;
  #connection: Connection | undefined;
  /** Given back as soon as the parser has left the response. */
  #released: Connection | undefined;
  #reader: BodyReader | undefined;
  #watch: RateWatch | undefined;
  #result: FetchResult | undefined;
  #status = 0;
  #headers: HeaderView | undefined;
  #isReused = false;
  #isRetried = false;
  /** A byte of the response has come. */
  #hasBegun = false;
  /** Left to throw away, or undefined when the body is wanted. */
  #discard: Bytes | undefined;
  readonly #meter: FetchMeter;

  constructor(
    context: FetchContext,
    request: FetchRequest,
    target: { readonly origin: Origin<Connection>; readonly path: string },
    done: (result: FetchResult) => void,
  ) {
    this.#context = context;
    this.#request = request;
    this.#origin = target.origin;
    this.#path = target.path;
    this.#done = done;
    this.#meter = new FetchMeter(context.clock);
  }

  begin(): void {
    const kept = this.#context.pool.take(this.#origin, this.#context.clock.now());
    if (kept === undefined) this.#open();
    else this.#send(kept, true);
  }

  abort(): void {
    if (this.#done === undefined) return;
    const failure: Failure = { code: "connect", phase: "aborted", message: "the fetch was aborted" };
    if (this.#state === "ended") this.#result = this.#failed(failure);
    else this.bodyFailed(failure);
  }

  /** Ends what is past a deadline. Called by the route's sweep. */
  check(now: Millis): void {
    const { timeout } = this.#request;
    if (this.#meter.spent(now) >= timeout) {
      this.bodyFailed({ code: "timeout", phase: this.#phase(), message: `not finished within ${timeout} ms` });
    } else if (this.#state === "dial") {
      this.#dial?.check(now);
    } else if (this.#state === "headers") {
      const { firstByteTimeout } = this.#context.options;
      if (this.#meter.sinceSent(now) < firstByteTimeout) return;
      this.bodyFailed({ code: "timeout", phase: "headers", message: `no complete headers within ${firstByteTimeout} ms` });
    } else if (this.#state === "body" && this.#reader !== undefined) {
      const { leastRate } = this.#context.options;
      this.#watch ??= new RateWatch(leastRate);
      if (!this.#watch.isTooSlow(this.#meter.sinceHeaders(now), this.#reader.received)) return;
      const { bytesPerSecond, window } = leastRate;
      this.bodyFailed({ code: "too-slow", phase: "body", message: `less than ${bytesPerSecond} bytes/s over ${window} ms` });
    }
  }

  /** Hands back the connection and the result, as far as there are any. */
  settle(): void {
    const released = this.#released;
    if (released !== undefined) {
      this.#released = undefined;
      this.#context.pool.release(released, this.#context.clock.now());
    }
    const done = this.#done;
    if (this.#result === undefined || done === undefined) return;
    this.#done = undefined;
    done(this.#result);
  }

  // What the connection calls.

  onResponseStarted(): void {
    this.#hasBegun = true;
  }

  onHeaders(status: number, headers: HeaderView): void {
    if (this.#state !== "headers") return;
    this.#meter.markHeaders();
    this.#state = "body";
    this.#status = status;
    this.#headers = headers;
    const expected = contentLengthOf(headers);
    const decision = this.#decide(status, headers);
    if (decision === "discard") this.#startDiscarding(expected);
    else if (status !== 204 && status !== 304) this.#startReading(headers, expected, decision === "begin");
  }

  onData(piece: Buffer): boolean {
    if (this.#state !== "body") return true;
    if (this.#reader !== undefined) return this.#reader.push(piece);
    this.#discard = (this.#discard ?? 0) - piece.length;
    if (this.#discard < 0) this.bodyReady(NO_BODY);
    return true;
  }

  onComplete(): void {
    if (this.#state !== "body") return;
    this.#countBytes();
    this.#released = this.#connection;
    this.#connection = undefined;
    this.#state = "decode";
    if (this.#reader === undefined) this.bodyReady(NO_BODY);
    else this.#reader.end();
    if (this.#result === undefined) this.#context.later(this);
  }

  onError(error: Error): void {
    if (this.#state !== "headers" && this.#state !== "body") return;
    if (this.#state === "headers" && this.#isReused && !this.#isRetried && !this.#hasBegun && isLost(error)) {
      this.#isRetried = true;
      this.#countBytes();
      this.#connection = undefined;
      this.#open();
      return;
    }
    this.bodyFailed(exchangeFailure(error, this.#state === "body" ? "body" : this.#hasBegun ? "headers" : "none"));
  }

  // What the body's reader calls.

  bodyUnblocked(): void {
    const connection = this.#connection;
    // Not now: whoever granted the credit may stand inside another response's parser, or in this one's.
    if (connection !== undefined) queueMicrotask(() => connection.resume());
  }

  bodyReady(body: Uint8Array): void {
    const headers = this.#headers;
    if (this.#state === "ended" || headers === undefined) return;
    this.#end();
    this.#result = { kind: "response", status: this.#status, headers, body, measure: this.#meter.measure() };
  }

  bodyFailed(failure: Failure): void {
    if (this.#state === "ended") return;
    this.#end();
    this.#result = this.#failed(failure);
  }

  #open(): void {
    this.#state = "dial";
    this.#dial = this.#context.dial(this.#origin, (outcome) => {
      if (this.#state !== "dial") return;
      if (outcome.kind === "failed") {
        this.bodyFailed(outcome.failure);
        return;
      }
      const connection = this.#context.connectionOf(this.#origin, outcome);
      this.#closeDial();
      this.#send(connection, false);
    });
    this.#context.pool.hold(this.#origin);
    this.#dial.start();
  }

  #send(connection: Connection, isReused: boolean): void {
    this.#state = "headers";
    this.#connection = connection;
    this.#isReused = isReused;
    if (!isReused) this.#meter.connected = true;
    this.#meter.markSent();
    connection.send(this.#path, this.#context.headersOf(this.#request), this);
  }

  /** A fault of the caller's must not look like one of the host's: it surfaces as an uncaught exception. */
  #decide(status: number, headers: HeaderView): BodyDecision {
    try {
      return this.#request.decide(status, headers);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
      return "discard";
    }
  }

  #startDiscarding(expected: Bytes | undefined): void {
    this.#discard = DISCARD_LIMIT;
    if (expected !== undefined && expected > DISCARD_LIMIT) this.bodyReady(NO_BODY);
  }

  #startReading(headers: HeaderView, expected: Bytes | undefined, isBeginning: boolean): void {
    const { maxBody } = this.#request;
    if (expected !== undefined && expected > maxBody && !isBeginning) {
      this.bodyFailed({ code: "too-large", phase: "body", message: `Content-Length ${expected} is more than ${maxBody} bytes` });
      return;
    }
    const codings = codingsOf(headers);
    if (codings.kind === "unknown") {
      this.bodyFailed({ code: "decode", phase: "body", message: `unknown coding ${JSON.stringify(codings.name)}` });
      return;
    }
    const parts = { owner: this, pauses: this.#meter, credit: this.#request.credit, bodies: this.#context.bodies };
    this.#reader = new BodyReader(parts, codings.codings, expected, maxBody, isBeginning);
  }

  #phase(): "resolve" | "connect" | "tls" | "headers" | "body" {
    if (this.#state === "headers") return "headers";
    if (this.#state !== "dial") return "body";
    const state = this.#dial?.state;
    return state === undefined || state === "ended" ? "connect" : state;
  }

  #failed(failure: Failure): FetchResult {
    const head = this.#headers === undefined ? {} : { status: this.#status, headers: this.#headers };
    return { kind: "failure", ...failure, ...head, measure: this.#meter.measure() };
  }

  /** Lets go of everything still held; a connection still held is in the middle of something, so it cannot be kept. */
  #end(): void {
    this.#state = "ended";
    this.#closeDial();
    this.#reader?.cancel();
    this.#meter.endPauses();
    const connection = this.#connection;
    if (connection !== undefined) {
      this.#countBytes();
      this.#connection = undefined;
      connection.kill();
    }
    this.#context.ended(this);
    this.#context.later(this);
  }

  #countBytes(): void {
    if (this.#connection !== undefined) this.#meter.addBytes(this.#connection.takeBytes());
  }

  #closeDial(): void {
    const dial = this.#dial;
    if (dial === undefined) return;
    this.#dial = undefined;
    this.#meter.addBytes(dial.bytes);
    dial.cancel();
    this.#context.pool.letGo(this.#origin);
  }
}
