import { pageKindOf } from "../kernel/page-type.ts";
import { sniffKind } from "../kernel/sniff-kind.ts";
import { decodeAll } from "../stages/parse/charset.ts";
import { HtmlScanner } from "../stages/parse/html-scanner.ts";

/** The optional fields that a kept body still gives. */
export interface KeptFields {
  readonly text: string;
  readonly html: string;
}

/** Reads kept bodies again, one at a time, with the rules by which the crawl read them. */
export class KeptFieldReader {
  readonly #scanner = new HtmlScanner();

  /** @param charset the one that the crawl decoded the page with. */
  read(body: Uint8Array, contentType: string | null, charset: string | null): KeptFields {
    const encoding = charset ?? "utf-8";
    const html = decodeAll(body, encoding);
    const declared = pageKindOf(contentType ?? undefined);
    if (declared !== "html" && sniffKind(body) !== "html") return { text: html, html };
    this.#scanner.scan(body, encoding, { wantText: true });
    const text = this.#scanner.text() ?? "";
    this.#scanner.release();
    return { text, html };
  }
}
