import { atJsonPath } from "../../kernel/json-path.ts";
import { ListedHeaders } from "../../kernel/listed-headers.ts";
import type { HeaderView } from "../../ports/fetch-route.ts";
import type { ApiOptions } from "./options.ts";

/** What the target answered, as the API tells it. */
export interface Opened {
  readonly kind: "opened";
  readonly status: number;
  readonly headers: HeaderView;
  readonly body: Uint8Array;
  readonly finalUrl: string | null;
  /** null when the API does not say. */
  readonly credits: number | null;
}

/** The answer is not what the configuration says it is. */
export interface Unreadable {
  readonly kind: "unreadable";
  /** It told a status of the target's all the same. */
  readonly message: string;
}

/** Text out of JSON is UTF-8 now, whatever the page says of itself; the mark makes that sure. */
const BYTE_ORDER_MARK = "\ufeff";
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Opens an answer by the paths of the configuration. `status` is the API's own, for an envelope that tells none. */
export function openEnvelope(options: ApiOptions, status: number, raw: Uint8Array): Opened | Unreadable {
  let root: unknown;
  try {
    root = JSON.parse(new TextDecoder().decode(raw));
  } catch {
    return { kind: "unreadable", message: "its answer is not JSON" };
  }
  const found = options.status === null ? status : statusAt(options, root);
  if (found === null) return { kind: "unreadable", message: "its answer has no status where the configuration says" };
  const content = options.body === null ? undefined : atJsonPath(options.body, root);
  if ((content === undefined || content === null) && found >= 200 && found < 300)
    return { kind: "unreadable", message: "its answer has no body where the configuration says" };
  const finalUrl = textAt(options.finalUrl, root);
  const location = REDIRECTS.has(found) && finalUrl !== null ? [["location", finalUrl] as const] : [];
  return {
    kind: "opened",
    status: found,
    headers: new ListedHeaders(location),
    body: bytesOf(content),
    finalUrl: REDIRECTS.has(found) ? null : finalUrl,
    credits: numberAt(options.credits, root),
  };
}

function statusAt(options: ApiOptions, root: unknown): number | null {
  const status = numberAt(options.status, root);
  return status !== null && Number.isInteger(status) && status >= 100 && status <= 599 ? status : null;
}

function numberAt(path: ApiOptions["status"], root: unknown): number | null {
  const value = path === null ? undefined : atJsonPath(path, root);
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : null;
}

function textAt(path: ApiOptions["finalUrl"], root: unknown): string | null {
  const value = path === null ? undefined : atJsonPath(path, root);
  return typeof value === "string" && value !== "" ? value : null;
}

/** A page that is JSON itself may come as a value. */
function bytesOf(content: unknown): Uint8Array {
  if (content === undefined || content === null || content === "") return new Uint8Array(0);
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return new TextEncoder().encode(text.startsWith(BYTE_ORDER_MARK) ? text : BYTE_ORDER_MARK + text);
}
