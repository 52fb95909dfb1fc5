import { REFUSERS, RefusalWatch, type Refuser } from "../flow/refusal-watch.ts";
import { type Signal, scopeOf } from "../kernel/signal.ts";
import type { Millis } from "../kernel/units.ts";
import type { FetchResult } from "../ports/fetch-route.ts";

/** Whose no a provider's refusal is. */
const REFUSER_OF = { plan: "provider", auth: "provider", credits: "account", endpoint: "endpoint" } as const;

/** Pages that broke the parser are told to the person up to here; all of them are in the results. */
const PARSER_FAILURES_TOLD = 5;

const NAMES: Readonly<Record<Refuser, string>> = {
  host: "the sites",
  provider: "a provider's plan",
  account: "a provider's account",
  endpoint: "endpoints of a gateway",
  parse: "the parser's queue",
  storage: "the store",
};

/** Refusals by who refused; those who did not are absent. */
export type RefusalCounts = Readonly<Partial<Record<Refuser, number>>>;

/** Who refused how often, and whether that has changed of a sudden. */
export class Gauges {
  readonly #refusals = new RefusalWatch();
  #parserFailures = 0;

  /** Takes the end of one request. @returns the signal as it came. */
  ended(signal: Signal, result: FetchResult): Signal {
    if (scopeOf(signal) === "host") this.#refusals.refused("host");
    if (result.kind === "refusal") this.#refusals.refused(REFUSER_OF[result.by]);
    return signal;
  }

  /** @returns what a person is told. */
  storeRefused(error: Error): string {
    this.#refusals.refused("storage");
    return `${error.message.replace(/\.$/, "")}; fetching pauses until it can be written again`;
  }

  /** A page broke the parser for good: a person is told, of many only the first. */
  parserFailed(url: string, message: string, warn: (message: string) => void): void {
    this.#parserFailures += 1;
    if (this.#parserFailures <= PARSER_FAILURES_TOLD) warn(`${url}: the page could not be parsed (${message})`);
  }

  /** Once a second. @param blockedDraws bodies that had to wait for parse credit, so far. */
  tick(span: Millis, blockedDraws: number): void {
    this.#refusals.total("parse", blockedDraws);
    this.#refusals.tick(span);
  }

  count(by: Refuser): number {
    return this.#refusals.counts[by];
  }

  get refusals(): RefusalCounts {
    const counts: Partial<Record<Refuser, number>> = {};
    for (const by of REFUSERS) if (this.count(by) > 0) counts[by] = this.count(by);
    return counts;
  }

  /** What a person should know of now. At most one a kind. */
  get alarms(): readonly string[] {
    const { rise } = this.#refusals;
    if (rise === null) return [];
    return [`refusals by ${NAMES[rise.by]} rose to ${rise.perSecond.toFixed(1)} a second (before: ${rise.before.toFixed(1)})`];
  }
}
