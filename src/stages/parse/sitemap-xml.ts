import type { SitemapEntries } from "./sitemap-entries.ts";
import type { XmlElement, XmlHandler, XmlReader } from "./xml-reader.ts";

/** Kinds of lists in XML. */
export type XmlListKind = "urlset" | "index" | "feed";

const ROOTS: ReadonlyMap<string, XmlListKind> = new Map<string, XmlListKind>([
  ["urlset", "urlset"],
  ["sitemapindex", "index"],
  ["rss", "feed"],
  ["rdf", "feed"],
  ["feed", "feed"],
]);

/** Longest text kept of one element: a little more than the longest URL, so that a longer one is noticed. */
const MAX_TEXT = 8_200;
/** Elements whose text is read, by what their parent is. */
const DATES = new Set(["lastmod", "pubdate", "date", "updated", "modified", "published", "issued", "created"]);
/** Dates that tell of a change rather than of the beginning. */
const CHANGE_DATES = new Set(["lastmod", "date", "updated", "modified"]);
const ITEM_PARENTS = new Set(["channel", "rss", "rdf"]);

/** What one `<url>`, `<sitemap>`, `<item>` or `<entry>` has said so far. */
interface Item {
  readonly element: XmlElement;
  readonly locs: string[];
  /** An Atom link without `rel`, or with `alternate`; others do not lead to the entry's page. */
  href: string | null;
  permalink: string | null;
  changed: string | null;
  published: string | null;
}

/** Collects the URLs of a sitemap, a sitemap index or a feed; the root element says which. Anything else stops the reader. */
export class SitemapXml implements XmlHandler {
  /** Null until the root has been seen, and for a root that is none of ours. */
  kind: XmlListKind | null = null;
  /** Name of the root element, or null when there is none. */
  root: string | null = null;
  /** A bound was met. */
  full = false;
  readonly #reader: () => XmlReader;
  readonly #pages: SitemapEntries;
  readonly #children: SitemapEntries;
  readonly #base: string;
  #namespace = "";
  #item: Item | null = null;
  #field: XmlElement | null = null;
  #text = "";

  constructor(reader: () => XmlReader, pages: SitemapEntries, children: SitemapEntries, base: string) {
    this.#reader = reader;
    this.#pages = pages;
    this.#children = children;
    this.#base = base;
  }

  open(element: XmlElement): void {
    if (element.parent === null) return this.#openRoot(element);
    if (this.#isItem(element)) {
      // The one before was not closed.
      this.#finishItem();
      this.#item = { element, locs: [], href: null, permalink: null, changed: null, published: null };
    } else if (this.#item !== null && (element.parent === this.#item.element || element.name === "loc")) {
      this.#openField(element, this.#item);
    }
  }

  text(piece: string): void {
    if (this.#field !== null && this.#text.length < MAX_TEXT) this.#text += piece;
  }

  close(element: XmlElement): void {
    if (element === this.#field) {
      if (this.#item !== null) this.#closeField(element, this.#item);
      this.#field = null;
    } else if (element === this.#item?.element) this.#finishItem();
  }

  /** The document has ended: an item that is still open counts with what is whole of it. */
  end(): void {
    this.#finishItem();
  }

  #openRoot(element: XmlElement): void {
    if (this.root !== null) return;
    this.root = element.name;
    this.#namespace = element.namespace;
    this.kind = ROOTS.get(element.name) ?? null;
    if (this.kind === null) this.#reader().stop();
  }

  #isItem(element: XmlElement): boolean {
    const { name, parent } = element;
    switch (this.kind) {
      case "urlset":
        return name === "url" && parent?.name !== "loc" && this.#isOurs(element);
      case "index":
        return name === "sitemap" && this.#isOurs(element);
      case "feed":
        return (name === "item" && ITEM_PARENTS.has(parent?.name ?? "")) || (name === "entry" && parent?.name === "feed");
      default:
        return false;
    }
  }

  /** In the root's namespace, or in none, or in a sitemap namespace of any age; not an extension's. */
  #isOurs(element: XmlElement): boolean {
    const { namespace } = element;
    return namespace === this.#namespace || namespace === "" || /\/sitemap\/0\.\d/.test(namespace);
  }

  #openField(element: XmlElement, item: Item): void {
    const { name } = element;
    if (this.kind === "feed") {
      const isOwn = element.namespace === item.element.namespace;
      if (name === "link" && isOwn && element.attributes.has("href")) this.#atomLink(element, item);
      else if ((isOwn && (name === "link" || name === "guid")) || DATES.has(name)) this.#collect(element);
    } else if ((name === "loc" || name === "lastmod") && this.#isOurs(element) && this.#isOurs(element.parent ?? element)) {
      this.#collect(element);
    }
  }

  #collect(element: XmlElement): void {
    this.#field = element;
    this.#text = "";
  }

  #atomLink(element: XmlElement, item: Item): void {
    const rel = (element.attributes.get("rel") ?? "alternate").trim().toLowerCase();
    const href = element.attributes.get("href")?.trim() ?? "";
    if (item.href === null && href !== "" && (rel === "alternate" || rel === "")) item.href = this.#rebased(href, element);
  }

  #closeField(element: XmlElement, item: Item): void {
    const text = this.#text.trim();
    const { name } = element;
    if (text === "") return;
    if (name === "loc" || name === "link") item.locs.push(text);
    else if (name === "guid") {
      const isLink = element.attributes.get("ispermalink")?.trim().toLowerCase() !== "false";
      if (isLink && /^https?:\/\//i.test(text)) item.permalink ??= text;
    } else if (CHANGE_DATES.has(name)) item.changed ??= text;
    else item.published ??= text;
  }

  #finishItem(): void {
    const item = this.#item;
    this.#item = null;
    this.#field = null;
    if (item === null || this.full) return;
    const into = this.kind === "index" ? this.#children : this.#pages;
    const locs = item.locs.length > 0 ? item.locs : [item.href ?? item.permalink ?? ""];
    const reader = this.#reader();
    for (const loc of locs) {
      if (into.add(loc, item.changed ?? item.published, reader.declaresEntities)) continue;
      this.full = true;
      reader.stop();
      return;
    }
  }

  /** `href` against the `xml:base` of the elements around it, outermost first; as written when there is none. */
  #rebased(href: string, element: XmlElement): string {
    const bases: string[] = [];
    for (let around: XmlElement | null = element; around !== null; around = around.parent) {
      const base = around.attributes.get("xml:base")?.trim();
      if (base !== undefined && base !== "") bases.push(base);
    }
    if (bases.length === 0) return href;
    let base = this.#base;
    for (const next of bases.reverse()) if (URL.canParse(next, base)) base = new URL(next, base).href;
    return URL.canParse(href, base) ? new URL(href, base).href : href;
  }
}
