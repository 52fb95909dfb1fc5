import { Account, type AccountOptions, type AccountState, type Reservation } from "../flow/account.ts";
import { type CallPermit, type CallSignal, ProviderLimiter } from "../flow/provider-limiter.ts";
import type { Bytes, EpochMillis, Millis } from "../kernel/units.ts";
import type { Random } from "../ports/clock.ts";
import type { FetchResult, FetchRoute } from "../ports/fetch-route.ts";
import type { Host } from "../stages/frontier/host.ts";

/** Refusals by an endpoint of one URL, while others get through, from which the URL itself is the trouble. Source: guess. */
const TROUBLE_FROM = 4;
/** Calls in a row that did not reach the web, from which a person is told of it. Source: guess; as an endpoint's. */
const DOWN_FROM = 3;
/** URLs that are watched for that at once. */
const WATCHED_MOST = 1_024;

/** A way to the web, and what it asks for. */
export interface ProviderSpec {
  readonly name: string;
  readonly kind: "direct" | "gateway" | "scraping-api";
  readonly route: FetchRoute;
  /** Calls at once that its plan allows: null when nobody knows; absent when it has no such limit. */
  readonly concurrency?: number | null;
  /** What it spends; absent when it costs nothing. */
  readonly account?: AccountOptions & { readonly unit: "credits" | "bytes" };
  /** Retries that it makes itself before it answers. */
  readonly retries: number;
  /** Millionths of the currency, for one unit of its account. */
  readonly price: number;
}

/** What a call holds; null for a route that asks for nothing. */
export interface ProviderCall {
  readonly permit: CallPermit;
  readonly money: Reservation | null;
}

/** Why a host waits for its provider; also what the crawl is then bound by. */
export type ProviderHold = "provider plan" | "credits" | "provider closed" | "provider down";

interface LaneState {
  readonly plan: readonly number[] | null;
  readonly account: AccountState | null;
}

/**
 * One provider: its calls at once, its money, and the hosts that wait for either. A host on the list costs nothing; hosts of
 * other providers go on.
 */
export class ProviderLane {
  readonly spec: ProviderSpec;
  readonly #limiter: ProviderLimiter;
  readonly #account: Account | null;
  readonly #waiting: Host[] = [];
  /** URLs that an endpoint has refused: how often, and how many calls had got through at the first. */
  readonly #watched = new Map<string, { refusals: number; readonly okBefore: number }>();
  #closed: string | null = null;
  #lastRefusal: string | null = null;
  /** Refusals since the last answer that came through. */
  #refusalRow = 0;
  #calls = 0;
  #served = 0;
  #refused = 0;
  #bytes: Bytes = 0;
  #spentBefore = 0;

  constructor(spec: ProviderSpec, now: EpochMillis) {
    this.spec = spec;
    this.#limiter = new ProviderLimiter(spec.concurrency === undefined ? Number.MAX_SAFE_INTEGER : spec.concurrency);
    this.#account = spec.account === undefined ? null : new Account(spec.account, now);
  }

  /** Requests that a site sees for one call. */
  get weight(): number {
    return 1 + this.spec.retries;
  }
  get limiter(): ProviderLimiter {
    return this.#limiter;
  }
  get account(): Account | null {
    return this.#account;
  }
  /** Hosts that wait for it. */
  get waiting(): number {
    return this.#waiting.length;
  }
  /** Why it is closed until a person mends it; null while it is not. */
  get closed(): string | null {
    return this.#closed;
  }
  /** What it refused with last, or why it was not reached; null as soon as an answer comes through. */
  get lastRefusal(): string | null {
    return this.#closed ?? this.#lastRefusal;
  }
  /** Nothing comes through it, though nobody said for how long. */
  get down(): boolean {
    return this.#refusalRow >= DOWN_FROM;
  }
  get calls(): number {
    return this.#calls;
  }
  get refused(): number {
    return this.#refused;
  }
  get bytes(): Bytes {
    return this.#bytes;
  }
  /** Spent in this run, in the account's unit. */
  get spent(): number {
    return (this.#account?.spent ?? 0) - this.#spentBefore;
  }
  /** Millionths of the currency, in this run. */
  get cost(): number {
    return Math.round(this.spent * this.spec.price);
  }

  /** When may the next call start, in the monotonic time of `now`? `Infinity`: not by itself. */
  admitAt(now: Millis, epoch: EpochMillis): Millis {
    if (this.#closed !== null) return Number.POSITIVE_INFINITY;
    const at = this.#limiter.admitAt(now);
    if (this.#account === null || at === Number.POSITIVE_INFINITY) return at;
    return Math.max(at, now + (this.#account.opensAt(epoch) - epoch));
  }

  /** Why nothing more starts now. */
  holdOf(now: Millis): ProviderHold {
    if (this.#closed !== null) return "provider closed";
    if (this.#account !== null && (this.#account.shut !== null || this.#limiter.admitAt(now) <= now)) return "credits";
    return this.#limiter.halfOpen ? "provider down" : "provider plan";
  }

  park(host: Host, now: Millis): void {
    host.parked = true;
    host.waitsFor = this.holdOf(now);
    this.#waiting.push(host);
  }

  /** The host that has waited longest, no longer waiting; undefined when none is. */
  unpark(): Host | undefined {
    const host = this.#waiting.shift();
    if (host !== undefined) {
      host.parked = false;
      host.waitsFor = null;
    }
    return host;
  }

  start(now: Millis): ProviderCall {
    this.#calls += 1;
    return { permit: this.#limiter.start(now), money: this.#account?.start() ?? null };
  }

  /**
   * Takes the end of a call: who must slow down, what it cost.
   * @returns the result, or a failure of the URL's own when the provider goes on serving others and not it.
   */
  end(call: ProviderCall, url: string, result: FetchResult, now: Millis, epoch: EpochMillis, random: Random): FetchResult {
    const { measure } = result;
    this.#bytes += measure.bytesIn + measure.bytesOut;
    this.#limiter.end(call.permit, signalOf(result, this.spec.route.admitAt !== undefined), now, random);
    if (result.kind === "refusal") this.#noteRefusal(result);
    else if (result.kind === "response") {
      this.#served += 1;
      this.#refusalRow = 0;
      this.#lastRefusal = null;
    }
    if (call.money !== null && this.#account !== null) {
      if (result.kind === "refusal" && result.by === "credits") this.#account.exhausted(call.money, result.resetAt, epoch);
      else this.#account.settle(call.money, this.#costOf(result), result.kind !== "refusal");
    }
    if (result.kind === "refusal" && result.by === "auth") this.#closed = result.message;
    if (result.kind === "refusal" && result.by === "endpoint") return this.#watch(url, result);
    if (this.#watched.size > 0) this.#watched.delete(url);
    return result;
  }

  #noteRefusal({ by, message, measure }: FetchResult & { kind: "refusal" }): void {
    this.#refused += 1;
    // What was turned away before it left says nothing new.
    if (by === "endpoint" && this.#lastRefusal !== null && measure.total === 0) return;
    this.#lastRefusal = message;
    if (by === "endpoint") this.#refusalRow += 1;
  }

  #costOf(result: FetchResult): number {
    const { measure } = result;
    return this.spec.account?.unit === "bytes" ? measure.bytesIn + measure.bytesOut : (measure.credits ?? 0);
  }

  /** A URL that an endpoint refuses again and again while others get through would come back for ever. */
  #watch(url: string, result: FetchResult & { kind: "refusal" }): FetchResult {
    const seen = this.#watched.get(url) ?? { refusals: 0, okBefore: this.#served };
    seen.refusals += 1;
    this.#watched.delete(url);
    if (seen.refusals >= TROUBLE_FROM && this.#served > seen.okBefore) {
      return { kind: "failure", code: "proxy", phase: "local", message: result.message, measure: result.measure };
    }
    this.#watched.set(url, seen);
    for (const oldest of this.#watched.keys()) {
      if (this.#watched.size <= WATCHED_MOST) break;
      this.#watched.delete(oldest);
    }
    return result;
  }

  /** A person has paid, or mended what closed it. */
  topUp(amount: number | null): void {
    this.#closed = null;
    this.#account?.topUp(amount);
  }

  /** JSON for the store; null for a route that keeps nothing. */
  state(): string | null {
    if (this.spec.kind === "direct") return null;
    return JSON.stringify({ plan: this.#limiter.state(), account: this.#account?.state() ?? null } satisfies LaneState);
  }

  restore(text: string, epoch: EpochMillis): void {
    const state = JSON.parse(text) as LaneState;
    if (state.plan !== null) this.#limiter.restore(state.plan);
    if (state.account !== null) this.#account?.restore(state.account, epoch);
    this.#spentBefore = this.#account?.spent ?? 0;
  }
}

/** A top-up into the state that a store keeps, while nothing runs. @returns the new state, and what is left. */
export function toppedUp(
  text: string | null,
  options: AccountOptions,
  amount: number | null,
  epoch: EpochMillis,
): { readonly state: string; readonly left: number | null } {
  const before: LaneState = text === null ? { plan: null, account: null } : JSON.parse(text);
  const account = new Account(options, epoch);
  if (before.account !== null) account.restore(before.account, epoch);
  account.topUp(amount);
  return { state: JSON.stringify({ plan: before.plan, account: account.state() } satisfies LaneState), left: account.left };
}

/** @param hasExits the route itself keeps those hosts waiting whose way out is down; the others go on. */
function signalOf(result: FetchResult, hasExits: boolean): CallSignal {
  if (result.kind === "response") return { kind: "ok" };
  if (result.kind === "failure") return { kind: "neutral" };
  switch (result.by) {
    case "plan":
      return { kind: "busy", retryAfter: result.retryAfter };
    case "endpoint":
      return { kind: hasExits ? "neutral" : "down" };
    case "credits":
    case "auth":
      return { kind: "neutral" };
    default:
      return result.by satisfies never;
  }
}
