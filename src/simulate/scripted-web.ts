import type { FetchErrorCode } from "../kernel/outcome.ts";
import type { Bytes, Millis } from "../kernel/units.ts";
import type { FetchRequest, FetchResult } from "../ports/fetch-route.ts";

/** A request as the synthetic web sees it. */
export interface ScriptedCall {
  readonly url: string;
  /** Authority as in the URL. */
  readonly host: string;
  readonly headers: FetchRequest["headers"];
  readonly at: Millis;
  /** How often this URL has been asked for, this time included. */
  readonly nth: number;
  /** Requests that its host works on, this one included. */
  readonly inFlight: number;
}

export interface ScriptedResponse {
  readonly kind: "response";
  readonly status: number;
  readonly headers?: readonly (readonly [string, string])[];
  /** Decoded body. Bytes are handed on as they are, so one buffer may serve many answers. */
  readonly body?: string | Uint8Array;
  /** Decoded size that the body stands for, where it is not its length. */
  readonly weighs?: Bytes;
  /** Start to headers. */
  readonly ttfb: Millis;
  /** Headers to the last byte, when nothing pauses it. */
  readonly transfer?: Millis;
}

export interface ScriptedFailure {
  readonly kind: "failure";
  readonly code: FetchErrorCode;
  readonly phase: (FetchResult & { kind: "failure" })["phase"];
  /** Start to failure. */
  readonly after: Millis;
}

export type ScriptedAnswer = ScriptedResponse | ScriptedFailure;

export type ScriptedAddress =
  | { readonly kind: "resolved"; readonly addresses: readonly string[]; readonly after: Millis }
  /** `silent`: no name server answered. */
  | { readonly kind: "failed"; readonly code: "dns" | "private-address"; readonly silent?: boolean; readonly after: Millis };

/** The synthetic web: what each URL answers, and where hosts are. */
export interface ScriptedWeb {
  answer(call: ScriptedCall): ScriptedAnswer;
  /** Without it every host has an address of its own, known at once. */
  address?(hostname: string): ScriptedAddress;
  /** Sees each request as it starts. */
  onStart?(call: ScriptedCall): void;
}
