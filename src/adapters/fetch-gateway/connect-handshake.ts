import { retryAfter } from "../../kernel/retry-after.ts";
import type { Bytes, EpochMillis } from "../../kernel/units.ts";
import type { Refusal } from "../http1/dial.ts";
import { ResponseHead } from "../http1/response-head.ts";
import { type Handshake, loginWords, refusedBy, type Step } from "./handshake.ts";

/** A gateway's answer to CONNECT is a few lines. */
const HEAD_MOST: Bytes = 16 * 1024;
/** Of a refusal's body so much is waited for: it is paid for, so it is counted. */
const BODY_MOST: Bytes = 16 * 1024;
const HTTP = "HTTP/1.";

export interface ConnectTarget {
  /** Name and port: both are in a CONNECT. */
  readonly authority: string;
  readonly user: { readonly name: string; readonly password: string } | null;
  /** The gateway, for messages. */
  readonly gateway: string;
  readonly exhausted: readonly number[];
  readonly busy: readonly number[];
  epoch(): EpochMillis;
}

/** HTTP CONNECT (RFC 9110 9.3.6). Credentials go with the first request: being asked for them costs a round trip and its bytes. */
export class ConnectHandshake implements Handshake {
  readonly #target: ConnectTarget;
  #received = Buffer.alloc(0);
  #refusal: Refusal | undefined;
  /** Left of a refusal's body. */
  #left: Bytes = 0;

  constructor(target: ConnectTarget) {
    this.#target = target;
  }

  begin(): Buffer {
    const { authority, user } = this.#target;
    const credentials =
      user === null ? "" : `Proxy-Authorization: Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}\r\n`;
    return Buffer.from(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`, "latin1");
  }

  feed(bytes: Buffer): Step {
    if (this.#refusal !== undefined) {
      this.#left -= bytes.length;
      return this.#left > 0 ? { kind: "more" } : { kind: "refused", refusal: this.#refusal };
    }
    this.#received = Buffer.concat([this.#received, bytes]);
    const text = this.#received.toString("latin1");
    if (!HTTP.startsWith(text.slice(0, HTTP.length))) return this.#refuse("answered CONNECT with something that is not HTTP");
    const end = text.indexOf("\r\n\r\n");
    if (end >= 0) return this.#judge(text, end + 4);
    if (text.length > HEAD_MOST) return this.#refuse(`answered CONNECT with more than ${HEAD_MOST} bytes of headers`);
    return { kind: "more" };
  }

  broken(reason: string): Refusal {
    return this.#refusal ?? refusedBy("endpoint", `${this.#target.gateway} ${reason}`);
  }

  #judge(text: string, end: number): Step {
    let head: ResponseHead;
    try {
      head = new ResponseHead(text.slice(0, end - 4));
    } catch (error) {
      return this.#refuse(`answered CONNECT unreadably: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (head.status < 200) {
      this.#received = this.#received.subarray(end);
      return this.#received.length === 0 ? { kind: "more" } : this.feed(Buffer.alloc(0));
    }
    if (head.status < 300) {
      // The site has not been asked anything yet.
      return text.length === end ? { kind: "open" } : this.#refuse("sent bytes before the tunnel was used");
    }
    this.#refusal = this.#refusalOf(head);
    const length = head.framing.kind === "length" ? Math.min(head.framing.length, BODY_MOST) : 0;
    this.#left = length - (text.length - end);
    return this.#left > 0 ? { kind: "more" } : { kind: "refused", refusal: this.#refusal };
  }

  #refusalOf(head: ResponseHead): Refusal {
    const { gateway, exhausted, busy, authority, user, epoch } = this.#target;
    const { status } = head;
    const wait = retryAfter(head.get("retry-after"), head.get("date"), epoch());
    const said = `${gateway} answered ${status} to CONNECT ${authority}`;
    if (exhausted.includes(status)) return refusedBy("credits", `${said}: its quota or money is gone`, status, wait);
    if (busy.includes(status)) return refusedBy("plan", `${said}: too many at once`, status, wait);
    if (status === 401 || status === 407) return refusedBy("auth", `${said}: ${loginWords(user !== null)}`, status);
    return refusedBy("endpoint", said, status, wait);
  }

  #refuse(what: string): Step {
    return { kind: "refused", refusal: refusedBy("endpoint", `${this.#target.gateway} ${what}`) };
  }
}
