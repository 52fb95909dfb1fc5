import type { Millis } from "../kernel/units.ts";
import type { Random } from "./clock.ts";

/** Where a request leaves: one endpoint of a gateway, and the session that keeps a host on one address behind it. */
export interface ExitChoice {
  /** Position in the list of endpoints. */
  readonly endpoint: number;
  readonly session: string;
}

/**
 * How a request through an exit ended, as far as the exit is concerned: a new tunnel opened; it went through a tunnel that was open
 * before; the endpoint did not answer, or said no; nothing was learned.
 */
export type ExitOutcome = "ok" | "kept" | "refused" | "neutral";

/** Chooses endpoints: decisions only. Implementation: `flow/endpoints.ts`. */
export interface ExitPolicy {
  /** When may a request to this host leave? `now` or earlier: at once. Never waits. */
  admitAt(host: string, now: Millis): Millis;
  /** @returns null when none may leave now. Each choice ends exactly once. */
  start(host: string, now: Millis, random: Random): ExitChoice | null;
  /** @returns who is to blame for a refusal: `host` once others got through where this one never did. */
  end(host: string, choice: ExitChoice, outcome: ExitOutcome, now: Millis, random: Random): "endpoint" | "host";
}
