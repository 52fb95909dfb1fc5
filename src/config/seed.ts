export type SeedReading = { readonly kind: "seed"; readonly url: string } | { readonly kind: "bad"; readonly expected: string };

const EXPECTED = "an http or https URL";

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
  if (!URL.canParse(whole)) return { kind: "bad", expected: EXPECTED };
  const url = new URL(whole);
  if (url.protocol !== "http:" && url.protocol !== "https:") return { kind: "bad", expected: `${EXPECTED}, not ${url.protocol}` };
  return { kind: "seed", url: whole };
}
