import { getDomain } from "tldts";
import { hostKey, hostName } from "../../kernel/host-key.ts";
import type { UrlPattern } from "./url-pattern.ts";

/** What links are followed, measured by the seeds; `--scope`. */
export type ScopeRule = "host" | "domain" | "prefix" | "any";

export interface ScopeOptions {
  readonly rule: ScopeRule;
  /** Canonical URLs. */
  readonly seeds: readonly string[];
  /** When there are any, a URL must match one. */
  readonly include: readonly UrlPattern[];
  /** Wins over `include`. */
  readonly exclude: readonly UrlPattern[];
}

/** Host keys whose domain is remembered; all are forgotten when there are more. */
const REMEMBERED_DOMAINS = 4096;

/**
 * Decides which URLs belong to the crawl.
 *
 * - `host`: the hosts of the seeds; 80 and 443 are one host, another port is another.
 * - `domain`: the registrable domains of the seeds, on any port. Private suffixes count: `alice.github.io` and `bob.github.io`
 *   are sites of different people, and a crawl of one is not meant to cover the other. An address, `localhost` and a bare suffix
 *   are their own domain.
 * - `prefix`: the seed up to the last slash of its path, over http and https alike.
 * - `any`: everything.
 */
export class Scope {
  readonly #rule: ScopeRule;
  readonly #include: readonly UrlPattern[];
  readonly #exclude: readonly UrlPattern[];
  /** Host keys, or domains. */
  readonly #names = new Set<string>();
  /** Paths that end with a slash, by host key. */
  readonly #folders = new Map<string, string[]>();
  readonly #domains = new Map<string, string>();

  constructor(options: ScopeOptions) {
    this.#rule = options.rule;
    this.#include = options.include;
    this.#exclude = options.exclude;
    for (const seed of options.seeds) this.addSeed(seed);
  }

  /** @returns why a canonical URL of host `key` is not followed, or null: `excluded` when it is by a pattern. */
  admits(url: string, key: string): null | "scope" | "excluded" {
    if (!this.#covers(url, key)) return "scope";
    if (this.#include.length > 0 && !this.#include.some((pattern) => pattern.matches(url))) return "excluded";
    return this.admitsSeed(url);
  }

  /**
   * The same for a seed, or for what a seed redirects to: only `exclude` keeps it out. One that matches no `include` is fetched
   * all the same, for its links: `--include /p/*` with the home page as seed is the usual case.
   */
  admitsSeed(url: string): null | "excluded" {
    return this.#exclude.some((pattern) => pattern.matches(url)) ? "excluded" : null;
  }

  /** Widens the scope to what a seed like this one covers. @returns whether it was narrower before. */
  addSeed(url: string): boolean {
    const key = hostKey(url);
    if (this.#covers(url, key)) return false;
    return this.#rule === "prefix" ? this.#addFolder(key, folderOf(url)) : this.addHost(key);
  }

  /** Widens the scope to a host; with `prefix`, to all of it. @returns whether it was narrower before. */
  addHost(key: string): boolean {
    if (this.#rule === "prefix") return this.#addFolder(key, "/");
    const name = this.#rule === "domain" ? this.#domainOf(key) : key;
    if (this.#rule === "any" || this.#names.has(name)) return false;
    this.#names.add(name);
    return true;
  }

  #covers(url: string, key: string): boolean {
    switch (this.#rule) {
      case "any":
        return true;
      case "host":
        return this.#names.has(key);
      case "domain":
        return this.#names.has(this.#domainOf(key));
      case "prefix": {
        const start = pathStart(url);
        return this.#folders.get(key)?.some((folder) => url.startsWith(folder, start)) ?? false;
      }
    }
  }

  #addFolder(key: string, folder: string): boolean {
    const folders = this.#folders.get(key) ?? [];
    if (folders.some((known) => folder.startsWith(known))) return false;
    this.#folders.set(key, [...folders, folder]);
    return true;
  }

  #domainOf(key: string): string {
    let domain = this.#domains.get(key);
    if (domain === undefined) {
      const name = hostName(key);
      domain = getDomain(name, { allowPrivateDomains: true, extractHostname: false }) ?? name;
      if (this.#domains.size >= REMEMBERED_DOMAINS) this.#domains.clear();
      this.#domains.set(key, domain);
    }
    return domain;
  }
}

function pathStart(url: string): number {
  return url.indexOf("/", "https://".length);
}

/** Path up to its last slash. */
function folderOf(url: string): string {
  const query = url.indexOf("?");
  const path = url.slice(pathStart(url), query === -1 ? url.length : query);
  return path.slice(0, path.lastIndexOf("/") + 1);
}
