import type { LocalCause } from "../kernel/signal.ts";
import type { Millis } from "../kernel/units.ts";

/** Hosts that fall silent within so long fall silent together. Source: flow-control.md §1, row 12. */
const TOGETHER: Millis = 5_000;
/** With fewer hosts about, a share of them says nothing. Source: same. */
const HOSTS_LEAST = 10;
const SILENT_SHARE = 0.3;
/** Nobody answers: nobody has but in this first part of the silent request's life. Source: guess; an outage ends all answers at once. */
const QUIET_AFTER = 0.25;
/** How long a silent request is held back while others answer: enough for a burst, short enough for scenario 12's 21 s. Source: guess. */
const HELD_AMONG_ANSWERS: Millis = 1_000;
/** Share of a request's life that the loop did not turn: its 99th percentile of lag is then above the least stall. Source: row 12. */
const STALLED_SHARE = 0.01;
/** First closure and canary; the closure doubles with each event that follows within a minute. Source: flow-control.md §2. */
const GATE_FIRST: Millis = 1_000;
const GATE_MOST: Millis = 60_000;
const CANARY_EVERY: Millis = 1_000;
const EVENTS_FORGOTTEN: Millis = 60_000;
/** After a closure the limit doubles this often until it is whole again. Source: guess. */
const RECOVERS_EVERY: Millis = 1_000;
/** A closure longer than this may be the hosts' after all: one that was excused so often is then held to its silence. Source: guess. */
const PATIENCE: Millis = 60_000;
const EXCUSES = 3;
/** Silent hosts remembered; the concurrency is never more, so nobody of one event is forgotten. */
const JUDGED_MOST = 4_096;

/** A request that ended as if its host were silent. */
export interface Silence<K> {
  readonly host: K;
  /** The host has answered something in this run. */
  readonly known: boolean;
  readonly startedAt: Millis;
  /** Its headers had come: then only a general silence makes it suspicious. */
  readonly inBody: boolean;
}

/** `local`: this machine's fault. `host`: the host's. A number: it cannot be told yet, and is the host's at that instant. */
export type Judgement = "local" | "host" | { readonly until: Millis };

/**
 * Tells this machine's own trouble from that of the hosts, and what fetching as a whole does about it. Pure.
 *
 * States: *open* (everything may start, up to `limit`) → *closed* when 30 % of at least 10 hosts fall silent within 5 s, when a
 * request lived through a stall of the loop, or when the machine itself refuses (no sockets, no network): the limit halves, and
 * one request a second starts, the canary → *open* again once a request that started after the closing is answered
 * and the gate (1 s, doubling with each event within a minute) has passed; the limit then doubles each second until it is whole.
 * Source: flow-control.md §1 (row 12) and §2 ("who pays").
 *
 * Hosts that never answered are no evidence while others do answer: a list of dead names is not an outage. Nor is a host whose
 * silence was excused or held against it before, until it answers again: it is excused once, and a dead one stays dead.
 */
export class LocalGuard<K> {
  readonly #whole: number;
  #limit: number;
  #raisedAt: Millis = 0;
  /** Of the hosts that answered, and those that fell silent, in order of time. Both hold what happened within the window. */
  readonly #answers = new Map<K, Millis>();
  readonly #silent = new Map<K, Millis>();
  /** Hosts whose silence was excused or held against them, and that have not answered since. */
  readonly #judged = new Map<K, number>();
  #answeredAt: Millis = Number.NEGATIVE_INFINITY;
  #cause: LocalCause | null = null;
  #closedAt: Millis = 0;
  #movedAt: Millis = 0;
  #openedAt: Millis = Number.NEGATIVE_INFINITY;
  #gateUntil: Millis = 0;
  #canaryAt: Millis = 0;
  #canaries = 0;
  #events = 0;
  #proved = false;

  /** @param concurrency most requests at once when all is well. */
  constructor(concurrency: number) {
    this.#whole = concurrency;
    this.#limit = concurrency;
  }

  /** What is wrong here; null while nothing is. */
  get cause(): LocalCause | null {
    return this.#cause;
  }
  get closedAt(): Millis {
    return this.#closedAt;
  }
  /** Since when nothing has come of the closure: neither an answer nor, where there never was one, the end of a host that is dead. */
  get stuckSince(): Millis {
    return Math.max(this.#closedAt, this.#movedAt);
  }
  /** Canaries of the last closure. */
  get canaries(): number {
    return this.#canaries;
  }

  /** Most requests at once now. */
  limit(now: Millis): number {
    if (this.#limit < this.#whole && this.#cause === null && now - this.#raisedAt >= RECOVERS_EVERY) {
      this.#limit = Math.min(this.#whole, 2 * this.#limit);
      this.#raisedAt = now;
    }
    return this.#limit;
  }

  /** When may the next request start, as far as this machine goes? */
  admitAt(now: Millis): Millis {
    if (this.#cause === null) return now;
    if (this.#proved && now >= this.#gateUntil) this.#open(now);
    else return Math.max(now, this.#proved ? this.#gateUntil : this.#canaryAt);
    return now;
  }

  /** A request starts; while closed it is the canary. */
  started(now: Millis): void {
    if (this.#cause === null) return;
    this.#canaryAt = now + CANARY_EVERY;
    this.#canaries += 1;
  }

  /** A host has answered, whatever it said. */
  answered(host: K, startedAt: Millis, now: Millis): void {
    this.#answeredAt = now;
    const noted = this.#answers.get(host);
    if (noted === undefined || now - noted > TOGETHER / 5) {
      this.#answers.delete(host);
      this.#answers.set(host, now);
      forget(this.#answers, now);
      if (this.#silent.size > 0) this.#silent.delete(host);
    }
    if (this.#judged.size > 0) this.#judged.delete(host);
    if (this.#cause === null || startedAt < this.#closedAt) return;
    this.#proved = true;
    if (now >= this.#gateUntil) this.#open(now);
  }

  /** @param stalled how long the loop did not turn in the life of a request that failed. */
  isStall(stalled: Millis, life: Millis): boolean {
    return stalled > STALLED_SHARE * life;
  }

  /** @param inFlight hosts with requests under way. */
  judge({ host, known, startedAt, inBody }: Silence<K>, inFlight: Iterable<K>, now: Millis): Judgement {
    // What began before the end of a closure was under way in it.
    if (this.#cause !== null || startedAt < this.#openedAt) {
      this.#settle(host);
      if (this.#cause === null || !this.#isDead(host, now)) return "local";
      if (!this.#anyAnswered) this.#movedAt = now;
      return "host";
    }
    const quiet = inBody ? now - this.#answeredAt >= TOGETHER : this.#answeredAt - startedAt <= QUIET_AFTER * (now - startedAt);
    const isNews = !this.#judged.has(host);
    if (!quiet && (inBody || !known || !isNews)) return this.#blame(host);
    forget(this.#answers, now);
    forget(this.#silent, now);
    this.#silent.delete(host);
    if (isNews) this.#silent.set(host, now);
    const about = new Set<K>(inFlight);
    for (const other of this.#answers.keys()) about.add(other);
    for (const other of this.#silent.keys()) about.add(other);
    if (about.size < HOSTS_LEAST) return this.#blame(host);
    if (this.#silent.size < SILENT_SHARE * about.size) return { until: now + (quiet ? TOGETHER : HELD_AMONG_ANSWERS) };
    this.trip("many-hosts", now);
    return "local";
  }

  /** Something of this machine is at fault: closes, or stays closed. */
  trip(cause: LocalCause, now: Millis): void {
    for (const host of this.#silent.keys()) this.#settle(host);
    this.#silent.clear();
    if (this.#cause !== null) return;
    this.#events = now - this.#openedAt > EVENTS_FORGOTTEN ? 1 : this.#events + 1;
    this.#cause = cause;
    this.#closedAt = now;
    this.#proved = false;
    this.#canaries = 0;
    this.#canaryAt = now + CANARY_EVERY;
    this.#gateUntil = now + Math.min(GATE_MOST, GATE_FIRST * 2 ** (this.#events - 1));
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
  }

  #open(now: Millis): void {
    this.#cause = null;
    this.#openedAt = now;
    this.#raisedAt = now;
  }

  #blame(host: K): "host" {
    this.#settle(host);
    return "host";
  }

  get #anyAnswered(): boolean {
    return this.#answeredAt !== Number.NEGATIVE_INFINITY;
  }

  /**
   * When all that is left to ask is dead, no canary is ever answered: it must come to an end all the same. Where nobody has ever
   * answered, no host is excused again: there may be more of them than canaries in any time that one waits.
   */
  #isDead(host: K, now: Millis): boolean {
    return now - this.#closedAt > PATIENCE && (!this.#anyAnswered || (this.#judged.get(host) ?? 0) > EXCUSES);
  }

  #settle(host: K): void {
    this.#judged.set(host, (this.#judged.get(host) ?? 0) + 1);
    for (const oldest of this.#judged.keys()) {
      if (this.#judged.size <= JUDGED_MOST) return;
      this.#judged.delete(oldest);
    }
  }
}

/** Drops what is older than the window; entries stand in order of time. */
function forget<K>(at: Map<K, Millis>, now: Millis): void {
  for (const [host, time] of at) {
    if (now - time <= TOGETHER) return;
    at.delete(host);
  }
}
