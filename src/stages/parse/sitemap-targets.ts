import { canonicalUrl } from "../../kernel/canonical-url.ts";
import { hostKey } from "../../kernel/host-key.ts";
import type { EpochMillis } from "../../kernel/units.ts";
import type { SitemapResult } from "./sitemap.ts";
import type { SitemapEntry } from "./sitemap-entries.ts";

/** A URL that a list names, canonical. */
export interface SitemapTarget {
  readonly url: string;
  /** Null when not known or not to be trusted. */
  readonly lastmod: EpochMillis | null;
}

export interface SitemapTargets {
  /** Unique, in order. */
  readonly pages: readonly SitemapTarget[];
  /** Unique, in order, without the list itself. */
  readonly sitemaps: readonly SitemapTarget[];
  /** Entries that name another host. */
  readonly foreign: number;
  /** Entries that are no usable URL. */
  readonly unusable: number;
}

/**
 * The URLs of a list, resolved and canonical, each once. A sitemap may name URLs of its own host, and of hosts that the crawl
 * knows by other ways (one of their robots.txt named it, perhaps); other hosts' entries are left out, or anybody could speak
 * for anybody. Feeds are held to the same rule. Source: sitemaps.org, "sitemap file location" and "cross submits".
 * @param sitemapUrl the list's own URL, behind redirects
 * @param isKnownHost tells by its key whether the crawl knows a host
 */
export function sitemapTargets(result: SitemapResult, sitemapUrl: string, isKnownHost: (host: string) => boolean): SitemapTargets {
  const own = hostKey(sitemapUrl);
  const mayName = (host: string): boolean => host === own || isKnownHost(host);
  let foreign = 0;
  let unusable = 0;
  const targetsOf = (entries: readonly SitemapEntry[], known: Set<string>): SitemapTarget[] => {
    const targets: SitemapTarget[] = [];
    for (const { loc, lastmod } of entries) {
      const url = canonicalUrl(loc, sitemapUrl);
      if (url === null) unusable++;
      else if (!mayName(hostKey(url))) foreign++;
      else if (!known.has(url)) {
        known.add(url);
        targets.push({ url, lastmod: result.lastmodTrusted ? lastmod : null });
      }
    }
    return targets;
  };
  const pages = targetsOf(result.urls, new Set());
  const sitemaps = targetsOf(result.sitemaps, new Set([sitemapUrl]));
  return { pages, sitemaps, foreign, unusable };
}
