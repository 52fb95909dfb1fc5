import { type Document, DomHandler } from "domhandler";
import { Parser } from "htmlparser2";

/** Elements deeper than this stand flat at this depth, so that nothing that walks the tree ends the stack. Source: architecture.md. */
export const DOM_DEPTH_MOST = 512;

/** Builds a tree whose depth is bounded, however the page nests: beyond the bound each element ends where the next begins. */
class FlatHandler extends DomHandler {
  #depth = 0;
  /** An element beyond the bound is open. */
  #flat = false;

  override onopentag(name: string, attributes: Record<string, string>): void {
    this.#endFlat();
    super.onopentag(name, attributes);
    this.#flat = ++this.#depth > DOM_DEPTH_MOST;
  }

  override onclosetag(): void {
    if (this.#flat) this.#endFlat();
    else if (this.#depth <= DOM_DEPTH_MOST) super.onclosetag();
    this.#depth--;
  }

  #endFlat(): void {
    if (this.#flat) super.onclosetag();
    this.#flat = false;
  }
}

/** The tree of a page. Tolerant as htmlparser2 is: it is for finding what a selector names, not for the standard's letter. */
export function documentOf(html: string, xml: boolean): Document {
  const handler = new FlatHandler();
  new Parser(handler, { xmlMode: xml, decodeEntities: true }).end(html);
  return handler.root;
}
