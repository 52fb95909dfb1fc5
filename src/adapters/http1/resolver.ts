import { lookup as systemLookup } from "node:dns";
import { isIP } from "node:net";
import type { Millis } from "../../kernel/units.ts";
import type { CancelTimer, Clock } from "../../ports/clock.ts";

/** Look-ups at once; more wait. The system's resolver works in a small thread pool, so more would only queue there. */
const LOOKUPS_AT_ONCE = 16;
/** Names waiting for a look-up; beyond it a name fails at once rather than let the list grow. */
const MAX_WAITING = 10_000;
/** `getaddrinfo` tells no TTL: one minute follows a name that moves, and costs a busy host one look-up a minute. */
const FRESH_FOR: Millis = 60_000;
/** An older answer serves while the name servers fail (RFC 8767), at most this long. */
const STALE_FOR: Millis = 3_600_000;
const MAX_NAMES = 20_000;

/** All addresses of a name in the order to try; `code` is getaddrinfo's when there are none. */
export type Addresses =
  | { readonly kind: "found"; readonly addresses: readonly string[]; readonly stale?: boolean }
  /** `silent`: no name server said so, for none answered. */
  | { readonly kind: "missing"; readonly message: string; readonly silent?: boolean };

/** `dns.lookup` with `all: true`; it reads the hosts file. */
export type SystemLookup = (
  hostname: string,
  options: { readonly all: true; readonly order: "verbatim" },
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly { readonly address: string }[]) => void,
) => void;

interface Entry {
  addresses: readonly string[];
  at: Millis;
}

interface Lookup {
  readonly hostname: string;
  readonly waiters: ((answer: Addresses) => void)[];
  cancelTimer: CancelTimer;
  settled: boolean;
}

/**
 * Names to addresses, cached and bounded: a number of look-ups at once, of names waiting, of names remembered. One look-up
 * serves all that ask for the name meanwhile. A look-up that passed its deadline answers its waiters but keeps its place until
 * the system returns, because it still holds a thread.
 */
export class Resolver {
  readonly #clock: Clock;
  readonly #timeout: Millis;
  readonly #lookup: SystemLookup;
  /** In order of use: the first is the next to be forgotten. */
  readonly #known = new Map<string, Entry>();
  readonly #running = new Map<string, Lookup>();
  readonly #waiting: Lookup[] = [];
  #busy = 0;

  constructor(deps: { readonly clock: Clock; readonly lookup?: SystemLookup }, options: { readonly timeout: Millis }) {
    this.#clock = deps.clock;
    this.#lookup = deps.lookup ?? (systemLookup as SystemLookup);
    this.#timeout = options.timeout;
  }

  /** A fresh answer that needs no look-up: an address literal, or a name asked for lately. */
  known(hostname: string): readonly string[] | undefined {
    const entry = this.#known.get(hostname);
    if (entry !== undefined && this.#clock.now() - entry.at < FRESH_FOR) return entry.addresses;
    return isIP(hostname) === 0 ? undefined : [hostname];
  }

  /** Calls `answer` once, later; at the latest after the time-out. */
  lookup(hostname: string, answer: (answer: Addresses) => void): void {
    const running = this.#running.get(hostname);
    if (running !== undefined) {
      running.waiters.push(answer);
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) {
      queueMicrotask(() => answer({ kind: "missing", message: `more than ${MAX_WAITING} names wait to be looked up` }));
      return;
    }
    const lookup: Lookup = { hostname, waiters: [answer], cancelTimer: () => {}, settled: false };
    lookup.cancelTimer = this.#clock.after(this.#timeout, () => this.#fail(lookup, `no answer within ${this.#timeout} ms`));
    this.#running.set(hostname, lookup);
    if (this.#busy < LOOKUPS_AT_ONCE) this.#begin(lookup);
    else this.#waiting.push(lookup);
  }

  /** Answers all that wait; nothing is asked any more. */
  close(): void {
    for (const lookup of [...this.#running.values()]) this.#fail(lookup, "the route is closed");
    this.#waiting.length = 0;
  }

  #begin(lookup: Lookup): void {
    this.#busy += 1;
    this.#lookup(lookup.hostname, { all: true, order: "verbatim" }, (error, found) => {
      this.#busy -= 1;
      if (error !== null) this.#fail(lookup, error.code ?? error.message, error.code === "ENOTFOUND");
      else this.#succeed(lookup, found);
      this.#beginNext();
    });
  }

  #beginNext(): void {
    while (this.#busy < LOOKUPS_AT_ONCE) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (!next.settled) this.#begin(next);
    }
  }

  #succeed(lookup: Lookup, found: readonly { readonly address: string }[]): void {
    const addresses = interleaved(found.map((one) => one.address));
    if (addresses.length === 0) {
      this.#fail(lookup, "ENOTFOUND", true);
      return;
    }
    this.#remember(lookup.hostname, addresses);
    this.#settle(lookup, { kind: "found", addresses });
  }

  /** @param denied true when the name servers said that there is no such name: then an old answer does not serve. */
  #fail(lookup: Lookup, reason: string, denied = false): void {
    const old = this.#known.get(lookup.hostname);
    if (denied) this.#known.delete(lookup.hostname);
    else if (old !== undefined && this.#clock.now() - old.at < STALE_FOR) {
      this.#settle(lookup, { kind: "found", addresses: old.addresses, stale: true });
      return;
    }
    this.#settle(lookup, { kind: "missing", message: `no address for ${lookup.hostname}: ${reason}`, silent: !denied });
  }

  #settle(lookup: Lookup, answer: Addresses): void {
    if (lookup.settled) return;
    lookup.settled = true;
    lookup.cancelTimer();
    this.#running.delete(lookup.hostname);
    for (const waiter of lookup.waiters) waiter(answer);
  }

  #remember(hostname: string, addresses: readonly string[]): void {
    this.#known.delete(hostname);
    this.#known.set(hostname, { addresses, at: this.#clock.now() });
    if (this.#known.size > MAX_NAMES) {
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    }
  }
}

/** Families in turn, as RFC 8305 4 has it, so that one broken family costs one attempt and not several. */
function interleaved(addresses: readonly string[]): string[] {
  const first = addresses.filter((address) => isIP(address) === isIP(addresses[0]));
  const second = addresses.filter((address) => isIP(address) !== isIP(addresses[0]));
  const result: string[] = [];
  for (let i = 0; i < Math.max(first.length, second.length); i += 1) {
    if (i < first.length) result.push(first[i]);
    if (i < second.length) result.push(second[i]);
  }
  return result;
}
