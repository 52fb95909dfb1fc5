import type { LocalCause, Signal } from "../kernel/signal.ts";
import type { Clock, Random } from "../ports/clock.ts";
import type { FetchResult } from "../ports/fetch-route.ts";
import type { LoopLag } from "../ports/loop-lag.ts";
import type { Frontier } from "../stages/frontier/frontier.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { Errand } from "./errand.ts";
import type { HostUnits } from "./host-units.ts";
import type { ParseAdmission } from "./parse-admission.ts";
import type { Providers } from "./providers.ts";
import type { RetryAdmission } from "./retry-admission.ts";

/** What holds all starts back, whatever the host. */
export type GlobalHold = "local" | "concurrency" | "parse" | "storage" | "consumer" | "stopping";

export interface DispatcherDeps {
  readonly clock: Clock;
  readonly lag: LoopLag;
  readonly random: Random;
  readonly providers: Providers;
  readonly frontier: Frontier;
  readonly retries: RetryAdmission;
  readonly parse: ParseAdmission;
  /** Which hosts are limited as one; null: each by itself. */
  readonly units: HostUnits | null;
  readonly signal: AbortSignal;
  /** Holds other than concurrency and parse credit. */
  readonly hold: () => GlobalHold | null;
  /** Next thing to ask of a host that may start now: the one place that knows what work is. `settled`: a row ended without a request. */
  readonly next: (host: Host) => Errand | "settled" | null;
  /** The host's address cannot be had; settles its next row. */
  readonly unresolved: (host: Host, code: "dns" | "private-address", message: string) => void;
  /** An errand's answer, before its parse credit is given back; `local`: why it is this machine's fault, or null. @returns what it says. */
  readonly ended: (errand: Errand, result: FetchResult, local: LocalCause | null) => Signal;
  /** This machine is found at fault: fetching as a whole waits for it. */
  readonly onLocal: (cause: LocalCause) => void;
  /** The errand has come to its end, its page parsed and handed on. */
  readonly released: (errand: Errand) => void;
  /** After each change: is the pass over, must a limit stop it? */
  readonly onTurn: () => void;
}
