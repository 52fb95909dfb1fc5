import { retryAfter } from "../../kernel/retry-after.ts";
import type { LocalCause, Signal } from "../../kernel/signal.ts";
import type { EpochMillis } from "../../kernel/units.ts";
import type { FetchMeasure, FetchResult, HeaderView } from "../../ports/fetch-route.ts";
import { isRefusal, markOfHeaders, markOfRefusal } from "./challenge.ts";

/** What one answer means for the URL. */
export type Next =
  | { readonly kind: "parse" }
  /** It was no attempt: the row waits again, as it was. */
  | { readonly kind: "give-back" }
  | { readonly kind: "not-modified" }
  | { readonly kind: "redirect"; readonly location: string }
  /** Worth another attempt; what it settles as when there is none left. */
  | { readonly kind: "retry"; readonly outcome: "failed" | "blocked"; readonly code: string; readonly message: string }
  | {
      readonly kind: "settle";
      readonly outcome: "failed" | "blocked" | "absent" | "skipped";
      readonly code: string;
      readonly message: string;
    };

export interface Verdict {
  /** Who must slow down; `flow/host-memory.ts` says what the host's limiter hears of it. */
  readonly signal: Signal;
  readonly next: Next;
}

const NO_BODY = new Uint8Array(0);
const PAGE_FAULT: Signal = { kind: "page-fault" };
const RESET: Signal = { kind: "reset" };
const DRIBBLE: Signal = { kind: "dribble" };
const FORBIDDEN: Signal = { kind: "forbidden" };

/** Statuses of a redirect that is followed. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Statuses that another attempt can mend. Source: flow-control.md §4. */
const PASSING = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524]);
/** Failures that another attempt can mend. A body too large, an unreadable coding or a refused certificate stays what it is. */
const MENDABLE = new Set(["timeout", "too-slow", "incomplete", "connect", "dns", "protocol"]);

/**
 * Maps an answer to who must slow down and to what becomes of the URL: spec B3 as one switch.
 * @param now wall clock, only for a `Retry-After` date without a `Date` header.
 * @param local why it is this machine's fault, where that was found out: no attempt then.
 */
export function verdictOf(result: FetchResult, now: EpochMillis, local: LocalCause | null = null): Verdict {
  if (local !== null) return { signal: { kind: "local", cause: local }, next: { kind: "give-back" } };
  switch (result.kind) {
    case "response":
      return ofAnswer(result.status, result.headers, result.body, result.measure, now);
    case "failure":
      return ofFailure(result, now);
    case "refusal":
      return { signal: signalOfRefusal(result), next: { kind: "give-back" } };
    default:
      return result satisfies never;
  }
}

function ofAnswer(status: number, headers: HeaderView, body: Uint8Array, measure: FetchMeasure, now: EpochMillis): Verdict {
  const mark = markOfHeaders(status, headers) ?? markOfRefusal(status, body);
  if (mark !== null) return { signal: { kind: "blocked", mark }, next: CHALLENGED };
  const ok: Signal = { kind: "ok", ttfb: measure.ttfb };
  if (status < 300) return { signal: ok, next: ofSuccess(status) };
  if (status === 304) return { signal: ok, next: { kind: "not-modified" } };
  const code = `http-${status}`;
  const message = `The site answered ${status}`;
  if (REDIRECTS.has(status)) {
    const location = headers.get("location");
    return { signal: ok, next: location === undefined ? failed(code, `${status} without a Location`) : { kind: "redirect", location } };
  }
  switch (status) {
    case 404:
    case 410:
      return { signal: ok, next: { kind: "settle", outcome: "absent", code, message } };
    case 401:
      return { signal: PAGE_FAULT, next: { kind: "settle", outcome: "blocked", code, message } };
    case 403:
      return { signal: FORBIDDEN, next: { kind: "settle", outcome: "blocked", code, message } };
    case 429:
    case 503:
      return {
        signal: throttled(status, headers, now),
        next: { kind: "retry", outcome: status === 429 ? "blocked" : "failed", code, message },
      };
  }
  const next: Next = PASSING.has(status) ? { kind: "retry", outcome: "failed", code, message } : failed(code, message);
  if (status >= 500) return { signal: { kind: "server-error", status }, next };
  return { signal: next.kind === "retry" ? PAGE_FAULT : ok, next };
}

function throttled(status: number, headers: HeaderView, now: EpochMillis): Signal {
  return { kind: "throttled", status, retryAfter: retryAfter(headers.get("retry-after"), headers.get("date"), now) };
}

function ofSuccess(status: number): Next {
  if (status === 206) return failed("incomplete", "206: a part, though the whole was asked for");
  return status === 204 || status === 205 ? failed(`http-${status}`, `${status}: there is no content`) : { kind: "parse" };
}

/** What a challenge or block page means, whoever recognises it: it is not the page, and another attempt meets the same. */
export const CHALLENGED = {
  kind: "settle",
  outcome: "blocked",
  code: "challenge",
  message: "The site answered with a challenge or block page",
} as const;

const failed = (code: string, message: string): Next => ({ kind: "settle", outcome: "failed", code, message });

function ofFailure(result: FetchResult & { kind: "failure" }, now: EpochMillis): Verdict {
  const { code, message, phase, status, headers, measure } = result;
  // The site has said what there is to say; only the page that it put with it did not come whole.
  if (phase === "body" && status !== undefined && headers !== undefined && isRefusal(status))
    return ofAnswer(status, headers, NO_BODY, measure, now);
  if (code === "private-address") return { signal: PAGE_FAULT, next: { kind: "settle", outcome: "skipped", code, message } };
  const next: Next = MENDABLE.has(code)
    ? { kind: "retry", outcome: "failed", code, message }
    : { kind: "settle", outcome: "failed", code, message };
  return { signal: signalOfFailure(result), next };
}

function signalOfFailure({ phase, code, measure }: FetchResult & { kind: "failure" }): Signal {
  // The gateway reaches others and not this one: neither the site's, nor this machine's.
  if (code === "proxy") return PAGE_FAULT;
  switch (phase) {
    case "local":
      return { kind: "local", cause: "resources" };
    case "aborted":
      return { kind: "aborted" };
    case "resolve":
    case "connect":
      return { kind: "timeout", phase: "connect" };
    case "tls":
      // A handshake that hangs or breaks off is the host's; a certificate that is refused is no overload.
      if (code === "timeout") return { kind: "timeout", phase: "connect" };
      return code === "connect" ? RESET : PAGE_FAULT;
    case "headers":
      // An answer that cannot be read is still an answer: only silence and refusal ask for less.
      if (code === "protocol" || code === "decode" || code === "too-large") return { kind: "ok", ttfb: measure.ttfb };
      return code === "timeout" ? { kind: "timeout", phase: "headers" } : RESET;
    case "body":
      return code === "too-slow" || code === "timeout" ? DRIBBLE : { kind: "ok", ttfb: measure.ttfb };
    default:
      return phase satisfies never;
  }
}

function signalOfRefusal({ by, message, retryAfter: wait, resetAt }: FetchResult & { kind: "refusal" }): Signal {
  switch (by) {
    case "plan":
      return { kind: "provider-busy", retryAfter: wait };
    case "credits":
      return { kind: "credits-exhausted", resetAt };
    case "endpoint":
      return { kind: "endpoint-down" };
    case "auth":
      return { kind: "misconfigured", detail: message };
    default:
      return by satisfies never;
  }
}
