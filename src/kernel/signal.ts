import type { EpochMillis, Millis } from "./units.ts";

/** Marks by which a challenge or block page is known; `docs/errors.md` says what each rests on. */
export type BlockMark = "challenge-header" | "challenge-page" | "block-page" | "forbidden" | "captcha";

/** Why a fault is this machine's own. */
export type LocalCause = "event-loop" | "many-hosts" | "egress" | "dns" | "resources";

/**
 * What one request's end says about whoever must slow down: the closed list behind spec B3. Each has exactly one scope
 * ({@link scopeOf}). "Own parse queue full" is absent on purpose: it is pressure of a boundary, and shows as credit not granted.
 */
export type Signal =
  /** An answer, of whatever status that asks for nothing: 2xx, 3xx, 304, 404, 410. `ttfb` null where it says nothing of the host (a provider that retries inside). */
  | { readonly kind: "ok"; readonly ttfb: Millis | null }
  /** 429, or 503 with or without Retry-After. */
  | { readonly kind: "throttled"; readonly status: number; readonly retryAfter: Millis | null }
  /** The connection was reset before an answer. */
  | { readonly kind: "reset" }
  /** A challenge or block page, of whatever status; or a 403 that is one (see `flow/host-memory.ts`). */
  | { readonly kind: "blocked"; readonly mark: BlockMark }
  /** A 403: whether it is the page's refusal or the host's is for the host's memory to say. */
  | { readonly kind: "forbidden" }
  /** No connection, or no first byte in time. */
  | { readonly kind: "timeout"; readonly phase: "connect" | "headers" }
  /** A body slower than the least rate, or past the deadline. */
  | { readonly kind: "dribble" }
  /** 5xx without overload meaning. */
  | { readonly kind: "server-error"; readonly status: number }
  /** This URL's or this answer's own fault (TLS name, undecodable, too large, redirect loop): nobody is slowed. */
  | { readonly kind: "page-fault" }
  /** This machine's fault: no host changes, fetching as a whole slows. */
  | { readonly kind: "local"; readonly cause: LocalCause }
  | { readonly kind: "aborted" }
  /** A provider's plan allows no more calls at once. */
  | { readonly kind: "provider-busy"; readonly retryAfter: Millis | null }
  /** One endpoint of a gateway refuses or is silent. */
  | { readonly kind: "endpoint-down" }
  /** Credits, money or quota of a provider are gone. */
  | { readonly kind: "credits-exhausted"; readonly resetAt: EpochMillis | null }
  /** A provider refuses our credentials, or is set wrongly: only a person can mend it. */
  | { readonly kind: "misconfigured"; readonly detail: string };

/** Who must slow down. */
export type Scope = "nobody" | "host" | "provider" | "account" | "pipeline" | "operator";

/** One signal, one scope. Source: spec B3. A new kind does not compile until it is routed. */
export function scopeOf(signal: Signal): Scope {
  switch (signal.kind) {
    case "ok":
    case "page-fault":
    case "aborted":
      return "nobody";
    case "throttled":
    case "reset":
    case "blocked":
    case "forbidden":
    case "timeout":
    case "dribble":
    case "server-error":
      return "host";
    case "local":
      return "pipeline";
    case "provider-busy":
    case "endpoint-down":
      return "provider";
    case "credits-exhausted":
      return "account";
    case "misconfigured":
      return "operator";
    default:
      return signal satisfies never;
  }
}
