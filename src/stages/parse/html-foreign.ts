/**
 * The open SVG and MathML elements of a page, as far as the scan follows them.
 */
import { ascii, equalsName, LOWER } from "./html-bytes.ts";

export const NS_SVG = 1;
export const NS_MATHML = 2;

/** Not an integration point: start tags inside are foreign. */
const PLAIN = 0;
/** Start tags inside are HTML. */
const HTML_INSIDE = 1;
/** `annotation-xml` without an HTML encoding: only `svg` inside is HTML. */
const ANNOTATION = 2;

/** Deeper than this nothing is pushed and the scan calls itself inexact. */
const DEEPEST = 256;

const names = (text: string): readonly Uint8Array[] => text.split(" ").map(ascii);
const SVG_POINTS = names("foreignobject desc title");
const MATHML_POINTS = names("mi mo mn ms mtext");
const ANNOTATION_XML = ascii("annotation-xml");
const HIDDEN = names("script style");
const isOneOf = (b: Uint8Array, start: number, end: number, list: readonly Uint8Array[]): boolean =>
  list.some((name) => equalsName(b, start, end, name));

/**
 * A stack of foreign elements, outermost first. It holds no HTML element: where one opens inside an integration point, or an end tag
 * reaches past the outermost foreign element, tree construction needs the whole document's stack, and the scan marks itself inexact.
 */
export class ForeignStack {
  depth = 0;
  private readonly start = new Int32Array(DEEPEST);
  private readonly end = new Int32Array(DEEPEST);
  private readonly space = new Uint8Array(DEEPEST);
  private readonly kind = new Uint8Array(DEEPEST);
  /** How many integration points, and how many svg `style` and `script`, are open. */
  private points = 0;
  private hiding = 0;
  private readonly hides = new Uint8Array(DEEPEST);

  clear(): void {
    this.depth = 0;
    this.points = 0;
    this.hiding = 0;
  }

  get namespace(): number {
    return this.space[this.depth - 1];
  }

  /** Text inside is code, not visible text. */
  get hidden(): boolean {
    return this.hiding > 0;
  }

  get hasIntegrationPoint(): boolean {
    return this.points > 0;
  }

  /** The innermost element takes a start tag of this name as HTML. */
  takesAsHtml(isSvg: boolean): boolean {
    const kind = this.kind[this.depth - 1];
    return kind === HTML_INSIDE || (kind === ANNOTATION && isSvg);
  }

  /** @param htmlEncoding the tag has an `encoding` that makes an annotation HTML. @returns false when too deep: not pushed. */
  push(b: Uint8Array, start: number, end: number, namespace: number, htmlEncoding: boolean): boolean {
    const n = this.depth;
    if (n === DEEPEST) return false;
    this.start[n] = start;
    this.end[n] = end;
    this.space[n] = namespace;
    this.kind[n] = kindOf(b, start, end, namespace, htmlEncoding);
    this.hides[n] = isOneOf(b, start, end, HIDDEN) ? 1 : 0;
    if (this.kind[n] === HTML_INSIDE) this.points++;
    this.hiding += this.hides[n];
    this.depth = n + 1;
    return true;
  }

  /** Closes the innermost element of that name and all inside it. @returns false when none is open. */
  close(b: Uint8Array, start: number, end: number): boolean {
    let n = this.depth - 1;
    while (n >= 0 && !this.isNamed(b, n, start, end)) n--;
    if (n < 0) return false;
    while (this.depth > n) {
      const top = --this.depth;
      if (this.kind[top] === HTML_INSIDE) this.points--;
      this.hiding -= this.hides[top];
    }
    return true;
  }

  private isNamed(b: Uint8Array, n: number, start: number, end: number): boolean {
    const from = this.start[n];
    if (this.end[n] - from !== end - start) return false;
    for (let k = 0; k < end - start; k++) if (LOWER[b[from + k]] !== LOWER[b[start + k]]) return false;
    return true;
  }
}

function kindOf(b: Uint8Array, start: number, end: number, namespace: number, htmlEncoding: boolean): number {
  if (namespace === NS_SVG) return isOneOf(b, start, end, SVG_POINTS) ? HTML_INSIDE : PLAIN;
  if (isOneOf(b, start, end, MATHML_POINTS)) return HTML_INSIDE;
  if (!equalsName(b, start, end, ANNOTATION_XML)) return PLAIN;
  return htmlEncoding ? HTML_INSIDE : ANNOTATION;
}
