import { contentType } from "./content-type.ts";

/**
 * What kind of document an answer is, by its declared type:
 *
 * | kind | declared as | weir |
 * |---|---|---|
 * | `html` | `text/html`, `application/xhtml+xml` | page: links, title, text |
 * | `text` | `text/plain`, `text/markdown`, other `text/*` | page without links |
 * | `json` | JSON and `+json` | page without links (later steps extract from it) |
 * | `xml` | XML and `+xml` | by its root: XHTML a page, sitemap or feed a URL list, else a page without links |
 * | `feed` | RSS, Atom, RDF | URL list |
 * | `pdf`, `image`, `other` | PDF; images; audio, video, fonts, archives, styles, scripts, … | not a page: `skipped`, reason `type` |
 * | `unknown` | nothing, nonsense, or a word for "unknown" | read, then `sniffKind` decides |
 */
export type PageKind = "html" | "text" | "xml" | "feed" | "json" | "pdf" | "image" | "other" | "unknown";

const KINDS: ReadonlyMap<string, PageKind> = new Map<string, PageKind>([
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["application/vnd.wap.xhtml+xml", "html"],
  ["text/xml", "xml"],
  ["application/xml", "xml"],
  ["application/rss+xml", "feed"],
  ["application/atom+xml", "feed"],
  ["application/rdf+xml", "feed"],
  ["application/json", "json"],
  ["text/json", "json"],
  ["application/x-ndjson", "json"],
  ["application/pdf", "pdf"],
  ["application/x-pdf", "pdf"],
  ["image/svg+xml", "image"],
  ["text/css", "other"],
  ["text/javascript", "other"],
  ["text/ecmascript", "other"],
  ["text/jscript", "other"],
  ["text/livescript", "other"],
  ["text/x-javascript", "other"],
  ["text/x-ecmascript", "other"],
  ["text/x-component", "other"],
  ["text/vtt", "other"],
  ["text/cache-manifest", "other"],
  ["text/event-stream", "other"],
  // Source of these three: MIME sniffing standard, section 7 ("unknown MIME type").
  ["unknown/unknown", "unknown"],
  ["application/unknown", "unknown"],
  ["*/*", "unknown"],
]);

/** The last field and its kind: a site's pages have one, and it is asked for at the headers and at the body. */
let lastField: string | undefined;
let lastKind: PageKind = "unknown";

/** Kind of a document by its `Content-Type` field, known before the body: what is no page need not be read. */
export function pageKindOf(contentTypeField: string | undefined): PageKind {
  if (contentTypeField === undefined) return "unknown";
  if (contentTypeField !== lastField) {
    lastField = contentTypeField;
    lastKind = kindOf(contentTypeField);
  }
  return lastKind;
}

function kindOf(contentTypeField: string): PageKind {
  const { essence } = contentType(contentTypeField);
  if (essence === null) return "unknown";
  const known = KINDS.get(essence);
  if (known !== undefined) return known;
  if (essence.endsWith("+json")) return "json";
  if (essence.endsWith("+xml")) return "xml";
  if (essence.startsWith("image/")) return "image";
  return essence.startsWith("text/") ? "text" : "other";
}

/** True for kinds whose body is worth reading: it may be a page or a URL list. */
export const isReadable = (kind: PageKind): boolean => kind !== "pdf" && kind !== "image" && kind !== "other";

/** True for kinds stored as pages. `xml` is one unless its root says that it is a URL list; `unknown` is not settled yet. */
export const isPage = (kind: PageKind): boolean => kind === "html" || kind === "text" || kind === "json" || kind === "xml";
