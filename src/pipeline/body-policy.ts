import { isReadable, pageKindOf } from "../kernel/page-type.ts";
import type { Bytes } from "../kernel/units.ts";
import type { BodyDecision, HeaderView } from "../ports/fetch-route.ts";
import { mayTell } from "../stages/fetch/challenge.ts";
import type { Errand } from "./errand.ts";

/** Of a refusal's page so much is read, as much as would be to keep the connection: it may say who refuses. */
const REFUSAL_BODY: Bytes = 65_536;

/** Says "some bytes" and no more: looked at before it is judged. */
const OPAQUE = /^application\/octet-stream/i;
/** Never a list of URLs, whoever named it. */
const MEDIA = /^(?:image|audio|video|font)\//i;

/**
 * Reads what may be a page, a list of URLs or a rule file; a redirect's and an error's body is not worth its bytes (but
 * the beginning of a refusal's, which tells a challenge from a limit), nor is one whose declared type is never a page.
 */
export function bodyPolicy(errand: Errand, status: number, headers: HeaderView): BodyDecision {
  if (status < 200 || status >= 300) {
    if (!mayTell(status, headers)) return "discard";
    errand.maxBody = Math.min(errand.maxBody, REFUSAL_BODY);
    return "begin";
  }
  // Of a robots.txt the first 500 KiB count, however long it is (RFC 9309 §2.5).
  if (errand.purpose.kind === "robots") return "begin";
  const type = headers.get("content-type");
  const { via } = errand.purpose.row;
  if (via === "sitemap" || via === "feed") return type !== undefined && MEDIA.test(type) ? "discard" : "read";
  return isReadable(pageKindOf(type)) || (type !== undefined && OPAQUE.test(type)) ? "read" : "discard";
}
