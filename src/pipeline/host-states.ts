import type { EpochMillis, Millis } from "../kernel/units.ts";
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
  return {
    id: host.id,
    limiter: packState(host.limiter.state(now), host.health.pack(now), clock.epoch()),
    gateUntil: left > 0 ? clock.epoch() + left : null,
    robots,
  };
}

/** Marks a blob that holds limiter and health; without it the blob is a limiter's alone. */
const PACKED = -1;

/** `PACKED`, wall clock, length of the limiter's part; then that, then the health's numbers. */
function packState(limiter: Uint8Array, health: Float64Array, epoch: EpochMillis): Uint8Array {
  const head = new Float64Array([PACKED, epoch, limiter.byteLength]);
  const packed = new Uint8Array(head.byteLength + limiter.byteLength + health.byteLength);
  packed.set(new Uint8Array(head.buffer), 0);
  packed.set(limiter, head.byteLength);
  packed.set(new Uint8Array(health.buffer), head.byteLength + limiter.byteLength);
  return packed;
}

/** When a state was packed; the oldest instant there is for one that does not say. */
export function epochOf(blob: Uint8Array): EpochMillis {
  const head = blob.byteLength >= 24 ? new Float64Array(blob.slice(0, 16).buffer) : null;
  return head !== null && head[0] === PACKED ? head[1] : 0;
}

/** What is left of a gate. */
export function leftOf(gateUntil: EpochMillis | null, clock: Clock): Millis {
  return gateUntil === null ? 0 : Math.max(0, gateUntil - clock.epoch());
}

/** Gives a host what the store kept of it. */
export function restoreState(host: Host, blob: Uint8Array, clock: Clock, gateUntil: EpochMillis | null): void {
  const now = clock.now();
  const gateLeft = leftOf(gateUntil, clock);
  const head = blob.byteLength >= 24 ? new Float64Array(blob.slice(0, 24).buffer) : null;
  if (head === null || head[0] !== PACKED) return host.limiter.restore(blob, now, gateLeft);
  const end = 24 + head[2];
  // Time has passed for the host as well: a gap is not waited for again, and an idle limit has decayed. The gate is an instant.
  const away = Math.max(0, clock.epoch() - head[1]);
  host.limiter.restore(blob.slice(24, end), now - away, gateLeft === 0 ? 0 : gateLeft + away);
  if ((blob.byteLength - end) % Float64Array.BYTES_PER_ELEMENT !== 0) return;
  host.health.restore(new Float64Array(blob.slice(end).buffer), now, away);
}
