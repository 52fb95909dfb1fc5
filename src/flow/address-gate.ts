interface Slot<T> {
  inFlight: number;
  readonly waiters: T[];
}

/** With no more addresses than this, idle ones are kept: most are asked again at once. */
const IDLE_KEPT = 1_024;

/**
 * Hard ceiling of requests in flight per address, with a wait list of hosts for each, so that thousands of hosts behind
 * one full address are not popped and pushed for ever. A host waits in one list at most; lists hold hosts, so they are
 * bounded by the hosts known. Source: flow-control.md §2, §8 (`--ip-ceiling`).
 */
export class AddressGate<T> {
  readonly #ceiling: number;
  readonly #slots = new Map<string, Slot<T>>();

  constructor(ceiling: number) {
    this.#ceiling = ceiling;
  }

  /** Takes a slot, or puts the host on the address's wait list. The caller never offers a host that is on one already. */
  enter(address: string, host: T): boolean {
    let slot = this.#slots.get(address);
    if (slot === undefined) {
      slot = { inFlight: 0, waiters: [] };
      this.#slots.set(address, slot);
    }
    if (slot.inFlight >= this.#ceiling) {
      slot.waiters.push(host);
      return false;
    }
    slot.inFlight += 1;
    return true;
  }

  /** Gives a slot back. @returns the host that has waited longest for this address; it must be offered again. */
  leave(address: string): T | undefined {
    const slot = this.#slots.get(address);
    if (slot === undefined) return undefined;
    slot.inFlight -= 1;
    const next = slot.waiters.shift();
    this.#tidy(address, slot);
    return next;
  }

  /** When the host that `leave` named does not need its place now. @returns the next one, while there is room. */
  another(address: string): T | undefined {
    const slot = this.#slots.get(address);
    if (slot === undefined) return undefined;
    const next = slot.inFlight < this.#ceiling ? slot.waiters.shift() : undefined;
    this.#tidy(address, slot);
    return next;
  }

  #tidy(address: string, slot: Slot<T>): void {
    if (slot.inFlight === 0 && slot.waiters.length === 0 && this.#slots.size > IDLE_KEPT) this.#slots.delete(address);
  }

  /** Hosts wait for this address. */
  isContended(address: string): boolean {
    return (this.#slots.get(address)?.waiters.length ?? 0) > 0;
  }

  inFlight(address: string): number {
    return this.#slots.get(address)?.inFlight ?? 0;
  }
}
