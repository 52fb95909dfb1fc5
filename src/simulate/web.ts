import type { Millis } from "../kernel/units.ts";
import type { TargetSpec } from "./target.ts";

/** A host of the synthetic web, or `count` alike ones. */
export interface WebHost {
  /** Authority. */
  readonly name: string;
  /** Above 1: so many hosts, named `1.<name>` to `<count>.<name>`. */
  readonly count: number;
  readonly pages: number;
  /** Shared by all hosts that name it; null: one of its own. */
  readonly address: string | null;
  readonly target: TargetSpec;
}

/** What breaks on our side, or between us and every site. `docs/simulation.md` says what each does. */
export const FAULT_KINDS = ["egress", "dns", "store", "disk-full", "event-loop", "parser", "provider", "credits"] as const;
export type WebFaultKind = (typeof FAULT_KINDS)[number];

export interface WebFault {
  readonly kind: WebFaultKind;
  readonly atMinutes: number;
  readonly seconds: number;
}

/** A scraping API that all hosts are asked by. */
export interface WebProvider {
  /** Calls at once that its plan allows. */
  readonly concurrency: number;
  /** What the crawler is told of that; null: it has to find out. */
  readonly told: number | null;
  /** What its account holds; null: without end. */
  readonly credits: number | null;
  /** Retries of its own before it answers: the crawler makes none then. */
  readonly retries: number;
}

/** A simulation file, read: what `weir simulate --web` runs. */
export interface Web {
  readonly hours: number;
  readonly seed: number;
  /** Options of the crawler, by name and as they would stand in its configuration. */
  readonly crawler: Readonly<Record<string, string | number>>;
  /** Big pages take so long to parse, one after the other. */
  readonly parser: { readonly msPerMB: Millis };
  /** null: all hosts are asked directly. */
  readonly provider: WebProvider | null;
  readonly hosts: readonly WebHost[];
  readonly faults: readonly WebFault[];
}

/** Minutes that the goodput of the start is left out of, for `okPerSecondAfter5Min`. */
export const WARM_UP: Millis = 5 * 60_000;
