import type { FoundLinks, PageInput, ParsedPage } from "../../ports/parse-lane.ts";

/** To the worker; the memory of its body moves with it. */
export interface PageMessage {
  readonly number: number;
  readonly input: PageInput;
}

/** Back from it, with the body's memory. `broken`: the parser threw. */
export type PageAnswer =
  | {
      readonly number: number;
      readonly kind: "page";
      readonly page: ParsedPage;
      readonly links: FoundLinks;
      readonly body: Uint8Array;
    }
  | { readonly number: number; readonly kind: "broken"; readonly message: string };
