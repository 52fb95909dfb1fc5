import type { Millis } from "../kernel/units.ts";
import type { Random } from "../ports/clock.ts";
import { Latencies } from "./latencies.ts";
import { pageNumber, syntheticPage } from "./synthetic-pages.ts";
import { Target, type TargetSpec } from "./target.ts";
import { WARM_UP } from "./web.ts";

/** New links of one page at most. */
const LINKS_MOST = 16;

export type EndKind = "ok" | "reject" | "timeout" | "error";

/** One host of the synthetic web: how it answers, what its pages hold, and what it has seen. */
export class SimulatedSite {
  readonly name: string;
  readonly address: string;
  readonly target: Target;
  readonly random: Random;
  readonly latencies = new Latencies();
  readonly limit: [number, number][] = [];
  starts = 0;
  ok = 0;
  okAfterWarmUp = 0;
  rejects = 0;
  timeouts = 0;
  /** Anything else that was no page: statuses, broken bodies. */
  errors = 0;
  mostInFlight = 0;
  inFlight = 0;
  /** URLs it keeps ahead of the crawler: beyond the most that can be in flight and wait for a retry. */
  backlog = 512;
  readonly #pages: number;
  /** Pages that anything has linked to so far; page 0 is the seed. */
  #linked = 1;

  constructor(spec: { name: string; address: string; pages: number; target: TargetSpec }, random: Random) {
    this.name = spec.name;
    this.address = spec.address;
    this.#pages = spec.pages;
    this.target = new Target(spec.target);
    this.random = random;
  }

  /** @returns the page's HTML, or null when there is none at this path. Each new page is linked to once, by whichever page comes next. */
  page(path: string): string | null {
    const n = pageNumber(path);
    if (!(n >= 0 && n < this.#linked)) return null;
    const room = this.backlog - (this.#linked - this.ok);
    const from = this.#linked;
    this.#linked = Math.min(this.#pages, from + Math.max(0, Math.min(LINKS_MOST, room)));
    return syntheticPage(this.name, n, from, this.#linked);
  }

  /** Pages that the crawler comes to know otherwise, because nothing that it gets leads to more: the site is large, whatever it refuses. */
  more(waiting: number): string[] {
    const from = this.#linked;
    this.#linked = Math.min(this.#pages, from + Math.max(0, this.backlog - waiting));
    return Array.from({ length: this.#linked - from }, (_, index) => `https://${this.name}/p/${from + index}`);
  }

  started(): void {
    this.starts += 1;
    this.inFlight += 1;
    if (this.inFlight > this.mostInFlight) this.mostInFlight = this.inFlight;
  }

  ended(kind: EndKind, took: Millis, now: Millis): void {
    this.inFlight -= 1;
    switch (kind) {
      case "ok":
        this.ok += 1;
        if (now >= WARM_UP) this.okAfterWarmUp += 1;
        this.latencies.add(took);
        break;
      case "reject":
        this.rejects += 1;
        break;
      case "timeout":
        this.timeouts += 1;
        break;
      case "error":
        this.errors += 1;
        break;
      default:
        kind satisfies never;
    }
  }
}
