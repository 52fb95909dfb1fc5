/**
 * What a page says about itself, beside its links and text. Filled by the scan or, for pages it cannot follow, by the parser.
 */
import type { Refresh } from "./html-refresh.ts";
import { parseRefresh } from "./html-refresh.ts";
import type { MetaRobots } from "./robots-directives.ts";

/** Robots elements kept of one page. */
const MOST_METAS = 16;

export class PageFacts {
  /** `href` of the first `base` that has one, as written. */
  baseHref: string | null = null;
  /** Text of the first `title`, whitespace collapsed; "" for an empty one, null for none. */
  title: string | null = null;
  /** `href` of the first `link rel=canonical` that is not empty, as written. */
  canonical: string | null = null;
  /** The first refresh that names a URL. */
  refresh: Refresh | null = null;
  readonly metaRobots: MetaRobots[] = [];

  clear(): void {
    this.baseHref = null;
    this.title = null;
    this.canonical = null;
    this.refresh = null;
    if (this.metaRobots.length > 0) this.metaRobots.length = 0;
  }

  addRobots(name: string, content: string): void {
    if (this.metaRobots.length < MOST_METAS) this.metaRobots.push({ name, content: content.slice(0, 1_000) });
  }

  /** @returns the refresh when this is the first that counts. */
  addRefresh(content: string): Refresh | null {
    if (this.refresh !== null) return null;
    this.refresh = parseRefresh(content);
    return this.refresh;
  }
}
