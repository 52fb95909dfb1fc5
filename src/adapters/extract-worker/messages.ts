import type { ExtractEnd, ExtractRequest } from "../../ports/extractor.ts";

/** To the worker. */
export interface ExtractMessage {
  readonly number: number;
  readonly request: ExtractRequest;
}

/** Back from it. `ready` comes first, once: the modules are loaded; `unusable`: one of them is not to be used. */
export type ExtractAnswer =
  | { readonly kind: "ready" }
  | { readonly kind: "unusable"; readonly rule: number; readonly message: string }
  | { readonly kind: "end"; readonly number: number; readonly end: ExtractEnd };
