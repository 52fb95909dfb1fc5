import type { HostSignal } from "../../flow/host-limiter.ts";
import { retryAfter } from "../../kernel/retry-after.ts";
import type { EpochMillis } from "../../kernel/units.ts";
import type { FetchResult } from "../../ports/fetch-route.ts";

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
  /** For the host's limiter, and only for it. */
  readonly signal: HostSignal;
  readonly next: Next;
}

const NEUTRAL: HostSignal = { kind: "neutral" };

/** Statuses of a redirect that is followed. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Statuses that another attempt can mend. Source: flow-control.md §4. */
const PASSING = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524]);
/** Failures that another attempt can mend. A body too large, an unreadable coding or a refused certificate stays what it is. */
const MENDABLE = new Set(["timeout", "too-slow", "incomplete", "connect", "dns", "protocol"]);

/**
 * Maps an answer to who must slow down and to what becomes of the URL: spec B3 as one switch.
 * @param now wall clock, only for a `Retry-After` date without a `Date` header.
 */
export function verdictOf(result: FetchResult, now: EpochMillis): Verdict {
  switch (result.kind) {
    case "response":
      return ofResponse(result, now);
    case "failure":
      return ofFailure(result);
    case "refusal":
      return { signal: NEUTRAL, next: { kind: "give-back" } };
    default:
      return result satisfies never;
  }
}

function ofResponse(result: FetchResult & { kind: "response" }, now: EpochMillis): Verdict {
  const { status, headers, measure } = result;
  const ok: HostSignal = { kind: "ok", ttfb: measure.ttfb };
  // Says so itself, with whatever status; what it sends is not the page, and another attempt meets the same.
  if (headers.get("cf-mitigated")?.toLowerCase() === "challenge")
    return {
      signal: NEUTRAL,
      next: { kind: "settle", outcome: "blocked", code: "challenge", message: "The site answered with a challenge" },
    };
  if (status === 206)
    return {
      signal: ok,
      next: { kind: "settle", outcome: "failed", code: "incomplete", message: "206: a part, though the whole was asked for" },
    };
  if (status === 204 || status === 205)
    return { signal: ok, next: { kind: "settle", outcome: "failed", code: `http-${status}`, message: `${status}: there is no content` } };
  if (status >= 200 && status < 300) return { signal: ok, next: { kind: "parse" } };
  if (status === 304) return { signal: ok, next: { kind: "not-modified" } };
  const code = `http-${status}`;
  if (REDIRECTS.has(status)) {
    const location = headers.get("location");
    if (location === undefined)
      return { signal: ok, next: { kind: "settle", outcome: "failed", code, message: `${status} without a Location` } };
    return { signal: ok, next: { kind: "redirect", location } };
  }
  if (status === 404 || status === 410)
    return { signal: ok, next: { kind: "settle", outcome: "absent", code, message: `The site answered ${status}` } };
  const message = `The site answered ${status}`;
  if (status === 429 || status === 503) {
    const wait = retryAfter(headers.get("retry-after"), headers.get("date"), now);
    return {
      signal: { kind: "congestion", cause: "throttle", retryAfter: wait },
      next: { kind: "retry", outcome: status === 429 ? "blocked" : "failed", code, message },
    };
  }
  if (status === 401 || status === 403) return { signal: NEUTRAL, next: { kind: "settle", outcome: "blocked", code, message } };
  if (PASSING.has(status)) return { signal: NEUTRAL, next: { kind: "retry", outcome: "failed", code, message } };
  return { signal: status >= 500 ? NEUTRAL : ok, next: { kind: "settle", outcome: "failed", code, message } };
}

function ofFailure(result: FetchResult & { kind: "failure" }): Verdict {
  const { code, message, phase, measure } = result;
  if (code === "private-address") return { signal: NEUTRAL, next: { kind: "settle", outcome: "skipped", code, message } };
  const next: Next = MENDABLE.has(code)
    ? { kind: "retry", outcome: "failed", code, message }
    : { kind: "settle", outcome: "failed", code, message };
  switch (phase) {
    case "local":
    case "aborted":
      return { signal: NEUTRAL, next };
    case "resolve":
    case "connect":
    case "headers":
      // An answer that cannot be read is still an answer: only silence and refusal ask for less.
      return code === "protocol" || code === "decode" || code === "too-large"
        ? { signal: { kind: "ok", ttfb: measure.ttfb }, next }
        : { signal: { kind: "congestion", cause: "timeout", retryAfter: null }, next };
    case "tls":
      return { signal: NEUTRAL, next };
    case "body":
      return { signal: code === "too-slow" || code === "timeout" ? NEUTRAL : { kind: "ok", ttfb: measure.ttfb }, next };
    default:
      return phase satisfies never;
  }
}
