import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** An element while it is open. */
export interface XmlElement {
  /** Local name in lower case: sitemaps and feeds are read leniently. */
  readonly name: string;
  /** Namespace name; "" for none, the prefix itself when nothing declares it. */
  readonly namespace: string;
  readonly parent: XmlElement | null;
  /** By name as written, in lower case (`href`, `xml:base`); empty for most. */
  readonly attributes: ReadonlyMap<string, string>;
}

export interface XmlHandler {
  open(element: XmlElement): void;
  /** Also called for elements that end because an outer one ends, never for those still open at the end of the document. */
  close(element: XmlElement): void;
  /** A piece of character data or CDATA, decoded. */
  text(piece: string): void;
}

/** Deeper elements are counted and otherwise not seen. Sitemaps and feeds need 5. */
const MAX_DEPTH = 64;
/** Longest attribute value kept. */
const MAX_ATTRIBUTE = 8_192;
const MAX_ATTRIBUTES = 64;
/** End tags that do not end the innermost element and are still looked up: 2,000,000 of them took a second. */
const MAX_CROSSED = 10_000;
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

interface Open extends XmlElement {
  /** Qualified name as written, in lower case, to find its end tag. */
  readonly qualified: string;
  /** Prefixes this element declares; null for most. */
  readonly prefixes: ReadonlyMap<string, string> | null;
}

/**
 * Reads XML piece by piece, tolerant and bounded: a bare `&` is text, a missing or crossed end tag ends what it can, the five
 * named entities and character references are decoded, a document type is skipped (nothing it declares is expanded or loaded).
 * On htmlparser2's tokenizer and not on its parser, whose stack costs O(depth) for each tag: 10 MB of `<a>` would take hours.
 */
export class XmlReader implements TokenizerCallbacks {
  readonly #handler: XmlHandler;
  readonly #tokenizer: Tokenizer;
  #stack: Open[] = [];
  #tooDeep = 0;
  #crossed = 0;
  /** The piece being read, where it starts in the document, and the piece before it: tokens may lie across both. */
  #piece = "";
  #pieceStart = 0;
  #before = "";
  #tag = "";
  #attributeName = "";
  #attributeValue = "";
  #attributes: Map<string, string> | null = null;
  #stopped = false;
  #entities = false;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
    this.#tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, this);
  }

  /** Elements are open: at the end of the document it means that the document was cut off. */
  get isOpen(): boolean {
    return this.#stack.length > 0;
  }

  /** The document type declares entities, which are not expanded: text may hold references to them. */
  get declaresEntities(): boolean {
    return this.#entities;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Nothing more is read. */
  stop(): void {
    this.#stopped = true;
    this.#tokenizer.pause();
  }

  write(piece: string): void {
    if (this.#stopped || piece === "") return;
    this.#before = this.#piece;
    this.#pieceStart += this.#piece.length;
    this.#piece = piece;
    this.#tokenizer.write(piece);
  }

  /** Text between two offsets of the document; without what lies more than a piece back, where no token of use begins. */
  #slice(start: number, end: number): string {
    const from = start - this.#pieceStart;
    const to = end - this.#pieceStart;
    if (from >= 0) return this.#piece.slice(from, to);
    const length = this.#before.length;
    return this.#before.slice(Math.max(length + from, 0), length + Math.min(to, 0)) + this.#piece.slice(0, Math.max(to, 0));
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#slice(start, end).toLowerCase();
    this.#attributes = null;
  }

  onattribname(start: number, end: number): void {
    this.#attributeName = this.#slice(start, end).toLowerCase();
    this.#attributeValue = "";
  }

  onattribdata(start: number, end: number): void {
    if (this.#attributeValue.length < MAX_ATTRIBUTE) this.#attributeValue += this.#slice(start, end);
  }

  onattribentity(codepoint: number): void {
    if (this.#attributeValue.length < MAX_ATTRIBUTE) this.#attributeValue += String.fromCodePoint(codepoint);
  }

  onattribend(): void {
    this.#attributes ??= new Map();
    if (this.#attributes.size < MAX_ATTRIBUTES && !this.#attributes.has(this.#attributeName)) {
      this.#attributes.set(this.#attributeName, this.#attributeValue);
    }
  }

  onopentagend(): void {
    if (this.#stack.length >= MAX_DEPTH) {
      this.#tooDeep++;
      return;
    }
    const element = this.#element();
    this.#stack.push(element);
    this.#handler.open(element);
  }

  onselfclosingtag(): void {
    if (this.#stack.length >= MAX_DEPTH) return;
    const element = this.#element();
    this.#handler.open(element);
    if (!this.#stopped) this.#handler.close(element);
  }

  onclosetag(start: number, end: number): void {
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return;
    }
    const at = this.#indexOf(this.#slice(start, end).toLowerCase());
    while (at >= 0 && this.#stack.length > at && !this.#stopped) {
      const element = this.#stack.pop();
      if (element !== undefined) this.#handler.close(element);
    }
  }

  /** Where the element of an end tag is on the stack, or -1. Nearly always on top; looking further is given up in a hopeless document. */
  #indexOf(qualified: string): number {
    const top = this.#stack.length - 1;
    if (this.#stack[top]?.qualified === qualified) return top;
    if (this.#crossed >= MAX_CROSSED) return -1;
    this.#crossed++;
    return this.#stack.findLastIndex((element) => element.qualified === qualified);
  }

  ontext(start: number, end: number): void {
    this.#handler.text(this.#slice(start, end));
  }

  ontextentity(codepoint: number): void {
    this.#handler.text(String.fromCodePoint(codepoint));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.#handler.text(this.#slice(start, end - endOffset));
  }

  ondeclaration(start: number, end: number): void {
    if (/!ENTITY\s/i.test(this.#slice(start, end))) this.#entities = true;
  }

  oncomment(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #element(): Open {
    const attributes = this.#attributes ?? NO_ATTRIBUTES;
    const parent = this.#stack.at(-1) ?? null;
    const colon = this.#tag.indexOf(":");
    const prefix = colon < 0 ? "" : this.#tag.slice(0, colon);
    const prefixes = declaredPrefixes(attributes);
    const namespace = prefixes?.get(prefix) ?? this.#namespaceOf(prefix);
    return { name: this.#tag.slice(colon + 1), namespace, parent, attributes, qualified: this.#tag, prefixes };
  }

  #namespaceOf(prefix: string): string {
    for (let at = this.#stack.length - 1; at >= 0; at--) {
      const declared = this.#stack[at]?.prefixes?.get(prefix);
      if (declared !== undefined) return declared;
    }
    return prefix;
  }
}

function declaredPrefixes(attributes: ReadonlyMap<string, string>): ReadonlyMap<string, string> | null {
  let prefixes: Map<string, string> | null = null;
  for (const [name, value] of attributes) {
    if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
    prefixes ??= new Map();
    prefixes.set(name.slice(6), value.trim());
  }
  return prefixes;
}
