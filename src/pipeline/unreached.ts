import type { FetchResult } from "../ports/fetch-route.ts";

/** Hosts told to the person up to here; all of them are in the results. */
const TOLD = 5;

/** Tells early which hosts could not be reached: what is tried again for a minute, with growing waits, must not look like a standstill. */
export class Unreached {
  readonly #told = new Set<string>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Takes the end of every request. */
  ended(host: string, result: FetchResult): void {
    if (result.kind === "failure" && result.phase === "connect") this.note(host, result.message);
  }

  note(host: string, message: string): void {
    if (this.#told.size >= TOLD || this.#told.has(host)) return;
    this.#told.add(host);
    this.#warn(`${host} cannot be reached: ${message}; it is tried again`);
  }
}
