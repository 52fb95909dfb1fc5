import type { Millis } from "../kernel/units.ts";
import { Endpoint } from "./endpoint.ts";

/** Hosts away from home, and hosts with a history, that are remembered; beyond it the oldest starts anew. */
const HOSTS_MOST = 20_000;
/** Refusals of one host, others getting through between any two, after which it is the host that cannot be reached. Source: guess. */
const REFUSALS_MOST = 3;
const HOST_GATE_FIRST: Millis = 1_000;
const HOST_GATE_LONGEST: Millis = 300_000;
/** While a probe is out, or nothing is known better, it is asked again after this. */
const ASK_AGAIN: Millis = 1_000;

type Random = () => number;

export interface ExitTaken {
  readonly endpoint: number;
  readonly session: string;
}

/** A host that was refused: its own pause, and the session it has now. */
interface Trouble {
  serial: number;
  tries: number;
  /** Refusals with successes of others before each. */
  refusals: number;
  /** The endpoint's successes at the last one. */
  oks: number;
  until: Millis;
}

/**
 * Which endpoint of a gateway a host leaves by. A host has a home (by hash, so nothing is stored for it) and one session there,
 * which is one address behind the gateway; it leaves home while that is closed, at a bounded rate, and comes back at one.
 * A session that was refused is replaced.
 *
 * Decisions only: structurally the `ExitPolicy` of the ports.
 */
export class Endpoints {
  readonly #endpoints: readonly Endpoint[];
  readonly #seed: number;
  /** Where hosts are that are not at home; in order of moving. */
  readonly #moves = new Map<string, number>();
  readonly #troubles = new Map<string, Trouble>();
  /** The probes under way, by identity. */
  readonly #probes = new Set<ExitTaken>();

  /** @param seed makes sessions of two runs differ. */
  constructor(endpoints: readonly { readonly region: string | null }[], seed: number) {
    this.#endpoints = endpoints.map(({ region }) => new Endpoint(region));
    this.#seed = seed | 0;
  }

  /** For tests and for whoever shows it. */
  get endpoints(): readonly Endpoint[] {
    return this.#endpoints;
  }

  /** Hosts away from home. */
  get moved(): number {
    return this.#moves.size;
  }

  admitAt(host: string, now: Millis): Millis {
    const until = this.#troubles.get(host)?.until ?? 0;
    if (until > now) return until;
    const order = this.#order(host);
    const home = this.#endpoints[order[0]];
    if (home.isOpen || home.isDue(now)) return now;
    let earliest = home.isProbing ? now + ASK_AGAIN : home.gateUntil;
    for (const index of order.slice(1)) {
      const other = this.#endpoints[index];
      if (other.isOpen || other.isDue(now)) return Math.min(earliest, home.moveAt(now));
      earliest = Math.min(earliest, other.isProbing ? now + ASK_AGAIN : other.gateUntil);
    }
    return Math.max(earliest, now);
  }

  start(host: string, now: Millis, _random: Random): ExitTaken | null {
    if ((this.#troubles.get(host)?.until ?? 0) > now) return null;
    const order = this.#order(host);
    const home = this.#endpoints[order[0]];
    const away = this.#moves.get(host);
    if (home.isOpen) {
      if (away === undefined) return this.#take(host, order[0], false, now);
      if (this.#endpoints[away].isOpen && !home.mayReturn(now)) return this.#take(host, away, false, now);
      home.returned(now);
      this.#moves.delete(host);
      return this.#take(host, order[0], false, now);
    }
    if (home.isDue(now)) return this.#take(host, order[0], true, now);
    if (home.moveAt(now) > now) return null;
    // Where it is already, or the next that works.
    const next = away !== undefined && this.#endpoints[away].isOpen ? away : order.slice(1).find((one) => this.#isOpenOrDue(one, now));
    if (next === undefined) return null;
    home.moved(now);
    const isProbe = !this.#endpoints[next].isOpen;
    if (!isProbe) remember(this.#moves, host, next);
    return this.#take(host, next, isProbe, now);
  }

  /** @returns who is to blame for a refusal. */
  end(host: string, taken: ExitTaken, outcome: "ok" | "kept" | "refused" | "neutral", now: Millis, random: Random): "endpoint" | "host" {
    const endpoint = this.#endpoints[taken.endpoint];
    const isProbe = this.#probes.delete(taken);
    switch (outcome) {
      case "ok": {
        endpoint.succeeded(isProbe, isProbe ? this.#moves.size : 0, now);
        const trouble = this.#troubles.get(host);
        if (trouble !== undefined) Object.assign(trouble, { tries: 0, refusals: 0, until: 0 });
        return "endpoint";
      }
      case "neutral":
        if (isProbe) endpoint.unprobed(now);
        return "endpoint";
      case "kept":
        if (isProbe) endpoint.succeeded(true, this.#moves.size, now);
        return "endpoint";
      case "refused":
        endpoint.failed(isProbe, now, random);
        return this.#refused(host, endpoint, now, random);
      default:
        return outcome satisfies never;
    }
  }

  #isOpenOrDue(index: number, now: Millis): boolean {
    const endpoint = this.#endpoints[index];
    return endpoint.isOpen || endpoint.isDue(now);
  }

  #take(host: string, index: number, isProbe: boolean, now: Millis): ExitTaken {
    const endpoint = this.#endpoints[index];
    endpoint.started(now);
    const taken = { endpoint: index, session: this.#session(host) };
    if (isProbe) {
      endpoint.isProbing = true;
      this.#probes.add(taken);
    }
    return taken;
  }

  #refused(host: string, endpoint: Endpoint, now: Millis, random: Random): "endpoint" | "host" {
    const before = this.#troubles.get(host);
    // The same event; or the endpoint is closed by now, and the host has nothing to wait for but a way round it.
    if (before !== undefined && (now < before.until || !endpoint.isOpen)) {
      before.serial += 1;
      return "endpoint";
    }
    const trouble = before ?? { serial: 0, tries: 0, refusals: 0, oks: endpoint.oks, until: 0 };
    trouble.serial += 1;
    trouble.tries += 1;
    if (endpoint.oks > trouble.oks || trouble.refusals === 0) trouble.refusals += 1;
    trouble.oks = endpoint.oks;
    const gate = Math.min(HOST_GATE_LONGEST, HOST_GATE_FIRST * 2 ** (trouble.tries - 1));
    trouble.until = endpoint.isOpen ? now + gate / 2 + random() * (gate / 2) : 0;
    remember(this.#troubles, host, trouble);
    if (trouble.refusals < REFUSALS_MOST) return "endpoint";
    trouble.refusals = 0;
    return "host";
  }

  /** Endpoints by the host's liking: those of its home's region first. Highest random weight, so that each host's order is its own. */
  #order(host: string): readonly number[] {
    if (this.#endpoints.length === 1) return ONLY;
    const hash = hashOf(host, this.#endpoints.length);
    const weights = this.#endpoints.map((_endpoint, index) => mix(hash ^ Math.imul(index + 1, 0x9e3779b1)));
    const order = weights.map((_weight, index) => index).sort((a, b) => weights[b] - weights[a]);
    const { region } = this.#endpoints[order[0]];
    return [
      ...order.filter((index) => this.#endpoints[index].region === region),
      ...order.filter((index) => this.#endpoints[index].region !== region),
    ];
  }

  /** Eight or so letters and digits, which every provider takes. */
  #session(host: string): string {
    const serial = this.#troubles.get(host)?.serial ?? 0;
    const low = mix(hashOf(host, this.#seed) ^ serial);
    return (low * 4096 + (mix(low ^ this.#seed) & 0xfff)).toString(36);
  }
}

const ONLY: readonly number[] = [0];

function remember<T>(map: Map<string, T>, host: string, value: T): void {
  map.delete(host);
  map.set(host, value);
  if (map.size <= HOSTS_MOST) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}

function hashOf(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

/** Spreads the bits of 32; unsigned. */
function mix(value: number): number {
  let x = value ^ (value >>> 16);
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
