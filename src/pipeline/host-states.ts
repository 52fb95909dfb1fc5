import type { Millis } from "../kernel/units.ts";
import type { CancelTimer, Clock } from "../ports/clock.ts";
import type { HostState } from "../ports/store.ts";
import type { Frontier } from "../stages/frontier/frontier.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { StoreStage } from "../stages/store/store-stage.ts";

/** Hosts whose state moved are written this often. */
const SAVE_EVERY: Millis = 1_000;

/** Keeps limiter and gate of each host in the store, so that a restart is as careful as the run before it was. */
export class HostStates {
  readonly #clock: Clock;
  readonly #frontier: Frontier;
  readonly #store: StoreStage;
  #timer: CancelTimer | null = null;

  constructor(clock: Clock, frontier: Frontier, store: StoreStage) {
    this.#clock = clock;
    this.#frontier = frontier;
    this.#store = store;
  }

  start(): void {
    this.#timer = this.#clock.after(SAVE_EVERY, () => {
      for (const host of this.#frontier.hosts()) if (host.dirty) this.#save(host);
      this.start();
    });
  }

  stop(): void {
    this.#timer?.();
    this.#timer = null;
  }

  /** At the end: every host that was asked for anything. */
  saveAll(): void {
    for (const host of this.#frontier.hosts()) if (host.starts > 0 || host.dirty) this.#save(host);
  }

  #save(host: Host): void {
    host.dirty = false;
    this.#store.hostState(hostStateOf(host, this.#clock, null));
  }
}

/** What the store keeps of a host. The gate is an instant of the wall clock: it holds over a restart, however long it takes. */
export function hostStateOf(host: Host, clock: Clock, robots: string | null): HostState {
  const now = clock.now();
  const left = host.limiter.gateUntil - now;
  return { id: host.id, limiter: host.limiter.state(now), gateUntil: left > 0 ? clock.epoch() + left : null, robots };
}
