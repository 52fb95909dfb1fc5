import { ListedHeaders } from "../kernel/listed-headers.ts";
import type { FetchErrorCode } from "../kernel/outcome.ts";
import type { Bytes, Millis } from "../kernel/units.ts";
import type { CancelTimer, Clock } from "../ports/clock.ts";
import type { FetchMeasure, FetchRequest, FetchResult, HeaderView } from "../ports/fetch-route.ts";
import type { RouteLimits } from "./route-limits.ts";
import type { EndKind, SimulatedSite } from "./simulated-site.ts";
import { CHALLENGE_PAGE } from "./synthetic-pages.ts";
import type { FailureKind, TargetAnswer } from "./target.ts";

type Phase = (FetchResult & { kind: "failure" })["phase"];
interface Failure {
  readonly code: FetchErrorCode;
  readonly phase: Phase;
  readonly message: string;
}

/** A body comes in pieces of this, and draws credit for each but the first, as `adapters/fetch-direct` does. */
const PIECE: Bytes = 262_144;
/** What a request and its answer's headers weigh on the wire. */
const HEAD: Bytes = 400;
/** What an endless body gives in a second. */
const ENDLESS_RATE: Bytes = 4 * 1_048_576;
const EMPTY = new Uint8Array(0);
const HTML = new ListedHeaders([["content-type", "text/html; charset=utf-8"]]);
const NONE = new ListedHeaders([]);
const text = new TextEncoder();

/** One request to the synthetic web. One timer at a time: headers, pieces of a large body, or the deadline that ends it. */
export class SimulatedFetch {
  readonly #clock: Clock;
  readonly #request: FetchRequest;
  readonly #limits: RouteLimits;
  readonly #done: (result: FetchResult, kind: EndKind) => void;
  readonly #startedAt: Millis;
  onHeld: ((change: Bytes) => void) | null = null;
  #cancel: CancelTimer | null = null;
  /** The site that counts it as in flight. */
  #site: SimulatedSite | null = null;
  #ttfb: Millis | null = null;
  #status: number | undefined;
  #headers: HeaderView | undefined;
  #paused: Millis = 0;
  #pausedAt: Millis | null = null;
  #received: Bytes = 0;
  #over = false;

  constructor(clock: Clock, request: FetchRequest, limits: RouteLimits, done: (result: FetchResult, kind: EndKind) => void) {
    this.#clock = clock;
    this.#request = request;
    this.#limits = limits;
    this.#done = done;
    this.#startedAt = clock.now();
  }

  /** A site answers robots.txt with 404 after its usual time: not counted by it, and no other in time than its pages. */
  robots(after: Millis): void {
    this.#after(after, () => {
      this.#head(404, NONE);
      this.#respond(404, NONE, EMPTY, 0, "error");
    });
  }

  visit(site: SimulatedSite, path: string): void {
    const answer = site.target.arrive(this.#clock.now(), site.random);
    if (answer.kind === "ok") this.#serve(site, path, answer);
    else if (answer.kind === "failed") this.#failAs(answer.as, answer.after);
    else this.#refuse(answer.kind, answer.after, answer.retryAfter);
  }

  /** Nothing comes any more; the deadline of this phase, or the whole fetch's, ends it. */
  never(phase: "connect" | "tls" | "headers"): void {
    const { connectTimeout, tlsTimeout, firstByteTimeout } = this.#limits;
    const own = { connect: connectTimeout, tls: tlsTimeout, headers: firstByteTimeout }[phase];
    const now: Phase = this.#ttfb === null ? phase : "body";
    const spent = this.#clock.now() - this.#startedAt;
    const left = Math.max(0, this.#ttfb === null ? Math.min(own, this.#request.timeout) - spent : this.#limits.leastRate.window);
    this.#cancel?.();
    this.fails({ code: this.#ttfb === null ? "timeout" : "too-slow", phase: now, message: "nothing came in time" }, left);
  }

  fails(failure: Failure, after: Millis, kind: EndKind = failure.code === "timeout" ? "timeout" : "error"): void {
    this.#after(after, () => this.#fail(failure, kind));
  }

  abort(): void {
    if (this.#over) return;
    this.#cancel?.();
    // Not inside the call: whoever aborts many must not be met half-way.
    this.#cancel = this.#clock.after(0, () => this.#fail({ code: "connect", phase: "aborted", message: "aborted" }, "error"));
  }

  #serve(site: SimulatedSite, path: string, answer: TargetAnswer & { kind: "ok" }): void {
    this.#site = site;
    this.#after(answer.after, () => {
      const page = site.page(path);
      const [status, headers] = page === null ? ([404, NONE] as const) : ([200, HTML] as const);
      const decision = this.#head(status, headers);
      if (page === null || decision === "discard") return this.#respond(status, headers, EMPTY, 0, "error");
      const { bytesPerSecond } = site.target.service;
      if (answer.bytes <= PIECE && bytesPerSecond === null) return this.#respond(200, headers, text.encode(page), answer.bytes, "ok");
      this.#body(text.encode(page), answer.bytes, bytesPerSecond ?? Number.POSITIVE_INFINITY);
    });
  }

  #refuse(how: Exclude<TargetAnswer["kind"], "ok" | "failed">, after: Millis, retryAfter: Millis | null): void {
    if (how === "timeout") return this.never("headers");
    if (how === "reset") return this.#reset(after, "reject");
    if (how === "challenge") return this.#challenge(after, "reject");
    const headers = retryAfter === null ? NONE : new ListedHeaders([["retry-after", String(Math.ceil(retryAfter / 1000))]]);
    this.#answerStatus(how, headers, after, "reject");
  }

  #failAs(as: FailureKind, after: Millis): void {
    if (typeof as === "number") return this.#answerStatus(as, NONE, after, "error");
    switch (as) {
      case "refused":
        return this.fails({ code: "connect", phase: "connect", message: "the connection was refused" }, after);
      case "dead":
        return this.never("connect");
      case "tls-stall":
        return this.never("tls");
      case "silent":
        return this.never("headers");
      case "reset":
        return this.#reset(after, "error");
      case "challenge":
        return this.#challenge(after, "error");
      case "tarpit":
        return this.#trickle(after, 1);
      case "endless":
        return this.#trickle(after, ENDLESS_RATE);
      default:
        as satisfies never;
    }
  }

  #reset(after: Millis, kind: EndKind): void {
    this.fails({ code: "connect", phase: "headers", message: "the connection was closed before a response" }, after, kind);
  }

  #challenge(after: Millis, kind: EndKind): void {
    this.#after(after, () => {
      const decision = this.#head(200, HTML);
      this.#respond(200, HTML, decision === "discard" ? EMPTY : text.encode(CHALLENGE_PAGE), CHALLENGE_PAGE.length, kind);
    });
  }

  #answerStatus(status: number, headers: HeaderView, after: Millis, kind: EndKind): void {
    this.#after(after, () => {
      this.#head(status, headers);
      this.#respond(status, headers, EMPTY, 0, kind);
    });
  }

  /** A page whose body comes at this rate and has no end. */
  #trickle(after: Millis, bytesPerSecond: Bytes): void {
    this.#after(after, () => {
      if (this.#head(200, HTML) === "discard") return this.#respond(200, HTML, EMPTY, 0, "error");
      this.#body(EMPTY, Number.POSITIVE_INFINITY, bytesPerSecond);
    });
  }

  #head(status: number, headers: HeaderView): ReturnType<FetchRequest["decide"]> {
    this.#ttfb = this.#clock.now() - this.#startedAt;
    this.#status = status;
    this.#headers = headers;
    return this.#request.decide(status, headers);
  }

  /** The next piece of a body that weighs `weight`, as long as the cap, the deadline and the least rate allow. */
  #body(body: Uint8Array, weight: Bytes, bytesPerSecond: number): void {
    const { leastRate } = this.#limits;
    const size = Math.min(PIECE, weight - this.#received);
    const wait = (1000 * size) / bytesPerSecond;
    const spent = this.#clock.now() - this.#startedAt - this.#paused;
    const left = this.#request.timeout - spent;
    if (bytesPerSecond < leastRate.bytesPerSecond) {
      const cut = Math.max(leastRate.grace, leastRate.window);
      if (cut < Math.min(wait, left))
        return this.fails({ code: "too-slow", phase: "body", message: `less than ${leastRate.bytesPerSecond} bytes/s` }, cut);
    }
    if (wait > left) return this.fails({ code: "timeout", phase: "body", message: "the body took too long" }, left);
    this.#after(wait, () => this.#arrived(body, weight, bytesPerSecond, size));
  }

  #arrived(body: Uint8Array, weight: Bytes, rate: number, size: Bytes): void {
    const arrived = this.#received + size;
    if (arrived > this.#request.maxBody) return this.#fail({ code: "too-large", phase: "body", message: "larger than the cap" }, "error");
    const keep = (): void => {
      this.#received = arrived;
      this.onHeld?.(size);
      if (arrived === weight) this.#respond(200, HTML, body, weight, "ok");
      else this.#body(body, weight, rate);
    };
    const isGranted = this.#received === 0 || this.#request.credit.draw(size, () => this.#granted(keep));
    if (isGranted) keep();
    else this.#pausedAt = this.#clock.now();
  }

  #granted(keep: () => void): void {
    if (this.#over || this.#pausedAt === null) return;
    this.#paused += this.#clock.now() - this.#pausedAt;
    this.#pausedAt = null;
    // Credit comes from inside somebody's release; the body goes on afterwards.
    this.#after(0, keep);
  }

  #respond(status: number, headers: HeaderView, body: Uint8Array, weighs: Bytes, kind: EndKind): void {
    this.#end({ kind: "response", status, headers, body, weighs, measure: this.#measure(weighs) }, kind);
  }

  #fail({ code, phase, message }: Failure, kind: EndKind): void {
    const arrived = this.#status === undefined || this.#headers === undefined ? {} : { status: this.#status, headers: this.#headers };
    this.#end({ kind: "failure", code, phase, message, ...arrived, measure: this.#measure(this.#received) }, kind);
  }

  #end(result: FetchResult, kind: EndKind): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancel?.();
    if (this.#received > 0) this.onHeld?.(-this.#received);
    this.#site?.target.leave(this.#clock.now());
    this.#done(result, kind);
  }

  /** What comes later than a deadline never comes. */
  #after(delay: Millis, run: () => void): void {
    const { firstByteTimeout } = this.#limits;
    const isHead = this.#ttfb === null;
    const left = this.#request.timeout - (this.#clock.now() - this.#startedAt - this.#paused);
    if (isHead && delay > Math.min(left, firstByteTimeout)) {
      const timeout: Failure = { code: "timeout", phase: "headers", message: "no answer in time" };
      this.#cancel = this.#clock.after(Math.min(left, firstByteTimeout), () => this.#fail(timeout, "timeout"));
    } else this.#cancel = this.#clock.after(delay, run);
  }

  #measure(bytes: Bytes): FetchMeasure {
    const total = this.#clock.now() - this.#startedAt;
    return { ttfb: this.#ttfb ?? total, total, paused: this.#paused, bytesOut: HEAD, bytesIn: HEAD + bytes, connected: false };
  }
}
