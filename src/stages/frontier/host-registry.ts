import type { HostLimiter } from "../../flow/host-limiter.ts";
import type { RetryBudget } from "../../flow/retry-budget.ts";
import { shardOf } from "../../kernel/host-key.ts";
import type { HostId } from "../../kernel/units.ts";
import type { NewHost } from "../../ports/store.ts";
import { Host } from "./host.ts";
import type { RobotsGate } from "./robots-gate.ts";

/** What a host is made of, and where a new one is noted. */
export interface HostParts {
  readonly newLimiter: (host: string) => HostLimiter;
  readonly newRobots: (host: string) => RobotsGate;
  readonly newBudget: () => RetryBudget;
  /** A host has been made; it may join a unit now. */
  readonly made?: (host: Host) => void;
  readonly log: { addHost(host: NewHost): void };
}

/**
 * Hosts by key and by their dense ids. Every host that a link names has an id; the state of one (limiter, robots, queue) is
 * made only when it is given work, so that the hosts out of scope cost a map entry each.
 */
export class HostRegistry {
  readonly #parts: HostParts;
  readonly #ids = new Map<string, HostId>();
  readonly #hosts = new Map<HostId, Host>();
  readonly #keys: string[] = [];

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  get known(): number {
    return this.#ids.size;
  }
  knows(key: string): boolean {
    return this.#ids.has(key);
  }
  /** Hosts that were ever given work. */
  values(): IterableIterator<Host> {
    return this.#hosts.values();
  }

  /** Makes a host of the store known under its stored id. Hosts come in id order. */
  load(id: HostId, key: string): void {
    this.#ids.set(key, id);
    this.#keys[id] = key;
  }

  /** Id of a host, given on first sight. */
  idOf(key: string): HostId {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#keys.length;
    this.#ids.set(key, id);
    this.#keys.push(key);
    this.#parts.log.addHost({ id, key, shard: shardOf(key) });
    return id;
  }

  byKey(key: string): Host {
    return this.byId(this.idOf(key));
  }

  byId(id: HostId): Host {
    let host = this.#hosts.get(id);
    if (host === undefined) {
      const key = this.#keys[id];
      host = new Host(id, key, this.#parts.newLimiter(key), this.#parts.newRobots(key), this.#parts.newBudget());
      this.#hosts.set(id, host);
      this.#parts.made?.(host);
    }
    return host;
  }
}
