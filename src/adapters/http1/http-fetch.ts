import type { Bytes, Millis } from "../../kernel/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FetchRequest, FetchResult, HeaderView } from "../../ports/fetch-route.ts";
import { BodyIntake } from "./body-intake.ts";
import type { BodyPool } from "./body-pool.ts";
import type { BodyOwner } from "./body-reader.ts";
import type { Carrier, Exchange } from "./carrier.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { Dial, Dialer, DialOutcome, Refusal } from "./dial.ts";
import { exchangeFailure, type Failure, isLost } from "./failure.ts";
import { FetchMeter } from "./fetch-meter.ts";
import type { HttpOptions } from "./options.ts";
import type { Origin } from "./origin.ts";

/** A body to be thrown away is read up to here to keep its connection; a longer one costs more than a new connection. */
const DISCARD_MOST: Bytes = 64 * 1024;
/** How long what is on its way at a cut is waited for, to be counted: two turns to the site, between these. */
const LINGER_LEAST: Millis = 100;
const LINGER_MOST: Millis = 1_000;
const NO_BODY = new Uint8Array(0);
const ABORTED: Failure = { code: "connect", phase: "aborted", message: "the fetch was aborted" };

/** What a fetch needs of its route. */
export interface FetchContext extends Dialer {
  readonly clock: Clock;
  readonly options: HttpOptions;
  readonly pool: ConnectionPool;
  readonly bodies: BodyPool;
  connectionOf(origin: Origin<Connection>, outcome: Extract<DialOutcome, { kind: "connected" }>): Carrier;
  /** Own headers and the request's, name, value, name, value, ... */
  headersOf(request: FetchRequest): string[];
  /** Calls `fetch.settle` once the present call stack has ended, which may be inside a parser. */
  later(fetch: HttpFetch): void;
  /** The fetch needs no more sweeps. */
  ended(fetch: HttpFetch): void;
}

/**
 * One fetch.
 *
 * States: dial (no connection yet) -> headers (request handed over) -> body -> decode (last byte in, decoder busy) -> ended. Every
 * state can go to ended; where bytes cost money a cut body goes through linger, until what was on its way has come and is counted.
 * A kept connection that is lost before the first byte of a response goes from headers back to dial, once:
 * the server closed it while the request was on its way, and RFC 9110 9.2.2 lets a GET be sent again. It counts as the same
 * attempt, all its bytes included.
 */
export class HttpFetch implements BodyOwner, Exchange {
  readonly #context: FetchContext;
  readonly #request: FetchRequest;
  readonly #origin: Origin<Connection>;
  readonly #path: string;
  #done: ((result: FetchResult) => void) | undefined;
  #state: "dial" | "headers" | "body" | "decode" | "linger" | "ended" = "dial";
  #dial: Dial | undefined;
  #connection: Carrier | undefined;
  /** Given back as soon as the parser has left the response. */
  #released: Carrier | undefined;
  #intake: BodyIntake | undefined;
  #lingersUntil: Millis = 0;
  // How it ends, once that is decided.
  #body: Uint8Array = NO_BODY;
  #failure: Failure | undefined;
  #refusal: Refusal | undefined;
  #result: FetchResult | undefined;
  #status = 0;
  #headers: HeaderView | undefined;
  #isReused = false;
  #isRetried = false;
  /** A byte of the response has come. */
  #hasBegun = false;
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
    this.#failure = ABORTED;
    if (this.#state === "ended") this.#result = this.#conclusion();
    else this.#finish();
  }

  /** Ends what is past a deadline. Called by the route's sweep. */
  check(now: Millis): void {
    const { timeout } = this.#request;
    const { firstByteTimeout, leastRate } = this.#context.options;
    if (this.#state === "linger") {
      if (now >= this.#lingersUntil) this.#finish();
    } else if (this.#meter.spent(now) >= timeout) {
      if (this.#dial !== undefined) this.#dial.expire(timeout);
      else {
        const phase = this.#state === "headers" ? "headers" : "body";
        this.bodyFailed({ code: "timeout", phase, message: `not finished within ${timeout} ms` });
      }
    } else if (this.#state === "dial") {
      this.#dial?.check(now);
    } else if (this.#state === "headers") {
      if (this.#meter.sinceSent(now) < firstByteTimeout) return;
      this.bodyFailed({ code: "timeout", phase: "headers", message: `no complete headers within ${firstByteTimeout} ms` });
    } else if (this.#state === "body" && this.#intake?.isTooSlow(leastRate, this.#meter.sinceHeaders(now)) === true) {
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

  onHeaders(status: number, headers: HeaderView, size: Bytes): void {
    if (this.#state !== "headers") return;
    this.#meter.markHeaders(size);
    this.#state = "body";
    this.#status = status;
    this.#headers = headers;
    const most = this.#context.options.isMetered ? (this.#connection?.setup ?? 0) : DISCARD_MOST;
    const parts = { owner: this, pauses: this.#meter, bodies: this.#context.bodies };
    const intake = new BodyIntake(parts, this.#request, { status, headers }, most);
    if (this.#state === "body") this.#intake = intake;
  }

  onData(piece: Buffer): boolean {
    return this.#state !== "body" || this.#intake === undefined || this.#intake.push(piece);
  }

  onComplete(): void {
    if (this.#state !== "body") return;
    this.#countBytes();
    this.#released = this.#connection;
    this.#connection = undefined;
    this.#state = "decode";
    this.#intake?.end();
    if (this.#result === undefined) this.#context.later(this);
  }

  onError(error: Error): void {
    if (this.#state === "linger") this.#finish();
    if (this.#state !== "headers" && this.#state !== "body") return;
    if (this.#state === "headers" && this.#isReused && !this.#isRetried && !this.#hasBegun && isLost(error)) {
      this.#isRetried = true;
      this.#countBytes();
      if (this.#connection?.kind === "shared") this.#context.pool.release(this.#connection, this.#context.clock.now());
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
    if (this.#state === "ended" || this.#state === "linger" || this.#headers === undefined) return;
    this.#body = body;
    this.#end();
  }

  bodyFailed(failure: Failure): void {
    if (this.#state === "ended" || this.#state === "linger") return;
    this.#failure = failure;
    this.#end();
  }

  #open(): void {
    this.#state = "dial";
    this.#dial = this.#context.dial(this.#origin, (outcome) => {
      if (this.#state !== "dial") return;
      if (outcome.kind === "failed") {
        this.bodyFailed(outcome.failure);
        return;
      }
      if (outcome.kind === "refused") {
        this.#refusal = outcome.refusal;
        this.#finish();
        return;
      }
      const connection = this.#context.connectionOf(this.#origin, outcome);
      this.#closeDial();
      this.#meter.setup += connection.setup;
      this.#send(connection, false);
    });
    this.#context.pool.hold(this.#origin);
    this.#dial.start();
  }

  #send(connection: Carrier, isReused: boolean): void {
    this.#state = "headers";
    this.#connection = connection;
    this.#isReused = isReused;
    if (!isReused) this.#meter.connected = true;
    this.#meter.markSent();
    this.#meter.heads += connection.send(this.#path, this.#context.headersOf(this.#request), this);
  }

  /** It is decided how the fetch ends. A connection still held is in the middle of something, so it cannot be kept. */
  #end(): void {
    const { options, clock } = this.#context;
    // Nothing to wait for where the connection itself is the trouble: then it is over already, and brings no more.
    if (!options.isMetered || this.#state !== "body" || this.#connection === undefined || this.#connection.isOver) {
      this.#finish();
      return;
    }
    this.#state = "linger";
    this.#lingersUntil = clock.now() + Math.min(LINGER_MOST, Math.max(LINGER_LEAST, 2 * this.#meter.ttfb));
    this.#intake?.cancel();
    this.#meter.endPauses();
    this.#connection.linger();
  }

  /** Lets go of everything still held. */
  #finish(): void {
    this.#state = "ended";
    this.#closeDial();
    this.#intake?.cancel();
    this.#meter.endPauses();
    const connection = this.#connection;
    if (connection !== undefined) {
      this.#countBytes();
      this.#connection = undefined;
      connection.kill();
      if (connection.kind === "shared") this.#context.pool.release(connection, this.#context.clock.now());
    }
    this.#result = this.#conclusion();
    this.#context.ended(this);
    this.#context.later(this);
  }

  #conclusion(): FetchResult {
    const measure = this.#meter.measure();
    if (this.#refusal !== undefined && this.#failure === undefined) return { kind: "refusal", ...this.#refusal, measure };
    const headers = this.#headers;
    if (this.#failure === undefined && headers !== undefined)
      return { kind: "response", status: this.#status, headers, body: this.#body, measure };
    const failure = this.#failure ?? ABORTED;
    return { kind: "failure", ...failure, ...(headers === undefined ? {} : { status: this.#status, headers }), measure };
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
