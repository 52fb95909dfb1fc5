import { ECHO_TEMPLATE, templateOf } from "./url-template.ts";

/** Bounds of a `TrapGuard`. */
export interface TrapLimits {
  /** URLs of one template on one host that are admitted whatever they hold. */
  readonly freeUrls: number;
  /** The same for paths that repeat themselves, which are suspect already. */
  readonly freeEchoes: number;
  /** Share of new contents, 0–1, below which a template is a trap. */
  readonly newShare: number;
  /** Templates remembered of one host, and of all. */
  readonly hostTemplates: number;
  readonly templates: number;
}

/**
 * Source: guess. A trap costs 1,000 fetches. A real space of which one page in ten is new is taken for a trap with a chance of
 * 2e-13 at the first verdict (fewer than 10 new of 500 judged), one with one in twenty with 2e-4. 20,000 templates take about 5 MB.
 */
export const TRAP_LIMITS: TrapLimits = { freeUrls: 1_000, freeEchoes: 100, newShare: 0.02, hostTemplates: 256, templates: 20_000 };

/** A template that is refused now, for reports. */
export interface Trap {
  readonly host: string;
  readonly template: string;
  readonly admitted: number;
  readonly refused: number;
}

interface Tally {
  admitted: number;
  refused: number;
  /** Pages whose content was judged, and how many of them held something new. */
  judged: number;
  fresh: number;
}

/**
 * Bounds endless URL spaces that look harmless one by one, such as calendars and session ids, by what their pages hold: when a
 * host has given `freeUrls` of one template and nearly all were copies of others, no more of them are admitted. A space that
 * keeps giving new contents is never cut, however large.
 *
 * Bounded: the templates used longest ago are forgotten, of the host first that was met longest ago. A trap is met all the time,
 * so it stays. Nothing is stored: after a restart a trap gets its free URLs again.
 */
export class TrapGuard {
  readonly #limits: TrapLimits;
  /** By host key, then template; both in the order of their last use. */
  readonly #hosts = new Map<string, Map<string, Tally>>();
  #size = 0;
  /** Used last, so at the end of the order already: neighbours on a page share host and template. */
  #last: { readonly host: string; readonly template: string; readonly tally: Tally } | null = null;

  constructor(limits: TrapLimits) {
    this.#limits = limits;
  }

  /** Templates remembered. */
  get size(): number {
    return this.#size;
  }

  /** Counts a URL met for the first time. @returns false when it belongs to a trap. */
  admit(host: string, url: string): boolean {
    const template = templateOf(url);
    const tally = this.#tallyOf(host, template);
    if (this.#isTrap(template, tally)) {
      tally.refused++;
      return false;
    }
    tally.admitted++;
    return true;
  }

  /**
   * Says what a fetched page of the host turned out to hold. `isNew` is false for a content that another URL of the host has
   * already given; numbers should not count as a difference, or each day of an empty calendar is new. A page that could not be
   * judged (failed, built by script) is not noted at all.
   */
  noteContent(host: string, url: string, isNew: boolean): void {
    const tally = this.#hosts.get(host)?.get(templateOf(url));
    if (tally === undefined) return;
    tally.judged++;
    if (isNew) tally.fresh++;
  }

  /** Templates that are refused now and have been asked for, most refusals first. */
  traps(): readonly Trap[] {
    const traps: Trap[] = [];
    for (const [host, templates] of this.#hosts) {
      for (const [template, { admitted, refused }] of templates) if (refused > 0) traps.push({ host, template, admitted, refused });
    }
    return traps.sort((one, other) => other.refused - one.refused);
  }

  #isTrap(template: string, tally: Tally): boolean {
    const free = template === ECHO_TEMPLATE ? this.#limits.freeEchoes : this.#limits.freeUrls;
    // Half of them judged: what waits in the host's queue says nothing yet.
    return tally.admitted >= free && tally.judged * 2 >= free && tally.fresh < tally.judged * this.#limits.newShare;
  }

  /** The tally of a template, moved to the end of the order of use. */
  #tallyOf(host: string, template: string): Tally {
    const last = this.#last;
    if (last !== null && last.template === template && last.host === host) return last.tally;
    const templates = this.#hosts.get(host) ?? new Map<string, Tally>();
    this.#hosts.delete(host);
    this.#hosts.set(host, templates);
    let tally = templates.get(template);
    if (tally === undefined) {
      tally = { admitted: 0, refused: 0, judged: 0, fresh: 0 };
      this.#size++;
    } else templates.delete(template);
    templates.set(template, tally);
    if (templates.size > this.#limits.hostTemplates) this.#forgetFirst(host, templates);
    if (this.#size > this.#limits.templates) this.#forgetFirstOfAll();
    this.#last = { host, template, tally };
    return tally;
  }

  #forgetFirstOfAll(): void {
    for (const [host, templates] of this.#hosts) {
      this.#forgetFirst(host, templates);
      return;
    }
  }

  #forgetFirst(host: string, templates: Map<string, Tally>): void {
    for (const template of templates.keys()) {
      templates.delete(template);
      this.#size--;
      break;
    }
    if (templates.size === 0) this.#hosts.delete(host);
  }
}
