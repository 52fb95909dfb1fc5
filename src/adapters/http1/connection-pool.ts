import type { Millis } from "../../kernel/units.ts";
import type { Carrier } from "./carrier.ts";
import { Connection } from "./connection.ts";
import type { DialOutcome } from "./dial.ts";
import { Http2Session } from "./http2-session.ts";
import { Http2Stream } from "./http2-stream.ts";
import type { HttpOptions } from "./options.ts";
import { type Exit, type Origin, originKey, originOf } from "./origin.ts";

/**
 * Keeps idle connections for the next fetch of their origin. Bounded per origin and in all: the oldest idle connection is closed
 * for room. Busy connections are not counted against the bound per origin, since the pool neither starts nor queues anything.
 */
export class ConnectionPool {
  readonly #options: Pick<HttpOptions, "connectionsPerHost" | "maxConnections" | "keepAlive" | "http2For">;
  readonly #origins = new Map<string, Origin<Connection>>();
  readonly #open = new Set<Connection | Http2Session>();
  /** Shared connections by origin; empty unless HTTP/2 was asked for. */
  readonly #shared = new Map<string, Http2Session[]>();
  /** In order of release. */
  readonly #idle = new Set<Connection>();
  #emptied: (() => void) | undefined;

  constructor(options: Pick<HttpOptions, "connectionsPerHost" | "maxConnections" | "keepAlive" | "http2For">) {
    this.#options = options;
  }

  get open(): number {
    return this.#open.size;
  }

  get idle(): number {
    return this.#idle.size;
  }

  /** @param base scheme, name and port as they stand in a URL. */
  origin(base: string, exit?: Exit): Origin<Connection> {
    const key = originKey(base, exit);
    let origin = this.#origins.get(key);
    if (origin === undefined) {
      origin = originOf(base, exit, this.#options.http2For);
      this.#origins.set(key, origin);
    }
    return origin;
  }

  /** The idle connection used last, whose congestion window and server process are warmest. */
  take(origin: Origin<Connection>, now: Millis): Carrier | undefined {
    if (origin.http2) {
      const session = this.#shared.get(origin.key)?.find((one) => one.hasRoom(now));
      if (session !== undefined) return session.open();
    }
    for (let connection = origin.idle.pop(); connection !== undefined; connection = origin.idle.pop()) {
      this.#idle.delete(connection);
      if (connection.isUsable(now)) return connection;
      connection.kill();
    }
    return undefined;
  }

  /** Keeps an origin known while something is open, or being opened, to it. Each `hold` is undone by one `letGo`. */
  hold(origin: Origin): void {
    origin.users += 1;
  }

  letGo(origin: Origin): void {
    origin.users -= 1;
    if (origin.users === 0 && this.#origins.get(origin.key) === origin) this.#origins.delete(origin.key);
  }

  /** A new connection that speaks HTTP/2: kept for all fetches of its origin. @returns a place on it. */
  share(origin: Origin<Connection>, sockets: Extract<DialOutcome, { kind: "connected" }>): Http2Stream {
    const session = new Http2Session(origin, sockets, this.#options, (closed) => this.#unshare(closed));
    const sessions = this.#shared.get(origin.key);
    if (sessions === undefined) this.#shared.set(origin.key, [session]);
    else sessions.push(session);
    this.add(session);
    return session.open();
  }

  /** Counts a new connection, which its fetch holds, and makes room for it. */
  add(connection: Connection | Http2Session): void {
    this.hold(connection.origin);
    this.#open.add(connection);
    if (this.#open.size <= this.#options.maxConnections) return;
    for (const oldest of this.#idle) {
      this.#closeIdle(oldest);
      return;
    }
    for (const sessions of this.#shared.values()) {
      const idle = sessions.find((session) => session.isIdle && session !== connection);
      if (idle === undefined) continue;
      idle.kill();
      return;
    }
  }

  release(connection: Carrier, now: Millis): void {
    if (connection instanceof Http2Stream) connection.leave(now);
    if (!(connection instanceof Connection)) return;
    connection.rest(now);
    if (!connection.isUsable(now)) return;
    if (connection.origin.idle.length >= this.#options.connectionsPerHost || this.#open.size > this.#options.maxConnections) {
      connection.kill();
      return;
    }
    connection.origin.idle.push(connection);
    this.#idle.add(connection);
  }

  /** To be called once when the connection's socket has closed. */
  forget(connection: Connection): void {
    this.#open.delete(connection);
    if (this.#idle.delete(connection)) remove(connection.origin.idle, connection);
    this.letGo(connection.origin);
    if (this.#open.size === 0) this.#emptied?.();
  }

  #unshare(session: Http2Session): void {
    const sessions = this.#shared.get(session.origin.key)?.filter((one) => one !== session) ?? [];
    if (sessions.length === 0) this.#shared.delete(session.origin.key);
    else this.#shared.set(session.origin.key, sessions);
    this.#open.delete(session);
    this.letGo(session.origin);
    if (this.#open.size === 0) this.#emptied?.();
  }

  /** Resolves when every socket has closed. */
  closeAll(): Promise<void> {
    for (const connection of this.#open) connection.kill();
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#emptied = resolve;
    });
  }

  #closeIdle(connection: Connection): void {
    this.#idle.delete(connection);
    remove(connection.origin.idle, connection);
    connection.kill();
  }
}

function remove(list: Connection[], connection: Connection): void {
  const at = list.indexOf(connection);
  if (at !== -1) list.splice(at, 1);
}
