import type { Bytes, Millis } from "../../kernel/units.ts";
import type { BodyDecision, FetchRequest, HeaderView } from "../../ports/fetch-route.ts";
import type { BodyPool } from "./body-pool.ts";
import { type BodyOwner, BodyReader, type Pauses } from "./body-reader.ts";
import { codingsOf } from "./content-decoding.ts";
import { contentLengthOf } from "./content-length.ts";
import type { LeastRate } from "./options.ts";
import { RateWatch } from "./rate-watch.ts";

const NO_BODY = new Uint8Array(0);

/** Takes the body of one response, as its caller decided: reads it, or throws it away while that is cheaper than a new connection. */
export class BodyIntake {
  readonly #owner: BodyOwner;
  readonly #request: FetchRequest;
  readonly #reader: BodyReader | undefined;
  #watch: RateWatch | undefined;
  /** Left to throw away. */
  #discard: Bytes = 0;

  /**
   * May end the body at once, by the owner's methods.
   * @param discardMost a body to be thrown away is read up to here to keep its connection.
   */
  constructor(
    parts: { readonly owner: BodyOwner; readonly pauses: Pauses; readonly bodies: BodyPool },
    request: FetchRequest,
    response: { readonly status: number; readonly headers: HeaderView },
    discardMost: Bytes,
  ) {
    this.#owner = parts.owner;
    this.#request = request;
    const { status, headers } = response;
    const expected = contentLengthOf(headers);
    const decision = decisionOf(request, status, headers);
    if (decision === "discard") {
      this.#discard = discardMost;
      if (expected !== undefined && expected > discardMost) parts.owner.bodyReady(NO_BODY);
    } else if (status !== 204 && status !== 304) this.#reader = this.#readerOf(parts, headers, expected, decision === "begin");
  }

  /** @param piece valid during the call only. @returns false when the sender must stop until `bodyUnblocked`. */
  push(piece: Uint8Array): boolean {
    if (this.#reader !== undefined) return this.#reader.push(piece);
    this.#discard -= piece.length;
    if (this.#discard < 0) this.#owner.bodyReady(NO_BODY);
    return true;
  }

  /** The last byte has been pushed. */
  end(): void {
    if (this.#reader === undefined) this.#owner.bodyReady(NO_BODY);
    else this.#reader.end();
  }

  cancel(): void {
    this.#reader?.cancel();
  }

  /** @param spent time since the headers, pauses left out. */
  isTooSlow(least: LeastRate, spent: Millis): boolean {
    if (this.#reader === undefined) return false;
    this.#watch ??= new RateWatch(least);
    return this.#watch.isTooSlow(spent, this.#reader.received);
  }

  #readerOf(
    parts: { readonly owner: BodyOwner; readonly pauses: Pauses; readonly bodies: BodyPool },
    headers: HeaderView,
    expected: Bytes | undefined,
    isBeginning: boolean,
  ): BodyReader | undefined {
    const { maxBody, credit } = this.#request;
    if (expected !== undefined && expected > maxBody && !isBeginning) {
      this.#owner.bodyFailed({ code: "too-large", phase: "body", message: `Content-Length ${expected} is more than ${maxBody} bytes` });
      return undefined;
    }
    const codings = codingsOf(headers);
    if (codings.kind === "unknown") {
      this.#owner.bodyFailed({ code: "decode", phase: "body", message: `unknown coding ${JSON.stringify(codings.name)}` });
      return undefined;
    }
    return new BodyReader(parts, credit, codings.codings, expected, maxBody, isBeginning);
  }
}

/** A fault of the caller's must not look like one of the host's: it surfaces as an uncaught exception. */
function decisionOf(request: FetchRequest, status: number, headers: HeaderView): BodyDecision {
  try {
    return request.decide(status, headers);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
    return "discard";
  }
}
