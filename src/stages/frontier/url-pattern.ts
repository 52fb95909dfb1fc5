import { canonicalUrl } from "../../kernel/canonical-url.ts";
import type { ConfigProblem } from "../../kernel/errors.ts";

/** One `--include` or `--exclude`, ready to be asked. */
export interface UrlPattern {
  /** As the user wrote it. */
  readonly source: string;
  /** `url` is canonical. */
  matches(url: string): boolean;
}

type UrlPatternClass = new (pattern: string) => { test(url: string): boolean };

/** Any scheme, host and port that weir follows, for patterns that name only a path. */
const ANY_HOST = "http{s}?://*:*";
/** Stands before a path while it is made canonical. */
const SOME_HOST = "http://host.invalid";

/**
 * Reads the patterns of `--include` and `--exclude`. What they mean, by how they are written:
 *
 * - `https://example.com/blog/`: the URL begins so. `https://example.com` means that host, not `example.community`.
 * - `/blog/`: path and query begin so, on any host.
 * - with `*`, a `:group` or `{`: a URLPattern on the whole URL, as in `https://*.example.com/p/:id`. It is anchored at both ends;
 *   `*` crosses slashes; a pattern without a query admits any.
 * - `/p/*`: the same for the path, on any host. `/list?page=*` asks for the query as well.
 * - `*.pdf`, `*sort=*`: what begins with `*` (and not with `*:`) is no URLPattern. It is matched against the whole URL, `*` being
 *   any text and all else itself.
 *
 * `*?` is read as `*` and the beginning of the query, where a URLPattern would take the `?` for "optional", which adds nothing
 * to `*`.
 *
 * @param path names the setting in problems, such as `include`.
 * @returns the usable patterns, and what is wrong with the others. Loads the URLPattern polyfill only where it is needed.
 */
export async function parsePatterns(
  list: readonly string[],
  path: string,
): Promise<{ patterns: readonly UrlPattern[]; problems: readonly ConfigProblem[] }> {
  const patterns: UrlPattern[] = [];
  const problems: ConfigProblem[] = [];
  for (const [index, source] of list.entries()) {
    const pattern = await parsePattern(source);
    if (typeof pattern === "string") problems.push({ path: `${path}[${index}]`, got: JSON.stringify(source), expected: pattern });
    else patterns.push(pattern);
  }
  return { patterns, problems };
}

/** @returns the pattern, or what was expected. */
async function parsePattern(source: string): Promise<UrlPattern | string> {
  if (/^\*(?!:)/.test(source)) return globOf(source);
  const onPath = source.startsWith("/");
  if (!onPath && !/^(?:https?:\/\/[^/]|http\{s\}\?:\/\/|\*:\/\/)/i.test(source))
    return "a pattern that begins with http://, https://, / or *";
  if (!/[*{]|:[A-Za-z_]/.test(source)) return prefixOf(source, onPath);
  const text = source.includes("(") ? source : source.replaceAll("*?", "*\\?");
  const UrlPatternOf = await urlPatternClass();
  try {
    const pattern = new UrlPatternOf(onPath ? ANY_HOST + text : text);
    return { source, matches: (url) => pattern.test(url) };
  } catch (error) {
    return `a URLPattern (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Made canonical in the way of URLs, so that `HTTPS://Example.com/~me` and `/%7Eme` mean what they look like. */
function prefixOf(source: string, onPath: boolean): UrlPattern | string {
  const prefix = canonicalUrl(onPath ? SOME_HOST + source : source);
  if (prefix === null) return "a URL or a path";
  if (!onPath) return { source, matches: (url) => url.startsWith(prefix) };
  const path = prefix.slice(SOME_HOST.length);
  return { source, matches: (url) => url.startsWith(path, url.indexOf("/", "https://".length)) };
}

function globOf(source: string): UrlPattern {
  const parts = source.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "s");
  return { source, matches: (url) => expression.test(url) };
}

/** Node's own class from version 24 on, else the polyfill, which is loaded only here. */
async function urlPatternClass(): Promise<UrlPatternClass> {
  const own = (globalThis as { URLPattern?: UrlPatternClass }).URLPattern;
  return own ?? (await import("urlpattern-polyfill/urlpattern")).URLPattern;
}
