import type { Bytes } from "../kernel/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { FetchRequest, FetchResult, FetchRoute, Resolution } from "../ports/fetch-route.ts";
import { ScriptedFetch } from "./scripted-fetch.ts";
import type { ScriptedCall, ScriptedWeb } from "./scripted-web.ts";

/**
 * A way to a synthetic web, on virtual time. It keeps the contract of a route: `done` once and never inside `start`, deadline
 * and cap of the request, credit for what a body holds (paused without it), abort at any moment.
 */
export class ScriptedRoute implements FetchRoute {
  readonly name = "scripted";
  readonly #clock: Clock;
  readonly #web: ScriptedWeb;
  readonly #active = new Set<ScriptedFetch>();
  readonly #asked = new Map<string, number>();
  readonly #busy = new Map<string, number>();
  #mostInFlight = 0;
  #held: Bytes = 0;
  #mostHeld: Bytes = 0;
  #starts = 0;

  constructor(clock: Clock, web: ScriptedWeb) {
    this.#clock = clock;
    this.#web = web;
  }

  get inFlight(): number {
    return this.#active.size;
  }
  get mostInFlight(): number {
    return this.#mostInFlight;
  }
  get starts(): number {
    return this.#starts;
  }
  /** Decoded bytes of unfinished bodies, now and at most so far. */
  get heldBytes(): Bytes {
    return this.#held;
  }
  get mostHeldBytes(): Bytes {
    return this.#mostHeld;
  }
  /** Requests that a host works on now. */
  inFlightOf(host: string): number {
    return this.#busy.get(host) ?? 0;
  }

  resolve(hostname: string, _port: number, signal: AbortSignal): Promise<Resolution> {
    const found = this.#web.address?.(hostname);
    if (found === undefined) return Promise.resolve({ kind: "resolved", addresses: [`address of ${hostname}`] });
    return new Promise((resolve) => {
      this.#clock.after(found.after, () => {
        if (signal.aborted) resolve({ kind: "failed", code: "dns", message: "aborted" });
        else if (found.kind === "resolved") resolve({ kind: "resolved", addresses: found.addresses });
        else resolve({ kind: "failed", code: found.code, silent: found.silent === true, message: `${hostname} has no address` });
      });
    });
  }

  start(request: FetchRequest, done: (result: FetchResult) => void): () => void {
    const host = request.url.split("/", 3)[2];
    const nth = (this.#asked.get(request.url) ?? 0) + 1;
    const inFlight = this.inFlightOf(host) + 1;
    this.#asked.set(request.url, nth);
    this.#busy.set(host, inFlight);
    this.#starts += 1;
    const call: ScriptedCall = { url: request.url, host, headers: request.headers, at: this.#clock.now(), nth, inFlight };
    this.#web.onStart?.(call);
    const fetch = new ScriptedFetch(this.#clock, request, this.#web.answer(call), {
      isFirst: !this.#asked.has(host),
      onHeld: (change) => this.#hold(change),
      onEnd: (result) => {
        this.#active.delete(fetch);
        this.#busy.set(host, this.inFlightOf(host) - 1);
        done(result);
      },
    });
    this.#asked.set(host, 1);
    this.#active.add(fetch);
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#active.size);
    return () => fetch.abort();
  }

  /** Bodies belong to the script. */
  releaseBody(): void {}

  close(): Promise<void> {
    for (const fetch of [...this.#active]) fetch.abort();
    return Promise.resolve();
  }

  #hold(change: Bytes): void {
    this.#held += change;
    this.#mostHeld = Math.max(this.#mostHeld, this.#held);
  }
}
