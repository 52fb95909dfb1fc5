import { retryAfter } from "../../kernel/retry-after.ts";
import type { Bytes } from "../../kernel/units.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FetchMeasure, FetchRequest, FetchResult, FetchRoute, HeaderView, Resolution } from "../../ports/fetch-route.ts";
import { callHeaders, callUrl, cleared } from "./api-call.ts";
import { type Opened, openEnvelope } from "./envelope.ts";
import type { ApiOptions } from "./options.ts";

/** A page in JSON is longer than the page: quotes, line ends and other letters are escaped. Source: guess. */
const ESCAPED = 2;
const ENVELOPE: Bytes = 65_536;
/** The API says who we are not. */
const UNAUTHORISED = new Set([401, 403, 407]);
const NO_BODY = new Uint8Array(0);

type Response = FetchResult & { kind: "response" };
type Failure = FetchResult & { kind: "failure" };
type RefusedBy = (FetchResult & { kind: "refusal" })["by"];

/**
 * Fetches pages by a scraping API. The route underneath calls the API; here the answer is told apart: what the API says of
 * itself (its plan, its credits, its credentials, its troubles) is a refusal, what it says of the target is the target's.
 * The target is never asked directly. An API may take minutes, so a call has its own deadline, and its latency says nothing
 * about the site.
 */
export class ApiRoute implements FetchRoute {
  readonly name: string;
  readonly #inner: FetchRoute;
  readonly #judge: FetchRoute["resolve"];
  readonly #clock: Clock;
  readonly #options: ApiOptions;

  /** @param deps `inner` reaches the API; `judge` says whether a literal address may be asked for. */
  constructor(deps: { readonly inner: FetchRoute; readonly judge: FetchRoute["resolve"]; readonly clock: Clock }, options: ApiOptions) {
    this.name = options.name;
    this.#inner = deps.inner;
    this.#judge = deps.judge;
    this.#clock = deps.clock;
    this.#options = options;
  }

  /** Where the target is, is the API's to find out; a private address in so many words is refused here as everywhere. */
  resolve(hostname: string, port: number, signal: AbortSignal): Promise<Resolution> {
    const isLiteral = /^(?:\[.*\]|[\d.]+|(?:.*\.)?localhost)$/i.test(hostname);
    if (isLiteral) return this.#judge(hostname, port, signal);
    return Promise.resolve({ kind: "resolved", addresses: [`${this.name} ${hostname}`] });
  }

  start(request: FetchRequest, done: (result: FetchResult) => void): () => void {
    const { body, deadline } = this.#options;
    const opens = body !== null;
    return this.#inner.start(
      {
        url: callUrl(this.#options, request.url),
        headers: callHeaders(this.#options, request.headers),
        maxBody: opens ? ESCAPED * request.maxBody + ENVELOPE : request.maxBody,
        timeout: Math.max(request.timeout, deadline),
        credit: request.credit,
        decide: (status, headers) => (opens || this.#ownWord(status) !== null ? "read" : request.decide(status, headers)),
      },
      (result) => done(this.#told(request, result)),
    );
  }

  releaseBody(body: Uint8Array): void {
    if (this.#options.body === null) this.#inner.releaseBody(body);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #told(request: FetchRequest, result: FetchResult): FetchResult {
    switch (result.kind) {
      case "response":
        return this.#options.body === null ? this.#plain(result) : this.#opened(request, result);
      case "failure":
        return this.#failed(result);
      case "refusal":
        return result;
      default:
        return result satisfies never;
    }
  }

  /** What a status of the API's own says; null for one that may be the target's. */
  #ownWord(status: number): RefusedBy | null {
    const { busy, exhausted, body } = this.#options;
    if (busy.includes(status)) return "plan";
    if (exhausted.includes(status)) return "credits";
    // Without an envelope a 403 may as well be the site's.
    if (UNAUTHORISED.has(status) && (body !== null || status !== 403)) return "auth";
    return status >= 500 ? "endpoint" : null;
  }

  /** The answer is the page. */
  #plain(result: Response): FetchResult {
    const by = this.#ownWord(result.status);
    if (by !== null) return this.#refusal(by, result);
    return { ...result, measure: measured(result.measure, priceOf(null, result.status)) };
  }

  #opened(request: FetchRequest, result: Response): FetchResult {
    const by = this.#ownWord(result.status);
    if (by !== null && by !== "endpoint") return this.#refusal(by, result);
    const opened = openEnvelope(this.#options, result.status, result.body);
    this.#inner.releaseBody(result.body);
    const isOk = result.status >= 200 && result.status < 300;
    // An error of the API's own may come in an envelope too: only one that tells a status is about the target.
    if (opened.kind === "opened" && (isOk || this.#options.status !== null)) return this.#answer(request, result, opened);
    if (by === "endpoint") return this.#refusal(by, result);
    const message = opened.kind === "unreadable" && isOk ? opened.message : `it answered ${result.status}`;
    return this.#unusable(message, result.measure, isOk ? 1 : 0);
  }

  #answer(request: FetchRequest, { measure }: Response, opened: Opened): FetchResult {
    const { status, headers, credits, finalUrl } = opened;
    const own = measured(measure, priceOf(credits, status));
    const decision = request.decide(status, headers);
    let body = decision === "discard" ? NO_BODY : opened.body;
    if (body.length > request.maxBody) {
      if (decision !== "begin")
        return { kind: "failure", code: "too-large", phase: "body", message: "larger than the cap", status, headers, measure: own };
      body = body.subarray(0, request.maxBody);
    }
    const moved = finalUrl === null || finalUrl === request.url ? {} : { finalUrl };
    return { kind: "response", status, headers, body, ...moved, measure: own };
  }

  #failed(result: Failure): FetchResult {
    const { phase, code, measure } = result;
    if (phase === "local") return result;
    // Its answer was not heard to the end; it may have been charged for.
    const sent = phase === "headers" || phase === "body" || phase === "aborted" ? 1 : 0;
    if (phase === "aborted" || code === "too-large" || code === "decode") return { ...result, measure: measured(measure, sent) };
    return {
      kind: "refusal",
      by: "endpoint",
      message: this.#words(`it cannot be reached: ${result.message}`),
      retryAfter: null,
      resetAt: null,
      measure: measured(measure, sent),
    };
  }

  #refusal(by: RefusedBy, { status, headers, measure }: Response): FetchResult {
    const wait = this.#retryAfter(headers);
    return {
      kind: "refusal",
      by,
      status,
      message: this.#words(`it answered ${status}`),
      retryAfter: wait,
      resetAt: by === "credits" && wait !== null ? this.#clock.epoch() + wait : null,
      measure: measured(measure, 0),
    };
  }

  #unusable(what: string, measure: FetchMeasure, credits: number): FetchResult {
    return { kind: "failure", code: "proxy", phase: "body", message: this.#words(what), measure: measured(measure, credits) };
  }

  #retryAfter(headers: HeaderView): number | null {
    return retryAfter(headers.get("retry-after"), headers.get("date"), this.#clock.epoch());
  }

  #words(what: string): string {
    return cleared(this.#options, `${this.name}: ${what}`);
  }
}

/** One credit for a success, however it was rendered; failures are free. Source: spec C2. */
function priceOf(told: number | null, status: number): number {
  return told ?? (status < 400 || status === 404 || status === 410 ? 1 : 0);
}

function measured(measure: FetchMeasure, credits: number): FetchMeasure {
  return { ...measure, ttfb: null, credits };
}
