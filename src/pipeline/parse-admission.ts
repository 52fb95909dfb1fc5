import type { CreditPool } from "../flow/credit-pool.ts";
import type { Credit } from "../flow/credit-share.ts";
import { expectedOf, notePage } from "../flow/heavy-hosts.ts";
import { SizeQuantile } from "../flow/size-quantile.ts";
import type { StageGauge } from "../flow/stage-gauge.ts";
import type { Bytes, Millis } from "../kernel/units.ts";
import type { Host } from "../stages/frontier/host.ts";
import { BYTES_CHARGED } from "./errand.ts";

/** What a page is expected to hold before any was seen, and the least and most that is reserved ahead. */
const EXPECTED: { readonly first: Bytes; readonly least: Bytes; readonly most: Bytes } = { first: 65_536, least: 4_096, most: 262_144 };
/** Decoded size from which a page is heavy. Source: what is parsed in a thread of its own. */
export const HEAVY_BODY: Bytes = 524_288;
/** Hosts that are offered again at once when the heavy share has room: others follow at the next turn. */
const RECALLED_AT_ONCE = 16;
const NOBODY: readonly Host[] = [];

/**
 * Whether the parse boundary lets a host start: hosts whose pages are of the usual sort by the light share, those whose pages are
 * heavy by the heavy one. A heavy host that finds no room waits here while all others go on.
 */
export class ParseAdmission {
  readonly #pool: CreditPool;
  readonly #gauge: StageGauge;
  readonly #wait: Millis;
  readonly #expected = new SizeQuantile(EXPECTED);
  readonly #waiting = new Set<Host>();
  #refusals = 0;

  /** @param gauge of the heavy pages in parse. @param wait what the oldest of them may wait; beyond it the parser counts as stopped. */
  constructor(pool: CreditPool, gauge: StageGauge, wait: Millis) {
    this.#pool = pool;
    this.#gauge = gauge;
    this.#wait = wait;
  }

  /** Hosts that wait for the heavy share. */
  get waiting(): number {
    return this.#waiting.size;
  }
  /** Times a heavy host found no room. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Room for a page of the usual sort; without it nothing is started at all. */
  get hasRoom(): boolean {
    return this.#pool.hasRoom(this.#expected.value * BYTES_CHARGED);
  }

  /** May this host start? If not, it is offered again by `recall`. */
  admits(host: Host, now: Millis): boolean {
    if (host.heavy && !this.#hasHeavyRoom(host, now)) {
      this.#waiting.add(host);
      host.lacksShare = true;
      this.#refusals += 1;
      return false;
    }
    if (host.lacksShare) this.#forget(host);
    return true;
  }

  /** Takes the credit of a start; only when the host was admitted. */
  take(host: Host): Credit {
    return this.#pool.take((host.heavy ? expectedOf(host) : this.#expected.value) * BYTES_CHARGED, host.heavy);
  }

  /** A body has come whole. */
  arrived(host: Host, credit: Credit, bytes: Bytes): void {
    const heavy = bytes >= HEAVY_BODY;
    if (!heavy) this.#expected.add(bytes);
    notePage(host, bytes, heavy);
    this.#pool.settle(credit, bytes * BYTES_CHARGED);
  }

  /** A page of whatever size takes the parser long enough to be parsed elsewhere. */
  sentAway(host: Host, credit: Credit, bytes: Bytes): void {
    if (bytes < HEAVY_BODY) notePage(host, bytes, true);
    this.#pool.toHeavy(credit);
  }

  release(credit: Credit): void {
    this.#pool.release(credit);
  }

  /** Hosts for which there may be room again. One that cannot start after all keeps nobody: the next turn recalls others. */
  recall(now: Millis): readonly Host[] {
    if (this.#waiting.size === 0) return NOBODY;
    const hosts: Host[] = [];
    for (const host of this.#waiting) {
      if (hosts.length === RECALLED_AT_ONCE || !this.#hasHeavyRoom(host, now)) break;
      hosts.push(host);
    }
    for (const host of hosts) this.#forget(host);
    return hosts;
  }

  #hasHeavyRoom(host: Host, now: Millis): boolean {
    return this.#pool.hasHeavyRoom(expectedOf(host) * BYTES_CHARGED) && this.#gauge.oldestAge(now) < this.#wait;
  }

  #forget(host: Host): void {
    this.#waiting.delete(host);
    host.lacksShare = false;
  }
}
