import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Refusal } from "../http1/dial.ts";
import { type Handshake, loginWords, refusedBy, type Step } from "./handshake.ts";

export interface SocksTarget {
  /** Sent as a name: the gateway resolves it. */
  readonly hostname: string;
  readonly port: number;
  readonly user: { readonly name: string; readonly password: string } | null;
  /** The gateway, for messages. */
  readonly gateway: string;
}

/** Replies of a SOCKS5 server other than success (RFC 1928 6). */
const REPLIES: readonly string[] = [
  "",
  "general failure",
  "not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "time to live expired",
  "command not supported",
  "address type not supported",
];

/**
 * SOCKS5 (RFC 1928) with user and password (RFC 1929).
 *
 * States: method -> (password ->) request -> done.
 */
export class SocksHandshake implements Handshake {
  readonly #target: SocksTarget;
  #state: "method" | "password" | "request" = "method";
  #received = Buffer.alloc(0);

  constructor(target: SocksTarget) {
    this.#target = target;
  }

  begin(): Buffer {
    return this.#target.user === null ? Buffer.from([5, 1, 0]) : Buffer.from([5, 2, 0, 2]);
  }

  feed(bytes: Buffer): Step {
    this.#received = Buffer.concat([this.#received, bytes]);
    switch (this.#state) {
      case "method":
        return this.#method();
      case "password":
        return this.#password();
      case "request":
        return this.#reply();
      default:
        return this.#state satisfies never;
    }
  }

  broken(reason: string): Refusal {
    return refusedBy("endpoint", `${this.#target.gateway} ${reason}`);
  }

  #method(): Step {
    const answer = this.#taken(2);
    if (answer === undefined) return { kind: "more" };
    if (answer[0] !== 5) return this.#refuse("endpoint", "does not speak SOCKS5");
    if (answer[1] === 0) return this.#ask();
    const { user } = this.#target;
    if (user === null) return this.#refuse("auth", `lets nobody in without a login: ${loginWords(false)}`);
    if (answer[1] !== 2) return this.#refuse("auth", "accepts neither a user name and a password nor a visitor without");
    this.#state = "password";
    return { kind: "more", write: Buffer.concat([Buffer.from([1]), sized(user.name), sized(user.password)]) };
  }

  #password(): Step {
    const answer = this.#taken(2);
    if (answer === undefined) return { kind: "more" };
    return answer[1] === 0 ? this.#ask() : this.#refuse("auth", `refused the login: ${loginWords(true)}`);
  }

  #ask(): Step {
    const { hostname, port } = this.#target;
    this.#state = "request";
    return { kind: "more", write: Buffer.concat([Buffer.from([5, 1, 0]), addressOf(hostname), Buffer.from([port >> 8, port & 0xff])]) };
  }

  #reply(): Step {
    const { length } = this.#received;
    if (length >= 2 && this.#received[0] !== 5) return this.#refuse("endpoint", "answered with something that is not SOCKS5");
    if (length >= 2 && this.#received[1] !== 0) {
      const code = this.#received[1];
      return this.#refuse("endpoint", `could not reach ${this.#target.hostname}: ${REPLIES[code] ?? `reply ${code}`}`);
    }
    if (length < 5) return { kind: "more" };
    const type = this.#received[3];
    const size = type === 1 ? 4 : type === 4 ? 16 : type === 3 ? 1 + this.#received[4] : undefined;
    if (size === undefined) return this.#refuse("endpoint", "answered with an address of unknown type");
    if (length < 6 + size) return { kind: "more" };
    // The site has not been asked anything yet.
    return length === 6 + size ? { kind: "open" } : this.#refuse("endpoint", "sent bytes before the tunnel was used");
  }

  #taken(size: number): Buffer | undefined {
    if (this.#received.length < size) return undefined;
    const taken = this.#received.subarray(0, size);
    this.#received = this.#received.subarray(size);
    return taken;
  }

  #refuse(by: Refusal["by"], what: string): Step {
    return { kind: "refused", refusal: refusedBy(by, `${this.#target.gateway} ${what}`) };
  }
}

/** One length byte and the text, of which 255 bytes fit. */
function sized(text: string): Buffer {
  const bytes = Buffer.from(text).subarray(0, 255);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function addressOf(hostname: string): Buffer {
  if (isIP(hostname) === 0) return Buffer.concat([Buffer.from([3]), sized(hostname)]);
  const bytes = ipaddr.parse(hostname).toByteArray();
  return Buffer.from([bytes.length === 4 ? 1 : 4, ...bytes]);
}
