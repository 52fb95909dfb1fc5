import type { Bytes } from "../../kernel/units.ts";
import type { HeaderView } from "../../ports/fetch-route.ts";

/** The length that a head promises; undefined when it names none. Contradictions were refused with the head. */
export function contentLengthOf(headers: HeaderView): Bytes | undefined {
  const text = headers.get("content-length");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
