import { ApiRoute } from "../../src/adapters/fetch-api/api-route.ts";
import { parseJsonPath } from "../../src/kernel/json-path.ts";
import { parseResetRule } from "../../src/kernel/reset-rule.ts";
import type { Millis } from "../../src/kernel/units.ts";
import type { ProviderSpec } from "../../src/pipeline/provider-lane.ts";
import { ScriptedRoute } from "../../src/simulate/scripted-route.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../src/simulate/scripted-web.ts";
import type { VirtualClock } from "../../src/simulate/virtual-clock.ts";

export interface ScriptedApiOptions {
  /** Calls at once that it serves; beyond it 429. */
  readonly cap: number;
  /** What its account holds; beyond it 509. Infinite unless said. */
  readonly credits?: number;
  /** From taking a call to its answer. */
  readonly span: Millis;
  /** What the target answers to a call that is served. */
  readonly target: (url: string, call: ScriptedCall) => { readonly status: number; readonly html: string };
  /** Calls that it breaks on, every time. */
  readonly broken?: (url: string) => boolean;
  /** Where redirects lead that it follows. */
  readonly movedTo?: (url: string) => string;
  /** What weir is told of it. */
  readonly told?: { readonly concurrency?: number; readonly retries?: number; readonly balance?: number; readonly resetAt?: string };
}

/** A scraping API on virtual time, as spec B3 and C2 describe one, behind the real route. */
export class ScriptedApi {
  credits: number;
  served = 0;
  charged = 0;
  tooMany = 0;
  outOfCredits: Millis[] = [];
  /** Instants at which calls came in, refused ones included. */
  readonly calls: Millis[] = [];
  readonly urls: string[] = [];
  readonly #options: ScriptedApiOptions;
  #ends: Millis[] = [];
  #area = 0;

  constructor(options: ScriptedApiOptions) {
    this.#options = options;
    this.credits = options.credits ?? Number.POSITIVE_INFINITY;
  }

  /** Calls served at once, averaged from one instant to another that have both passed. */
  mean(from: Millis, to: Millis): number {
    return this.#area / (to - from);
  }

  /** The provider as a crawl gets it. */
  spec(clock: VirtualClock): ProviderSpec {
    const { concurrency, retries = 3, balance, resetAt } = this.#options.told ?? {};
    const inner = new ScriptedRoute(clock, { answer: (call) => this.#answer(call) });
    const path = (text: string) => parseJsonPath(text);
    const judge = inner.resolve.bind(inner);
    const route = new ApiRoute(
      { inner, judge, clock },
      {
        name: "api",
        request: "http://api.test/v1?url={url}",
        headers: [],
        status: path("$.status"),
        body: path("$.html"),
        finalUrl: path("$.url"),
        credits: path("$.credits"),
        busy: [429],
        exhausted: [402, 509],
        render: "",
        country: "",
        session: "",
        forwardsHeaders: false,
        deadline: 240_000,
        secrets: [],
      },
    );
    return {
      name: "api",
      kind: "scraping-api",
      route,
      concurrency: concurrency ?? null,
      account: { unit: "credits", least: 1, balance: balance ?? null, resetAt: resetAt === undefined ? null : parseResetRule(resetAt) },
      retries,
      price: 1_000,
    };
  }

  #answer(call: ScriptedCall): ScriptedAnswer {
    const { cap, span, target } = this.#options;
    this.calls.push(call.at);
    this.#ends = this.#ends.filter((end) => end > call.at);
    const url = new URL(call.url).searchParams.get("url") ?? "";
    this.urls.push(url);
    if (this.#options.broken?.(url)) return { kind: "response", status: 500, body: "{}", ttfb: 50 };
    if (this.#ends.length >= cap) {
      this.tooMany += 1;
      return { kind: "response", status: 429, body: '{"error":"concurrency"}', ttfb: 20 };
    }
    if (this.credits < 1) {
      this.outOfCredits.push(call.at);
      return { kind: "response", status: 509, body: '{"error":"credits"}', ttfb: 20 };
    }
    const { status, html } = target(url, call);
    const credits = status === 200 || status === 404 ? 1 : 0;
    this.credits -= credits;
    this.charged += credits;
    this.served += 1;
    // Half to one and a half of the mean, the same in each run.
    const took = span * (0.5 + ((this.served * 7919) % 101) / 100);
    this.#ends.push(call.at + took);
    this.#area += took;
    return {
      kind: "response",
      status: 200,
      body: JSON.stringify({ status, html, url: this.#options.movedTo?.(url) ?? url, credits }),
      ttfb: took,
    };
  }
}
