/**
 * The pass over a page's bytes: which elements exist, what text is visible.
 */
import { ATTR_COLOR, ATTR_ENCODING, ATTR_FACE, ATTR_SIZE } from "./html-attributes.ts";
import * as bytes from "./html-bytes.ts";
import type { PageCollector } from "./html-collector.ts";
import { ForeignStack, NS_MATHML, NS_SVG } from "./html-foreign.ts";
import * as tag from "./html-tags.ts";
import { BREAKOUT, MARKERS, TABLE_PARTS, TAG_NAMES, tagId } from "./html-tags.ts";
import { collapse, nodeText } from "./html-values.ts";
import type { VisibleText } from "./html-visible.ts";

const FOREIGN = 1;
const SELECT = 2;
const FONT = bytes.ascii("font");
const BR = bytes.ascii("br");
const P = bytes.ascii("p");
const TEMPLATE = TAG_NAMES[tag.TAG_TEMPLATE];
const NOSCRIPT = TAG_NAMES[tag.TAG_NOSCRIPT];
const SELECT_NAME = TAG_NAMES[tag.TAG_SELECT];
const NO_VIEW = new DataView(new ArrayBuffer(0));
const MATHML_AS_HTML = /^(?:text\/html|application\/xhtml\+xml)$/i;

/**
 * The HTML standard's tokenizer and as much of tree construction as can be had without the stack of open HTML elements, scripting off:
 * raw text, `template` (its contents are not in the document), `select` (ignores most tags), SVG and MathML (no raw text, CDATA, left by
 * certain tags). Where that stack would decide, it goes on with a guess and sets `inexact`.
 *
 * State: `special` says whether an SVG or MathML element (`foreign` holds them) or a select is open, at most one of the two;
 * `templateDepth` counts open templates; `anchorOpen` says whether an `a` in one of them may be open.
 */
export class HtmlWalk {
  /** What follows from the markup was guessed somewhere. */
  inexact = false;
  sawAnyTag = false;
  /** The title has no end tag: all that follows is title. */
  titleOpen = false;
  scripts = 0;
  private readonly collector: PageCollector;
  private readonly text: VisibleText;
  private readonly foreign = new ForeignStack();
  private encoding = "utf-8";
  private special = 0;
  private templateDepth = 0;
  private anchorOpen = false;
  private tableSeen = false;
  private framesetSeen = false;
  private titleSeen = false;
  private nameStart = 0;
  private nameEnd = 0;
  private view: DataView = NO_VIEW;

  constructor(collector: PageCollector, text: VisibleText) {
    this.collector = collector;
    this.text = text;
  }

  reset(encoding: string): void {
    this.encoding = encoding;
    this.foreign.clear();
    this.inexact = this.sawAnyTag = this.titleOpen = this.tableSeen = this.framesetSeen = this.titleSeen = this.anchorOpen = false;
    this.scripts = this.special = this.templateDepth = 0;
  }

  /** Passes over `b` once, from `from` to its end. */
  walk(b: Buffer, from: number): void {
    const { text } = this;
    const { fingerprint, wanted } = text;
    const view = bytes.viewOf(b);
    const end = b.length;
    let p = from;
    this.view = view;
    while (p < end) {
      if (b[p] !== 60) {
        const start = p;
        if (text.hidden) p = bytes.findByte(b, view, p, end, 0x3c3c3c3c);
        else p = fingerprint.takeToMarkup(b, view, p, end);
        if (wanted && !text.hidden) text.runs.add(start, p, false);
        if (p >= end) break;
      }
      if (b[p + 1] === 47 && this.special === 0 && this.templateDepth === 0 && !wanted) {
        let close = p + 2;
        let others = close + 8 <= end ? ~view.getInt32(close, true) & 0x40404040 : 0;
        if (others === 0 && close + 8 <= end) {
          close += 4;
          others = ~view.getInt32(close, true) & 0x40404040;
        }
        if (others !== 0) {
          close += (31 - Math.clz32(others & -others)) >> 3;
          if (b[close] === 62) {
            p = close + 1;
            continue;
          }
        }
      }
      p = this.markup(b, p, end);
    }
    text.closeNoscript(end);
    this.view = NO_VIEW;
  }

  /** From a `<`. @returns the index from which to go on, as all methods below. */
  private markup(b: Buffer, at: number, end: number): number {
    const c = at + 1 < end ? b[at + 1] : 0;
    const letter = c | 32;
    if (letter >= 97 && letter <= 122) return this.startTag(b, at + 1, end);
    if (c === 47 && at + 2 < end) {
      const first = b[at + 2] | 32;
      return first >= 97 && first <= 122 ? this.endTag(b, at + 2, end) : bytes.skipBogusComment(b, at + 2, end);
    }
    if (c === 33) return this.declaration(b, at + 2, end);
    if (c === 63) return bytes.skipBogusComment(b, at + 2, end);
    this.text.addOpener(at);
    return at + 1;
  }

  /** Behind `<!`: a comment, a DOCTYPE, a CDATA section (in SVG and MathML only), or a bogus comment. */
  private declaration(b: Buffer, from: number, end: number): number {
    if (b[from] === 45 && b[from + 1] === 45) return bytes.skipComment(b, from + 2, end);
    if ((this.special & FOREIGN) === 0 || b.toString("latin1", from, from + 7) !== "[CDATA[") return bytes.skipBogusComment(b, from, end);
    const close = bytes.cdataEnd(b, from + 7, end);
    this.text.add(b, from + 7, close, true);
    return Math.min(close + 3, end);
  }

  private startTag(b: Buffer, name: number, end: number): number {
    const p = bytes.nameEnd(b, this.view, name, end);
    if (p >= end) return end;
    this.sawAnyTag = true;
    if (this.text.wanted) this.text.tag(b, name, p);
    const id = tagId(b, name, p - name);
    if (this.templateDepth !== 0) this.openInTemplate(b, name, p, id);
    if (id === 0 && this.special === 0) return b[p] === 62 ? p + 1 : bytes.skipTag(b, this.view, p, end);
    this.nameStart = name;
    this.nameEnd = p;
    const behind = this.collector.attributes.read(b, this.view, p, end);
    if (behind < 0) return end;
    if (this.special === 0) return this.open(b, behind, end, id);
    return (this.special & FOREIGN) !== 0 ? this.openInForeign(b, behind, end, id) : this.openInSelect(b, behind, end, id);
  }

  /**
   * An `a` inside of which one of these elements is left open when the template ends is not forgotten with the template: tree construction
   * opens it again behind it, in the document.
   */
  private openInTemplate(b: Buffer, name: number, end: number, id: number): void {
    if (id === tag.TAG_A) this.anchorOpen = true;
    else if (this.anchorOpen && MARKERS.has(b, name, end)) this.inexact = true;
  }

  /** An HTML start tag; `from` is behind its `>`, as in the methods below. */
  private open(b: Buffer, from: number, end: number, id: number): number {
    if (id > tag.TAG_LAST_COLLECTED) return this.openStructure(b, from, end, id);
    if (id === 0) return from;
    if (this.templateDepth === 0 && (id !== tag.TAG_FRAME || this.framesetSeen)) this.collector.element(id);
    if (id === tag.TAG_IFRAME) return bytes.rawTextEnd(b, this.view, from, end, TAG_NAMES[id]);
    // What stands directly in a table is moved in front of it, and a second base may so become the first.
    if (id === tag.TAG_BASE && this.tableSeen) this.inexact = true;
    return from;
  }

  /** Elements that change how what follows them is read. */
  private openStructure(b: Buffer, from: number, end: number, id: number): number {
    switch (id) {
      case tag.TAG_SCRIPT:
        this.scripts++;
        return bytes.scriptEnd(b, this.view, from, end);
      case tag.TAG_STYLE:
      case tag.TAG_NOEMBED:
      case tag.TAG_NOFRAMES:
        return bytes.rawTextEnd(b, this.view, from, end, TAG_NAMES[id]);
      case tag.TAG_TITLE:
        return this.openTitle(b, from, end);
      case tag.TAG_TEXTAREA:
      case tag.TAG_XMP: {
        const close = bytes.rawTextEnd(b, this.view, from, end, TAG_NAMES[id]);
        this.text.add(b, from, close, id === tag.TAG_XMP);
        return close;
      }
      case tag.TAG_PLAINTEXT:
        this.text.add(b, from, end, true);
        return end;
      default:
        this.enter(b, from, id);
        return from;
    }
  }

  private enter(b: Buffer, from: number, id: number): void {
    if (id === tag.TAG_SVG) this.pushForeign(b, NS_SVG);
    else if (id === tag.TAG_MATH) this.pushForeign(b, NS_MATHML);
    else if (id === tag.TAG_SELECT) this.special |= SELECT;
    else if (id === tag.TAG_TABLE) this.tableSeen = true;
    else if (id === tag.TAG_TEMPLATE) {
      this.templateDepth++;
      this.text.hidden = true;
    } else if (id === tag.TAG_FRAMESET) {
      this.framesetSeen = true;
      this.inexact = true;
    } else if (id === tag.TAG_NOSCRIPT) this.text.openNoscript(from);
  }

  /** The first title counts; its text is part of the fingerprint. */
  private openTitle(b: Buffer, from: number, end: number): number {
    const close = bytes.rawTextEnd(b, this.view, from, end, TAG_NAMES[tag.TAG_TITLE]);
    if (this.templateDepth > 0) return close;
    if (this.tableSeen) this.inexact = true; // As with base: a second title may be moved in front of the first.
    if (this.titleSeen) return close;
    this.titleSeen = true;
    this.titleOpen = close === end;
    this.collector.facts.title = collapse(nodeText(b, from, close, this.encoding));
    this.text.addTitle(b, from, close);
    return close;
  }

  private pushForeign(b: Buffer, namespace: number): void {
    const { attributes } = this.collector;
    if (attributes.selfClosing) return;
    const asHtml =
      namespace === NS_MATHML && attributes.has(ATTR_ENCODING) && MATHML_AS_HTML.test(this.collector.value(ATTR_ENCODING) ?? "");
    if (!this.foreign.push(b, this.nameStart, this.nameEnd, namespace, asHtml)) this.inexact = true;
    this.special |= FOREIGN;
    this.text.hidden ||= this.foreign.hidden;
  }

  private openInForeign(b: Buffer, from: number, end: number, id: number): number {
    const { foreign, collector } = this;
    if (foreign.takesAsHtml(id === tag.TAG_SVG)) {
      this.inexact = true;
      return this.open(b, from, end, id);
    }
    if (this.leavesForeign(b)) {
      this.leaveForeign();
      return this.open(b, from, end, id);
    }
    if (id === tag.TAG_A && foreign.namespace === NS_SVG && this.templateDepth === 0) collector.svgAnchor();
    this.pushForeign(b, foreign.namespace);
    return from;
  }

  private leavesForeign(b: Buffer): boolean {
    if (BREAKOUT.has(b, this.nameStart, this.nameEnd)) return true;
    const { attributes } = this.collector;
    if (!attributes.has(ATTR_COLOR) && !attributes.has(ATTR_FACE) && !attributes.has(ATTR_SIZE)) return false;
    return bytes.equalsName(b, this.nameStart, this.nameEnd, FONT);
  }

  /** All foreign elements are closed by HTML. An integration point would have stayed open. */
  private leaveForeign(): void {
    if (this.foreign.hasIntegrationPoint) this.inexact = true;
    this.foreign.clear();
    this.special &= ~FOREIGN;
    this.text.hidden = this.templateDepth > 0;
  }

  private openInSelect(b: Buffer, from: number, end: number, id: number): number {
    switch (id) {
      case tag.TAG_SCRIPT:
        return this.openStructure(b, from, end, id);
      case tag.TAG_TEMPLATE:
        this.inexact = true;
        return this.open(b, from, end, id);
      case tag.TAG_SELECT:
      case tag.TAG_INPUT:
      case tag.TAG_KEYGEN:
      case tag.TAG_TEXTAREA:
        this.special &= ~SELECT;
        return id === tag.TAG_TEXTAREA ? this.open(b, from, end, id) : from;
      default:
        if (!this.tablePartInSelect(b, this.nameStart, this.nameEnd)) return from;
        return this.open(b, from, end, id);
    }
  }

  /** A part of a table closes a select that stands in one; elsewhere a select ignores it. */
  private tablePartInSelect(b: Buffer, start: number, end: number): boolean {
    if ((!this.tableSeen && this.templateDepth === 0) || !TABLE_PARTS.has(b, start, end)) return false;
    this.inexact = true;
    this.special &= ~SELECT;
    return true;
  }

  private endTag(b: Buffer, name: number, end: number): number {
    const p = bytes.nameEnd(b, this.view, name, end);
    if (p >= end) return end;
    const behind = b[p] === 62 ? p + 1 : bytes.skipTag(b, this.view, p, end);
    if (this.text.wanted) this.text.tag(b, name, p);
    if (p - name === 1 && bytes.LOWER[b[name]] === 97) this.anchorOpen = false;
    if (this.special !== 0) this.closeSpecial(b, name, p);
    else if (p - name === 8) {
      if (bytes.equalsName(b, name, p, TEMPLATE)) this.closeTemplate();
      else if (bytes.equalsName(b, name, p, NOSCRIPT)) this.text.closeNoscript(name - 2);
    }
    return behind;
  }

  private closeSpecial(b: Buffer, name: number, end: number): void {
    const isTemplate = bytes.equalsName(b, name, end, TEMPLATE);
    if ((this.special & SELECT) !== 0) {
      if (isTemplate) this.closeTemplate();
      else if (bytes.equalsName(b, name, end, SELECT_NAME)) this.special &= ~SELECT;
      else this.tablePartInSelect(b, name, end);
      return;
    }
    if (bytes.equalsName(b, name, end, P) || bytes.equalsName(b, name, end, BR)) {
      this.leaveForeign();
    } else if (this.foreign.close(b, name, end)) {
      if (this.foreign.depth === 0) this.leaveForeign();
      else this.text.hidden = this.templateDepth > 0 || this.foreign.hidden;
    } else if (isTemplate) {
      this.closeTemplate();
    } else {
      this.inexact = true; // It may close an HTML element around.
    }
  }

  /** Closes the innermost template and whatever is open in it; without one the tag is ignored. */
  private closeTemplate(): void {
    if (this.templateDepth === 0) return;
    this.foreign.clear();
    this.special = 0;
    this.templateDepth--;
    if (this.templateDepth === 0) this.anchorOpen = false;
    this.text.hidden = this.templateDepth > 0;
  }
}
