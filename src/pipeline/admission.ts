import { MAX_URL_LENGTH } from "../kernel/canonical-url.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import { hostKey } from "../kernel/host-key.ts";
import type { SkipReason, Via } from "../kernel/outcome.ts";
import { isFarDate } from "../stages/frontier/calendar-trap.ts";
import { Scope, type ScopeRule } from "../stages/frontier/scope.ts";
import { Sections } from "../stages/frontier/sections.ts";
import { TRAP_LIMITS, TrapGuard } from "../stages/frontier/trap-guard.ts";
import { trapReason } from "../stages/frontier/traps.ts";
import { parsePatterns } from "../stages/frontier/url-pattern.ts";

export interface AdmissionOptions {
  readonly scope: ScopeRule;
  /** Canonical. */
  readonly seeds: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly maxDepth: number | null;
  /** What calendars are measured by. */
  readonly thisYear: number;
}

/** Decides which URLs met for the first time are followed, and why not: length, scope, depth, shape, in this order. */
export class Admission {
  readonly #scope: Scope;
  readonly #maxDepth: number | null;
  readonly #thisYear: number;
  readonly #seeds: ReadonlySet<string>;
  readonly #traps = new TrapGuard(TRAP_LIMITS);
  readonly #sections = new Sections();

  private constructor(scope: Scope, options: AdmissionOptions) {
    this.#scope = scope;
    this.#maxDepth = options.maxDepth;
    this.#thisYear = options.thisYear;
    this.#seeds = new Set(options.seeds);
  }

  /** @returns what is wrong with the patterns instead, all at once. */
  static async open(options: AdmissionOptions): Promise<Admission | readonly ConfigProblem[]> {
    const include = await parsePatterns(options.include, "include");
    const exclude = await parsePatterns(options.exclude, "exclude");
    const problems = [...include.problems, ...exclude.problems];
    if (problems.length > 0) return problems;
    return new Admission(
      new Scope({ rule: options.scope, seeds: options.seeds, include: include.patterns, exclude: exclude.patterns }),
      options,
    );
  }

  judge(url: string, host: string, depth: number, via: Via): SkipReason | null {
    if (url.length > MAX_URL_LENGTH) return "url-too-long";
    const outside = via === "seed" ? this.#scope.admitsSeed(url) : this.#scope.admits(url, host);
    if (outside !== null) return outside;
    if (!this.withinDepth(depth)) return "depth";
    if (via === "seed") return null;
    return trapReason(url) === null && !isFarDate(url, this.#thisYear) && this.#traps.admit(host, url) ? null : "trap";
  }

  /** Judges a URL that another crawl has left in the store. @returns why it is no part of this one, or null. */
  judgeKnown(url: string): SkipReason | null {
    return this.isSeed(url) ? this.#scope.admitsSeed(url) : this.#scope.admits(url, hostKey(url));
  }

  /** A URL that was found by a link of another crawl may be a seed of this one. */
  isSeed(url: string): boolean {
    return this.#seeds.has(url);
  }

  /** Counts a URL that is followed. @returns whether its section of the host has given many before. */
  crowds(url: string, host: string): boolean {
    return this.#sections.crowds(host, url);
  }

  withinDepth(depth: number): boolean {
    return this.#maxDepth === null || depth <= this.#maxDepth;
  }

  /** A page was judged: did it hold anything that its host did not have? Templates that only repeat become traps. */
  noteContent(url: string, isNew: boolean): void {
    this.#traps.noteContent(hostKey(url), url, isNew);
  }

  /** A seed leads elsewhere. @returns the host that is now in scope, or null when it was before. */
  seedMoved(to: string): string | null {
    return this.#scope.addSeed(to) ? hostKey(to) : null;
  }
}
