/**
 * Elements of a page by full tree construction, for the few pages whose markup the scan cannot follow (see `HtmlScanner`).
 * Scripting is off, as in the scan. parse5 is some thirty times slower and holds a tree, so its work is bounded; beyond the bound the
 * scan's approximation stands.
 */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parse, type TreeAdapter } from "parse5";

export type DomElement = DefaultTreeAdapterTypes.Element;

/** Bytes of a page worth a tree: about 25 ms of work, 0.2 s for the worst page found by trying (end tags under 300 open SVG elements). */
export const EXACT_BYTES = 524_288;
/** Elements and comments; bounds memory to some 10 MB, and work where formatting elements multiply. */
const MOST_NODES = 30_000;
/** Open elements at once; walks over them are what makes hostile pages slow. */
const DEEPEST = 512;

class TooMuch extends Error {}

/** The HTML elements of the document and the SVG `a` elements, in document order. Contents of a template are not in the document. */
export type ElementVisitor = (element: DomElement, isSvg: boolean) => void;

/** @returns false, having visited nothing, when the page is beyond the bounds. */
export function visitDocument(text: string, visit: ElementVisitor): boolean {
  let document: DefaultTreeAdapterTypes.Document;
  try {
    document = parse(text, { scriptingEnabled: false, treeAdapter: boundedAdapter() });
  } catch (error) {
    if (error instanceof TooMuch) return false;
    throw error;
  }
  const pending: DefaultTreeAdapterTypes.Node[] = [document];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (defaultTreeAdapter.isElementNode(node)) {
      const isSvg = node.namespaceURI === html.NS.SVG;
      if (isSvg ? node.tagName === "a" : node.namespaceURI === html.NS.HTML) visit(node, isSvg);
    }
    if ("childNodes" in node) for (let k = node.childNodes.length - 1; k >= 0; k--) pending.push(node.childNodes[k]);
  }
  return true;
}

/** The text inside a `title`. */
export function childText(element: DomElement): string {
  return element.childNodes.map((child) => (defaultTreeAdapter.isTextNode(child) ? child.value : "")).join("");
}

/** The usual tree, bounded, and without the text nobody asks for. */
function boundedAdapter(): TreeAdapter<DefaultTreeAdapterTypes.DefaultTreeAdapterMap> {
  let nodes = 0;
  let depth = 0;
  const count = (): void => {
    if (++nodes > MOST_NODES) throw new TooMuch();
  };
  return {
    ...defaultTreeAdapter,
    createElement(...args) {
      count();
      return defaultTreeAdapter.createElement(...args);
    },
    createCommentNode(data) {
      count();
      return defaultTreeAdapter.createCommentNode(data);
    },
    insertText(parent, text) {
      if (parent.nodeName === "title") defaultTreeAdapter.insertText(parent, text);
    },
    insertTextBefore() {},
    insertBefore(parent, node, reference) {
      // What is moved out of a table goes in front of it, and the table is last so far: searched from the end, this is not quadratic.
      parent.childNodes.splice(parent.childNodes.lastIndexOf(reference), 0, node);
      node.parentNode = parent;
    },
    onItemPush() {
      if (++depth > DEEPEST) throw new TooMuch();
    },
    onItemPop() {
      depth--;
    },
  };
}
