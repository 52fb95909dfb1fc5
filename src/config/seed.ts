import { canonicalUrl, MAX_URL_LENGTH } from "../kernel/canonical-url.ts";

export type SeedReading = { readonly kind: "seed"; readonly url: string } | { readonly kind: "bad"; readonly expected: string };

const EXPECTED = "an http or https URL";
/** Control characters, and what a decoder puts in the place of bytes that are no text: a binary file, not a list of URLs. */
const NO_TEXT = /[\x00-\x1f\x7f\ufffd]/;

/**
 * Reads a seed as a person writes it: without a scheme it gets `https://`. The result parses as a URL but is not canonical yet.
 * `host:8080/x` is a host with a port, not a scheme, because a port begins with a digit.
 */
export function readSeed(text: string): SeedReading {
  const written = text.trim();
  if (written === "") return { kind: "bad", expected: EXPECTED };
  let whole = written;
  if (written.startsWith("//")) whole = `https:${written}`;
  else if (!/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(written)) whole = `https://${written}`;
  if (NO_TEXT.test(whole) || !URL.canParse(whole)) return { kind: "bad", expected: EXPECTED };
  const url = new URL(whole);
  if (url.protocol !== "http:" && url.protocol !== "https:") return { kind: "bad", expected: `${EXPECTED}, not ${url.protocol}` };
  const canonical = canonicalUrl(whole);
  if (canonical === null) return { kind: "bad", expected: EXPECTED };
  if (canonical.length > MAX_URL_LENGTH) return { kind: "bad", expected: `a URL of at most ${MAX_URL_LENGTH} characters` };
  return { kind: "seed", url: whole };
}
