import { isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import type { TlsOptions } from "./options.ts";

/** Sessions kept for resumption, some 2 KB each. Source: guess; more origins than are open at once by default. */
const SESSIONS_MOST = 1_024;

/** Makes TLS clients on sockets that are there. A kept session spares the certificates of the next handshake: some 3 KB. */
export class TlsClient {
  /** Made once: making it for each connection costs a quarter of a handshake (performance 2.2). */
  readonly #context: SecureContext;
  readonly #verify: boolean;
  /** In order of arrival; null when sessions are not kept. */
  readonly #sessions: Map<string, Buffer> | null;

  constructor(options: { readonly tls: TlsOptions; readonly isMetered: boolean }) {
    this.#context = createSecureContext(options.tls.ca === undefined ? {} : { ca: options.tls.ca });
    this.#verify = options.tls.verify;
    this.#sessions = options.isMetered ? new Map() : null;
  }

  /** @param key what a session is kept for: the same server, reached the same way. @param isHttp2 offers HTTP/2 first. */
  start(socket: Socket, hostname: string, key: string, isHttp2 = false): TLSSocket {
    const session = this.#sessions?.get(key);
    const client = connectTls({
      socket,
      host: hostname,
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      secureContext: this.#context,
      rejectUnauthorized: this.#verify,
      ALPNProtocols: isHttp2 ? ["h2", "http/1.1"] : ["http/1.1"],
      ...(session === undefined ? {} : { session }),
    });
    if (this.#sessions !== null) client.on("session", (fresh: Buffer) => this.#keep(key, fresh));
    return client;
  }

  #keep(key: string, session: Buffer): void {
    const sessions = this.#sessions;
    if (sessions === null) return;
    sessions.delete(key);
    sessions.set(key, session);
    if (sessions.size <= SESSIONS_MOST) return;
    for (const oldest of sessions.keys()) {
      sessions.delete(oldest);
      break;
    }
  }
}
