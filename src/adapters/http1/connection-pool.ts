import type { Millis } from "../../kernel/units.ts";
import type { Connection } from "./connection.ts";
import { type Exit, type Origin, originKey, originOf } from "./origin.ts";

/**
 * Keeps idle connections for the next fetch of their origin. Bounded per origin and in all: the oldest idle connection is closed
 * for room. Busy connections are not counted against the bound per origin, since the pool neither starts nor queues anything.
 */
export class ConnectionPool {
  readonly #perOrigin: number;
  readonly #max: number;
  readonly #origins = new Map<string, Origin<Connection>>();
  readonly #open = new Set<Connection>();
  /** In order of release. */
  readonly #idle = new Set<Connection>();
  #emptied: (() => void) | undefined;

  constructor(options: { readonly connectionsPerHost: number; readonly maxConnections: number }) {
    this.#perOrigin = options.connectionsPerHost;
    this.#max = options.maxConnections;
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
      origin = originOf(base, exit);
      this.#origins.set(key, origin);
    }
    return origin;
  }

  /** The idle connection used last, whose congestion window and server process are warmest. */
  take(origin: Origin<Connection>, now: Millis): Connection | undefined {
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

  /** Counts a new connection, which its fetch holds, and makes room for it. */
  add(connection: Connection): void {
    this.hold(connection.origin);
    this.#open.add(connection);
    if (this.#open.size <= this.#max) return;
    for (const oldest of this.#idle) {
      this.#closeIdle(oldest);
      break;
    }
  }

  release(connection: Connection, now: Millis): void {
    connection.rest(now);
    if (!connection.isUsable(now)) return;
    if (connection.origin.idle.length >= this.#perOrigin || this.#open.size > this.#max) {
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
