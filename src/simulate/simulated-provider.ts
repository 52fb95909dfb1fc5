import type { Millis } from "../kernel/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { FetchMeasure, FetchRequest, FetchResult, FetchRoute, Resolution } from "../ports/fetch-route.ts";
import type { WebProvider } from "./web.ts";

/** How long a refusal takes. */
const REFUSAL: Millis = 20;

/** What a simulated provider was asked and gave. Plain JSON. */
export interface ProviderResult {
  readonly calls: number;
  /** Calls that it passed on to a site. */
  readonly served: number;
  /** Refused: too many at once. */
  readonly busy: number;
  /** Refused: no credits. */
  readonly exhausted: number;
  /** Refused: out of order. */
  readonly down: number;
  readonly charged: number;
  readonly mostInFlight: number;
}

/**
 * A scraping API on virtual time in front of a synthetic web: it passes so many calls on at once, takes a credit for each answer
 * that is a page or says that there is none, and refuses what is beyond.
 */
export class SimulatedProvider implements FetchRoute {
  readonly name = "provider";
  readonly #clock: Clock;
  readonly #inner: FetchRoute;
  readonly #options: WebProvider;
  #credits: number;
  #active = 0;
  #isDown = false;
  #isOut = false;
  #counts = { calls: 0, served: 0, busy: 0, exhausted: 0, down: 0, charged: 0, mostInFlight: 0 };

  constructor(clock: Clock, inner: FetchRoute, options: WebProvider) {
    this.#clock = clock;
    this.#inner = inner;
    this.#options = options;
    this.#credits = options.credits ?? Number.POSITIVE_INFINITY;
  }

  get result(): ProviderResult {
    return { ...this.#counts };
  }

  /** While it is down it answers every call with an error of its own. */
  break(isDown: boolean): void {
    this.#isDown = isDown;
  }

  /** While it is exhausted it refuses every call for want of credits. */
  exhaust(isOut: boolean): void {
    this.#isOut = isOut;
  }

  resolve(hostname: string, port: number, signal: AbortSignal): Promise<Resolution> {
    return this.#inner.resolve(hostname, port, signal);
  }

  start(request: FetchRequest, done: (result: FetchResult) => void): () => void {
    const counts = this.#counts;
    counts.calls += 1;
    if (this.#isDown) return this.#refuse("endpoint", "down", "502", done);
    if (this.#active >= this.#options.concurrency) return this.#refuse("plan", "busy", "429: too many calls at once", done);
    if (this.#isOut || this.#credits < 1) return this.#refuse("credits", "exhausted", "509: no credits left", done);
    this.#active += 1;
    counts.served += 1;
    counts.mostInFlight = Math.max(counts.mostInFlight, this.#active);
    return this.#inner.start(request, (result) => {
      this.#active -= 1;
      const credits = result.kind === "response" && (result.status === 200 || result.status === 404) ? 1 : 0;
      this.#credits -= credits;
      counts.charged += credits;
      // How long it took says nothing of the site: it may have tried more than once.
      done({ ...result, measure: { ...result.measure, ttfb: null, credits } });
    });
  }

  releaseBody(body: Uint8Array): void {
    this.#inner.releaseBody(body);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #refuse(
    by: "plan" | "credits" | "endpoint",
    counted: "busy" | "exhausted" | "down",
    message: string,
    done: (result: FetchResult) => void,
  ): () => void {
    this.#counts[counted] += 1;
    const measure: FetchMeasure = { ttfb: null, total: REFUSAL, paused: 0, bytesOut: 0, bytesIn: 0, connected: false, credits: 0 };
    const cancel = this.#clock.after(REFUSAL, () =>
      done({ kind: "refusal", by, message: `the provider answered ${message}`, retryAfter: null, resetAt: null, measure }),
    );
    return () => {
      cancel();
      this.#clock.after(0, () => done({ kind: "failure", code: "connect", phase: "aborted", message: "the fetch was aborted", measure }));
    };
  }
}
