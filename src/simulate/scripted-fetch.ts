import { ListedHeaders } from "../kernel/listed-headers.ts";
import type { FetchErrorCode } from "../kernel/outcome.ts";
import type { Bytes, Millis } from "../kernel/units.ts";
import type { CancelTimer, Clock } from "../ports/clock.ts";
import type { FetchMeasure, FetchRequest, FetchResult, HeaderView } from "../ports/fetch-route.ts";
import type { ScriptedAnswer, ScriptedResponse } from "./scripted-web.ts";

/** A body comes in pieces of this, and draws credit for each but the first, as `adapters/http1` does. */
const PIECE: Bytes = 262_144;
/** What a request and its answer's headers weigh on the wire. */
const HEAD: Bytes = 400;

const EMPTY = new Uint8Array(0);

/** A body on its way, and what its answer said before it. */
interface Body {
  readonly bytes: Uint8Array;
  readonly size: Bytes;
  readonly weighs: Bytes | undefined;
  readonly status: number;
  readonly headers: HeaderView;
  readonly transfer: Millis;
}

export interface ScriptedFetchOwner {
  /** The host was not asked before: a connection is opened. */
  readonly isFirst: boolean;
  readonly onHeld: (change: Bytes) => void;
  readonly onEnd: (result: FetchResult) => void;
}

/** One request to the synthetic web: headers, then pieces of the body, each when its time has come and its credit is granted. */
export class ScriptedFetch {
  readonly #clock: Clock;
  readonly #request: FetchRequest;
  readonly #owner: ScriptedFetchOwner;
  readonly #startedAt: Millis;
  #cancel: CancelTimer;
  #ttfb: Millis | null = null;
  #paused: Millis = 0;
  #pausedAt: Millis | null = null;
  #received: Bytes = 0;
  #status: number | undefined;
  #headers: HeaderView | undefined;
  #over = false;

  constructor(clock: Clock, request: FetchRequest, answer: ScriptedAnswer, owner: ScriptedFetchOwner) {
    this.#clock = clock;
    this.#request = request;
    this.#owner = owner;
    this.#startedAt = clock.now();
    const wait = answer.kind === "response" ? answer.ttfb : answer.after;
    if (wait > request.timeout) this.#cancel = clock.after(request.timeout, () => this.#fail("timeout", "headers", "no answer in time"));
    else if (answer.kind === "response") this.#cancel = clock.after(wait, () => this.#head(answer));
    else this.#cancel = clock.after(wait, () => this.#fail(answer.code, answer.phase, `scripted ${answer.code}`));
  }

  abort(): void {
    if (this.#over) return;
    this.#cancel();
    // Not inside the call: whoever aborts many must not be met half-way.
    this.#cancel = this.#clock.after(0, () => this.#fail("timeout", "aborted", "aborted"));
  }

  #head(answer: ScriptedResponse): void {
    this.#ttfb = this.#clock.now() - this.#startedAt;
    const headers = new ListedHeaders(answer.headers ?? []);
    this.#status = answer.status;
    this.#headers = headers;
    const decision = this.#request.decide(answer.status, headers);
    const whole = typeof answer.body === "string" ? new TextEncoder().encode(answer.body) : (answer.body ?? EMPTY);
    const { weighs } = answer;
    const size = weighs ?? whole.length;
    const cut = decision === "begin" && size > this.#request.maxBody;
    const body: Body = {
      bytes: cut ? whole.subarray(0, this.#request.maxBody) : whole,
      size: cut ? this.#request.maxBody : size,
      weighs,
      status: answer.status,
      headers,
      transfer: answer.transfer ?? 0,
    };
    if (decision === "discard" || size === 0) return this.#respond({ ...body, bytes: EMPTY, weighs: undefined });
    this.#piece(body);
  }

  #piece(body: Body): void {
    const size = Math.min(PIECE, body.size - this.#received);
    const wait = (body.transfer * size) / body.size;
    const left = this.#request.timeout - (this.#clock.now() - this.#startedAt - this.#paused);
    const arrive = (): void => {
      const arrived = this.#received + size;
      if (arrived > this.#request.maxBody) return this.#fail("too-large", "body", "larger than the cap");
      if (this.#received > 0 && !this.#request.credit.draw(size, () => this.#granted(body, size))) {
        this.#pausedAt = this.#clock.now();
        return;
      }
      this.#keep(body, size);
    };
    if (wait > left) this.#cancel = this.#clock.after(left, () => this.#fail("timeout", "body", "the body took too long"));
    else if (wait === 0) arrive();
    else this.#cancel = this.#clock.after(wait, arrive);
  }

  #granted(body: Body, size: Bytes): void {
    if (this.#over || this.#pausedAt === null) return;
    this.#paused += this.#clock.now() - this.#pausedAt;
    this.#pausedAt = null;
    // Credit comes from inside somebody's release; the body goes on afterwards.
    this.#cancel = this.#clock.after(0, () => this.#keep(body, size));
  }

  #keep(body: Body, size: Bytes): void {
    this.#received += size;
    this.#owner.onHeld(size);
    if (this.#received === body.size) this.#respond(body);
    else this.#piece(body);
  }

  #respond({ status, headers, bytes, weighs }: Body): void {
    const weight = weighs === undefined ? {} : { weighs };
    this.#end({ kind: "response", status, headers, body: bytes, ...weight, measure: this.#measure() });
  }

  #fail(code: FetchErrorCode, phase: (FetchResult & { kind: "failure" })["phase"], message: string): void {
    const arrived = this.#status === undefined || this.#headers === undefined ? {} : { status: this.#status, headers: this.#headers };
    this.#end({ kind: "failure", code, phase, message, ...arrived, measure: this.#measure() });
  }

  #end(result: FetchResult): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancel();
    this.#owner.onHeld(-this.#received);
    this.#owner.onEnd(result);
  }

  #measure(): FetchMeasure {
    const total = this.#clock.now() - this.#startedAt;
    return {
      ttfb: this.#ttfb ?? total,
      total,
      paused: this.#paused,
      bytesOut: HEAD,
      bytesIn: HEAD + this.#received,
      connected: this.#owner.isFirst,
    };
  }
}
