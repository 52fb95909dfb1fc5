import type { ApiOptions } from "./options.ts";

/** What is read as it is sent: rendering would wrap it into a page. */
const PLAIN = /\.(?:txt|xml|xml\.gz|rss|atom)$/i;

/** The URL of the call that fetches `url`. */
export function callUrl(options: ApiOptions, url: string): string {
  const path = url.slice(url.indexOf("/", 8)).replace(/[?].*$/, "");
  const render = PLAIN.test(path) ? "" : options.render;
  const session = options.session.replaceAll("{session}", sessionOf(url));
  return options.request.replaceAll("{url}", () => encodeURIComponent(url)) + render + options.country + session;
}

/** The API's own headers, and the page's where it forwards them. */
export function callHeaders(options: ApiOptions, own: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  const { forwardsHeaders, headers } = options;
  if (forwardsHeaders === false || own.length === 0) return headers;
  const front = forwardsHeaders === true ? "" : forwardsHeaders;
  return [...headers, ...own.map(([name, value]) => [front + name, value] as const)];
}

/** One session a host, the same in each run: FNV-1a of its authority. */
function sessionOf(url: string): string {
  const end = url.indexOf("/", 8);
  let hash = 0x811c9dc5;
  for (let i = url.indexOf("//") + 2; i < (end < 0 ? url.length : end); i++) hash = Math.imul(hash ^ url.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** A text for a person, without the secrets of the configuration. */
export function cleared(options: ApiOptions, text: string): string {
  let clean = text;
  for (const secret of options.secrets) for (const form of [secret, encodeURIComponent(secret)]) clean = clean.replaceAll(form, "…");
  return clean;
}
