/**
 * What parse5 makes of a page, to compare the scan with, and a generator of hostile pages.
 */
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import * as link from "../../../../src/stages/parse/html-links.ts";
import type { HtmlScanner } from "../../../../src/stages/parse/html-scanner.ts";

/** Sorted, distinct `kind value`; formatting elements are cloned by tree construction, so counts differ and mean nothing. */
export interface Seen {
  readonly links: readonly string[];
  readonly base: string | null;
  readonly title: string | null;
}

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const trim = (value: string): string => value.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "");
const sorted = (links: Iterable<string>): string[] => [...new Set(links)].sort();

/** Links, base and title by a plain walk of parse5's tree, scripting off. */
export function reference(html: string): Seen {
  const links: string[] = [];
  let base: string | null = null;
  let title: string | null = null;
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("tagName" in node) {
      const name = node.namespaceURI === HTML ? node.tagName : node.namespaceURI === SVG && node.tagName === "a" ? "svg a" : "";
      const get = (attribute: string): string | undefined =>
        node.attrs.find((a) => (a.prefix ? `${a.prefix}:${a.name}` : a.name) === attribute)?.value;
      const add = (kind: string, value: string | undefined): void => {
        if (value !== undefined) links.push(`${kind} ${trim(value)}`);
      };
      if (name === "a" || name === "area") add(name, get("href"));
      else if (name === "svg a") add("a", get("href") ?? get("xlink:href"));
      else if (name === "frame" || name === "iframe") add(name, get("src"));
      else if (name === "base") base ??= get("href") ?? null;
      else if (name === "title") title ??= node.childNodes.map((c) => ("value" in c ? c.value : "")).join("");
    }
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html, { scriptingEnabled: false }));
  const text = title as string | null;
  return { links: sorted(links), base, title: text === null ? null : trim(text.replace(/[\t\n\f\r ]+/g, " ")) };
}

const KINDS = new Map([
  [link.LINK_ANCHOR, "a"],
  [link.LINK_AREA, "area"],
  [link.LINK_FRAME, "frame"],
  [link.LINK_IFRAME, "iframe"],
]);

/** The same of the page last scanned. */
export function seen(scanner: HtmlScanner): Seen {
  const links: string[] = [];
  for (let i = 0; i < scanner.linkCount; i++) {
    const kind = KINDS.get(scanner.linkFlags[i] & ~link.NOFOLLOW);
    if (kind !== undefined) links.push(`${kind} ${trim(scanner.linkText(i))}`);
  }
  return { links: sorted(links), base: scanner.baseHref, title: scanner.title };
}

/** Small seeded generator: the same seed gives the same pages on every machine. */
export function randomFrom(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const NAMES = (
  "a a a b i p div span table tr td th tbody thead caption colgroup col form button option optgroup select svg math g path title desc foreignObject " +
  "mi mo mtext annotation-xml mglyph textarea script style iframe noframes noembed noscript xmp template base link meta area img image source " +
  "frameset frame head body html br hr li ul dd dt h1 font nobr marquee applet object input keygen ruby rt plaintext x unknown A DIV ScRiPt"
).split(" ");
const TEXT = [
  "x",
  " ",
  "\n",
  "\r\n",
  "text &amp; more",
  "&lt;a href=no&gt;",
  "a < b",
  "<",
  "</",
  "<3",
  "</3>",
  "\0",
  "é",
  "&",
  "&#0;",
  "--",
  "]]>",
  ">",
];
const ODD = [
  "<!-- c -->",
  "<!-->",
  "<!--->",
  "<!--a--!>",
  "<!--<a href=hidden>-->",
  "<!--",
  "-->",
  "<!x>",
  "<?php a>b?>",
  "<!DOCTYPE html>",
  '<!DOCTYPE html PUBLIC ">">',
  "<![CDATA[<a href=cdata>]]>",
  "</>",
  "</ a>",
  "<!----!>",
  "<!-- <!-- -->",
  "<!-- --!-->",
  "<script><!--<script></script>--></script>",
  "<script><!--",
  "<script><!--></script>",
  "<script>'<a href=js>'</script>",
  "</script>",
  "<textarea><a href=ta></textarea>",
  "<title>T &amp; <b>t</b></title>",
  "<title>",
  "<svg><title>s</title></svg>",
  "<svg><path/></svg>",
  "<svg><a xlink:href=sx>t</a></svg>",
  "<svg/>",
  "<math><mi>x</mi></math>",
  "<svg><style><a href=svgstyle></style></svg>",
  "<select><option>o<a href=insel></select>",
  "<select><option>1<option>2</select>",
  "<template><a href=intpl></template>",
  "<iframe src=if></iframe>",
  "<base href=b1>",
  "<base target=x>",
  "<frameset><frame src=f1></frameset>",
  "<noscript><a href=ns></noscript>",
  "<font color=red>",
  "<svg><font size=1>",
  '<math><annotation-xml encoding="text/html"><a href=am>',
  "<table><a href=foster>",
  "<table><title>late</title>",
  "<style><!--</style>-->",
] as const;
const VALUES = [
  "u",
  "'u v'",
  '"u>v"',
  '"&amp;u"',
  "&ampu",
  '"&copy=1"',
  '"\nu "',
  "u/",
  '""',
  '"u',
  "'",
  "=",
  "a=b",
  '"é&eacute;"',
  "u\0v",
  '"a\r\nb"',
];
const ATTRIBUTES = ["href", "href", "HREF", "src", "xlink:href", "class", "color", "encoding", "h\0ref", 'a"b', "=x", "/", "type", "rel"];

/** A page nobody would write: up to some forty pieces of markup in any order, then bytes cut, doubled or put in. */
export function hostilePage(random: (below: number) => number): string {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)];
  let link = 0;
  const attributes = (): string => {
    let text = "";
    for (let n = random(4); n > 0; n--) {
      const value = random(3) === 0 ? pick(VALUES) : `u${++link}`;
      text += `${pick([" ", " ", "\n", "/", "  "])}${pick(ATTRIBUTES)}${random(8) === 0 ? "" : pick(["=", "=", " = "]) + value}`;
    }
    return text;
  };
  const piece = (): string => {
    const kind = random(20);
    if (kind < 7) return `<${pick(NAMES)}${attributes()}${pick([">", ">", ">", "/>", " >", ""])}`;
    if (kind < 12) return `</${pick(NAMES)}${random(6) === 0 ? attributes() : ""}>`;
    if (kind < 14) return `<a href=l${++link}>${random(2) === 0 ? "</a>" : ""}`;
    return kind < 17 ? pick(TEXT) : pick(ODD);
  };
  let html = "";
  for (let n = 1 + random(random(3) === 0 ? 40 : 12); n > 0; n--) html += piece();
  for (let n = random(4); n > 0; n--) {
    const at = random(html.length + 1);
    const cut = random(3) === 0 ? random(4) : 0;
    html = html.slice(0, at) + pick(["", "<", ">", '"', "'", "/", "=", "!", "-", "&", " ", "\0", "</", "<!--"]) + html.slice(at + cut);
  }
  return html;
}

/** Why the two may differ on a page, or null. The one class known: parse5 8.1.1 does not count `template` as a boundary of table scope. */
export function knownDifference(html: string): string | null {
  return /<table[^]*<template[^]*<\/?(?:table|tbody|thead|tfoot|tr|td|th|caption)/i.test(html) ? "template in a table" : null;
}
