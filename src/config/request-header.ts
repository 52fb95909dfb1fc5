/** Names that the fetch route or HTTP itself owns; another value would break framing, validators or identification. */
const OWNED: Readonly<Record<string, string>> = {
  host: "a header that a crawl may set (Host follows the URL)",
  "user-agent": "another header; the name goes into --user-agent",
  "accept-encoding": "a header that a crawl may set (weir offers what it can decode)",
  "if-none-match": "a header that a crawl may set (weir sends the validators it stored)",
  "if-modified-since": "a header that a crawl may set (weir sends the validators it stored)",
  range: "a header that a crawl may set (weir fetches whole pages)",
  connection: "a header that a crawl may set",
  "content-length": "a header that a crawl may set",
  "transfer-encoding": "a header that a crawl may set",
  "keep-alive": "a header that a crawl may set",
  "proxy-authorization": "a header that a crawl may set",
  "proxy-connection": "a header that a crawl may set",
  expect: "a header that a crawl may set",
  te: "a header that a crawl may set",
  trailer: "a header that a crawl may set",
  upgrade: "a header that a crawl may set",
};

export type HeaderReading =
  | { readonly kind: "header"; readonly name: string; readonly value: string }
  | { readonly kind: "bad"; readonly expected: string };

/** Splits `Name: value`. The value is not looked at yet. */
export function splitHeader(text: string): readonly [string, string] | null {
  const colon = text.indexOf(":");
  return colon < 1 ? null : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

/**
 * Checks one request header. A value `env:NAME` is read from the environment, so that a secret stands in no file.
 * Values are latin1, as they go on the wire; line breaks are refused (they would smuggle another header in).
 */
export function readHeader(name: string, written: string, secret: (name: string) => string | undefined): HeaderReading {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return { kind: "bad", expected: "Name: value, with a name of letters, digits and -" };
  const owned = OWNED[name.toLowerCase()];
  if (owned !== undefined) return { kind: "bad", expected: owned };
  let value = written;
  if (written.startsWith("env:")) {
    const found = secret(written.slice(4));
    if (found === undefined || found === "") return { kind: "bad", expected: `the environment variable ${written.slice(4)} to be set` };
    value = found;
  }
  if (/[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/.test(value)) return { kind: "bad", expected: "a value of printable latin1 characters" };
  return { kind: "header", name, value };
}
