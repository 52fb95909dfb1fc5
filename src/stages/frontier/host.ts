import type { Pacemark } from "../../flow/fair-share.ts";
import { Health } from "../../flow/health.ts";
import type { Heaviness } from "../../flow/heavy-hosts.ts";
import type { Congestion, HostLimiter, Pace } from "../../flow/host-limiter.ts";
import { HostMemory } from "../../flow/host-memory.ts";
import type { RankedEntry } from "../../flow/host-ranks.ts";
import type { HostUnit } from "../../flow/host-unit.ts";
import type { RetryBudget } from "../../flow/retry-budget.ts";
import { HOST_PARTS, RetryShare } from "../../flow/retry-share.ts";
import type { UnitMember } from "../../flow/unit-line.ts";
import type { Bytes, HostId, Millis } from "../../kernel/units.ts";
import type { VisitRow } from "../../ports/store.ts";
import { UrlList } from "./known-urls.ts";
import type { RobotsGate } from "./robots-gate.ts";
import type { VisitLanes } from "./visit-lanes.ts";

/** Why a host that has work is not served now; shown by `status`. Closed list. */
export type HostHold =
  | "resolving"
  | "robots"
  | "reading"
  | "address ceiling"
  | "parse share"
  | "provider plan"
  | "credits"
  | "provider closed"
  | "provider down"
  | null;

/** A step of a redirect chain that waits for its turn on this host; opaque to the frontier. */
export interface Continuation {
  readonly url: string;
}

/** A queue of URLs: a list through the known URLs, of which the first few are read ahead. */
export class Lane {
  readonly list = new UrlList();
  /** Rows read ahead, first first. At most `READY_MOST`. */
  readonly ready: VisitRow[] = [];
  /** A read of rows is on its way. */
  reading = false;

  get length(): number {
    return this.list.length + this.ready.length;
  }
}

/**
 * One host: the unit a target limits by, unless it has joined a unit with others. Its URLs wait in lanes: those of crowded sections in one of their own, and so those that
 * were tried before, which need a token each; beside them stand the few continuations of redirect chains that lead here.
 */
export class Host implements RankedEntry, Pacemark, Heaviness, UnitMember {
  heapKey = 0;
  heapTurn = 0;
  heapIndex = -1;
  heapRank = 0;

  readonly id: HostId;
  /** Authority: `name`, or `name:port`. */
  readonly key: string;
  /** Its own limiter: what its name alone answers for, such as having no address. */
  readonly own: HostLimiter;
  #limiter: HostLimiter;
  #memory = new HostMemory();
  /** Made with the first look: a host that is never asked has none. */
  #health: Health | null = null;
  /** The hosts it is limited with; null for a host that is limited by itself. */
  #unit: HostUnit<Host> | null = null;
  lined = false;
  owed = false;
  readonly robots: RobotsGate;
  readonly main = new Lane();
  /** URLs of sections that have given many (see `Sections`); they get every fourth turn, and all that the others leave. */
  readonly crowd = new Lane();
  /** URLs that are due for another attempt. Each start takes a token of the retry budget; the other lanes do not wait for it. */
  readonly retries = new Lane();
  readonly budget: RetryBudget;
  /** Made at the first start. */
  share: RetryShare | null = null;
  /** Due visits of continuous work; null in a crawl. */
  visits: VisitLanes | null = null;
  /** Its own limit, gate or pace kept it from starting until then; `Infinity`: until something of its ends. */
  limitedUntil: Millis = 0;
  /** Turns in which both lanes had something. */
  turns = 0;
  /** At most `CONTINUATIONS_MOST`. */
  readonly continuations: Continuation[] = [];
  /** On the wait list of its address, or of its provider. */
  parked = false;
  /** What of its provider it waits for; null when it is its address. */
  waitsFor: HostHold = null;
  /** Number of the provider that its requests go by; -1 until it is looked up. */
  provider = -1;
  resolving = false;
  /** Its pages are heavy, and the heavy share has no room. */
  lacksShare = false;
  heavyShare = 0;
  heavy = false;
  bodySize: Bytes = 0;
  /** Address its requests go to; null until resolved. */
  address: string | null = null;
  /** The address counts as known until then. */
  addressUntil: Millis = 0;
  fetches = 0;
  meanTime: Millis = 0;
  /** Requests started, for the read-ahead and for display. */
  starts = 0;
  lastStart: Millis = 0;
  /** What asked for less the last time, for display. */
  lastCut: Congestion | null = null;
  /** Its stored state is behind. */
  dirty = false;

  constructor(id: HostId, key: string, limiter: HostLimiter, robots: RobotsGate, budget: RetryBudget) {
    this.id = id;
    this.key = key;
    this.own = limiter;
    this.#limiter = limiter;
    this.robots = robots;
    this.budget = budget;
  }

  /** What limits requests to it: its own limiter, or its unit's. */
  get limiter(): HostLimiter {
    return this.#limiter;
  }

  /** What it did before, which decides what its next answer means. */
  get memory(): HostMemory {
    return this.#memory;
  }

  get unit(): HostUnit<Host> | null {
    return this.#unit;
  }

  /** From now on it is limited with the others of the unit. Before its first request. */
  join(unit: HostUnit<Host>): void {
    this.#unit = unit;
    this.#limiter = unit.limiter;
    this.#memory = unit.memory;
    this.#health = unit.health;
  }

  /** Takes what the person allows, beside what its robots.txt asks for. */
  asked({ ceiling, gap }: Pace): void {
    const pace = { ceiling, gap: Math.max(gap, this.robots.crawlDelay) };
    if (this.#unit === null) this.#limiter.pace(pace);
    else this.#unit.asked(pace);
  }

  /** How it bears being asked. */
  get health(): Health {
    this.#health ??= new Health();
    return this.#health;
  }

  /** URLs that wait here, read ahead or not. */
  get waiting(): number {
    return this.main.length + this.crowd.length + this.retries.length + (this.visits?.size ?? 0);
  }

  /** Rows read ahead. */
  get readyCount(): number {
    return this.main.ready.length + this.crowd.ready.length + this.retries.ready.length;
  }

  /** What it would do next is a retry: that waits for its token, and of a robots.txt for its delay too. */
  get nextIsRetry(): boolean {
    if (this.robots.wants) return this.robots.isRepeat;
    return this.retries.length > 0 && this.continuations.length === 0 && this.main.length + this.crowd.length === 0;
  }

  get hasWork(): boolean {
    return this.waiting > 0 || this.continuations.length > 0 || this.robots.wants;
  }

  /** A request to it starts. */
  started(now: Millis, isRetry: boolean): void {
    this.starts += 1;
    this.lastStart = now;
    this.share ??= new RetryShare(HOST_PARTS);
    this.share.started(now, isRetry);
  }

  get hold(): HostHold {
    if (this.resolving) return "resolving";
    if (this.parked) return this.waitsFor ?? "address ceiling";
    if (this.robots.busy) return "robots";
    if (this.lacksShare) return "parse share";
    if ((this.main.reading || this.crowd.reading || this.retries.reading) && this.readyCount === 0) return "reading";
    return null;
  }
}
