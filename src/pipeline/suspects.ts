import type { UrlId } from "../kernel/units.ts";
import type { VisitRow } from "../ports/store.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { Purpose } from "./errand.ts";

/** What earlier runs that ended uncleanly say about URLs. */
export interface Crashes {
  /** In flight when the last run ended uncleanly: asked for one at a time, parsed where a page can do no harm. */
  readonly suspects: ReadonlySet<UrlId>;
  /** Too often so: not asked for again. */
  readonly givenUp: ReadonlySet<UrlId>;
  /** So many pages at the beginning are parsed there too: what ended the process may have been too quick for the journal. */
  readonly careful: number;
}

export const NO_CRASHES: Crashes = { suspects: new Set(), givenUp: new Set(), careful: 0 };

/**
 * URLs that may be what ended the process: one at a time, so that the journal of the next unclean end names the one. The others
 * wait here when their turn comes and another is under way; they are bounded by what was in flight.
 */
export class Suspects {
  readonly #ids: ReadonlySet<UrlId>;
  readonly #line: { readonly row: VisitRow; readonly host: Host }[] = [];
  #careful: number;
  #underWay: Purpose | null = null;

  constructor({ suspects, careful }: Crashes) {
    this.#ids = suspects;
    this.#careful = careful;
  }

  has(id: UrlId): boolean {
    return this.#ids.size > 0 && this.#ids.has(id);
  }

  /** Must its page be parsed in a worker that it may end? Counts the first pages. */
  needsWorker(id: UrlId): boolean {
    if (this.#careful === 0) return this.has(id);
    this.#careful -= 1;
    return true;
  }

  /** @returns false when another one is under way: it waits in line until `ended` gives it back. */
  admit(row: VisitRow, host: Host): boolean {
    if (this.#underWay === null) return true;
    this.#line.push({ row, host });
    return false;
  }

  started(purpose: Purpose): void {
    this.#underWay = purpose;
  }

  /** @returns the next one, when this was the one under way. */
  ended(purpose: Purpose): { readonly row: VisitRow; readonly host: Host } | undefined {
    if (this.#underWay !== purpose) return undefined;
    this.#underWay = null;
    return this.#line.shift();
  }
}
