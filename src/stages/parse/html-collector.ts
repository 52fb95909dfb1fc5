/**
 * What single elements contribute: links, and what the page says about itself. Fed with raw tags by the scan, or with a parser's elements.
 */
import * as attribute from "./html-attributes.ts";
import { AttributeReader } from "./html-attributes.ts";
import { ascii, hasToken } from "./html-bytes.ts";
import { childText, type DomElement, visitDocument } from "./html-exact.ts";
import { PageFacts } from "./html-facts.ts";
import * as link from "./html-links.ts";
import { LinkList } from "./html-links.ts";
import { srcsetUrls } from "./html-srcset.ts";
import * as tag from "./html-tags.ts";
import { attributeValue, collapse, isVerbatim, trimEnd, trimStart } from "./html-values.ts";

const NOFOLLOW = ascii("nofollow");
const FEED_TYPE = /^\s*application\/(?:(?:rss|atom|rdf)\+xml|feed\+json)\s*(?:;|$)/i;
const NO_BYTES = Buffer.alloc(0);

/** Attribute values of one element by slot; null for an absent one. */
type Values = (slot: number) => string | null;

export class PageCollector {
  readonly links = new LinkList();
  readonly facts = new PageFacts();
  readonly attributes = new AttributeReader();
  private source: Buffer = NO_BYTES;
  private encoding = "utf-8";
  private readonly agent: string;
  /** The decoded value of an attribute of the tag last read. */
  readonly value: Values = (slot) =>
    this.attributes.has(slot) ? attributeValue(this.source, this.attributes.start[slot], this.attributes.end[slot], this.encoding) : null;

  constructor(agent: string) {
    this.agent = agent.toLowerCase();
  }

  begin(source: Buffer, encoding: string): void {
    this.source = source;
    this.encoding = encoding;
    this.links.clear();
    this.facts.clear();
  }

  /** Takes the element whose start tag `attributes` has just read. @param id up to `TAG_LAST_COLLECTED`. */
  element(id: number): void {
    switch (id) {
      case tag.TAG_A:
        this.rawLink(link.LINK_ANCHOR, attribute.ATTR_HREF);
        break;
      case tag.TAG_AREA:
        this.rawLink(link.LINK_AREA, attribute.ATTR_HREF);
        break;
      case tag.TAG_IFRAME:
        this.rawLink(link.LINK_IFRAME, attribute.ATTR_SRC);
        break;
      case tag.TAG_FRAME:
        this.rawLink(link.LINK_FRAME, attribute.ATTR_SRC);
        break;
      case tag.TAG_BASE:
        this.base(this.value);
        break;
      case tag.TAG_LINK:
        this.link(this.value);
        break;
      case tag.TAG_META:
        this.meta(this.value);
        break;
      default:
        this.rawSrcset();
    }
  }

  /** An `a` inside `svg`, whose address is `href` or, in older documents, `xlink:href`. */
  svgAnchor(): void {
    this.rawLink(link.LINK_ANCHOR, this.attributes.has(attribute.ATTR_HREF) ? attribute.ATTR_HREF : attribute.ATTR_XLINK_HREF);
  }

  /** Replaces everything by what a parser finds in the page's text. @returns false, all left as it is, when the page is too large for one. */
  parse(text: string): boolean {
    let cleared = false;
    return visitDocument(text, (element, isSvg) => {
      if (!cleared) {
        cleared = true;
        this.links.clear();
        this.facts.clear();
      }
      this.parsed(element, isSvg);
    });
  }

  private parsed(element: DomElement, isSvg: boolean): void {
    const values: Values = (slot) => slotValue(element, attribute.ATTRIBUTE_NAMES[slot]);
    const rel = values(attribute.ATTR_REL) ?? "";
    const nofollow = words(rel).includes("nofollow") ? link.NOFOLLOW : 0;
    switch (element.tagName) {
      case "a":
        this.textLink(link.LINK_ANCHOR | nofollow, values(attribute.ATTR_HREF) ?? (isSvg ? values(attribute.ATTR_XLINK_HREF) : null));
        break;
      case "area":
        this.textLink(link.LINK_AREA | nofollow, values(attribute.ATTR_HREF));
        break;
      case "iframe":
        this.textLink(link.LINK_IFRAME, values(attribute.ATTR_SRC));
        break;
      case "frame":
        this.textLink(link.LINK_FRAME, values(attribute.ATTR_SRC));
        break;
      case "title":
        this.facts.title ??= collapse(childText(element));
        break;
      default:
        this.parsedFact(element.tagName, values);
    }
  }

  private parsedFact(name: string, values: Values): void {
    if (name === "base") this.base(values);
    else if (name === "link") this.link(values);
    else if (name === "meta") this.meta(values);
    else if (name === "img" || name === "source") this.textSrcset(values(attribute.ATTR_SRCSET) ?? "");
  }

  private rawLink(kind: number, slot: number): void {
    const { attributes, source, encoding } = this;
    if (!attributes.has(slot)) return;
    const start = trimStart(source, attributes.start[slot], attributes.end[slot]);
    const end = trimEnd(source, start, attributes.end[slot]);
    let flags = kind;
    if (attributes.has(attribute.ATTR_REL)) {
      const rel = attribute.ATTR_REL;
      if (hasToken(source, attributes.start[rel], attributes.end[rel], NOFOLLOW)) flags |= link.NOFOLLOW;
    }
    this.links.add(flags, start, end, isVerbatim(source, start, end, encoding) ? null : attributeValue(source, start, end, encoding));
  }

  private textLink(flags: number, value: string | null): void {
    if (value !== null) this.links.add(flags, 0, 0, value.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, ""));
  }

  private rawSrcset(): void {
    const { attributes, source, encoding, links } = this;
    const slot = attribute.ATTR_SRCSET;
    if (!attributes.has(slot)) return;
    const offset = attributes.start[slot];
    const value = attributeValue(source, offset, attributes.end[slot], encoding);
    // A value as long as its bytes is its bytes, one a character, and a candidate is a range of them.
    if (value.length === attributes.end[slot] - offset && isVerbatim(source, offset, attributes.end[slot], "")) {
      srcsetUrls(value, (start, end) => links.add(link.LINK_SRCSET, offset + start, offset + end, null));
    } else {
      this.textSrcset(value);
    }
  }

  private textSrcset(value: string): void {
    srcsetUrls(value, (start, end) => this.textLink(link.LINK_SRCSET, value.slice(start, end)));
  }

  private base(values: Values): void {
    this.facts.baseHref ??= values(attribute.ATTR_HREF);
  }

  private link(values: Values): void {
    const href = values(attribute.ATTR_HREF)?.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "") ?? "";
    const rel = values(attribute.ATTR_REL);
    if (href === "" || rel === null) return;
    const kind = relKind(words(rel), values(attribute.ATTR_TYPE) ?? "");
    if (kind < 0) return;
    if (kind === link.LINK_CANONICAL) this.facts.canonical ??= href;
    this.links.add(kind, 0, 0, href);
  }

  private meta(values: Values): void {
    const content = attribute.ATTR_CONTENT;
    const name = values(attribute.ATTR_NAME)?.toLowerCase();
    if (name !== undefined && (name === "robots" || name === this.agent)) this.facts.addRobots(name, values(content) ?? "");
    if (values(attribute.ATTR_HTTP_EQUIV)?.toLowerCase() !== "refresh") return;
    const refresh = this.facts.addRefresh(values(content) ?? "");
    if (refresh !== null) this.links.add(link.LINK_REFRESH, 0, 0, refresh.url);
  }
}

function words(value: string): readonly string[] {
  return value.toLowerCase().split(/[\t\n\f\r ]+/);
}

/** The kind of link a `link` element is, or -1. */
function relKind(rel: readonly string[], type: string): number {
  if (rel.includes("canonical")) return link.LINK_CANONICAL;
  if (rel.includes("alternate") && !rel.includes("stylesheet")) return FEED_TYPE.test(type) ? link.LINK_FEED : link.LINK_ALTERNATE;
  if (rel.includes("next")) return link.LINK_NEXT;
  return rel.includes("prev") || rel.includes("previous") ? link.LINK_PREV : -1;
}

function slotValue(element: DomElement, name: string): string | null {
  const found = element.attrs.find((attr) => (attr.prefix ? `${attr.prefix}:${attr.name}` : attr.name) === name);
  return found === undefined ? null : found.value;
}
