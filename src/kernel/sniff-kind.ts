/**
 * Kind of a body whose declared type says nothing, or too little. A smaller relative of the WHATWG MIME sniffing standard,
 * section 7.1: the same signatures, but text behind a byte order mark is looked at too, and XML is told by its root.
 */
export type SniffedKind = "empty" | "html" | "xml" | "feed" | "text" | "json" | "pdf" | "image" | "gzip" | "binary";

/** Bytes looked at: as much as the standard's resource header is guaranteed to need. */
const HEAD = 512;

const HTML_TAG = /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ \t\r\n\f>]/i;
const XML_PROLOG = /^(?:<\?[^>]*>|<!--[\s\S]*?-->|<!doctype[^>[]*(?:\[[^\]]*\]\s*)?>|\s)+/i;
const XML_ROOT = /^<(?:[\w.-]+:)?([\w.-]+)[\s/>]/;
const ROOTS: ReadonlyMap<string, SniffedKind> = new Map<string, SniffedKind>([
  ["html", "html"],
  ["rss", "feed"],
  ["feed", "feed"],
  ["rdf", "feed"],
  ["svg", "image"],
]);

/** Signatures by which binary formats begin, as text of one character a byte. */
const MAGIC: readonly (readonly [string, SniffedKind])[] = [
  ["%PDF-", "pdf"],
  ["\x1f\x8b", "gzip"],
  ["\x89PNG\r\n\x1a\n", "image"],
  ["\xff\xd8\xff", "image"],
  ["GIF87a", "image"],
  ["GIF89a", "image"],
  ["BM", "image"],
  ["\x00\x00\x01\x00", "image"],
  ["\x00\x00\x02\x00", "image"],
];

const isWhite = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
/** Source: MIME sniffing standard, "binary data byte". */
const isBinary = (code: number): boolean =>
  code <= 0x08 || code === 0x0b || (code >= 0x0e && code <= 0x1a) || (code >= 0x1c && code <= 0x1f);

/** Looks at the first 512 bytes of a body. Never throws. */
export function sniffKind(body: Uint8Array): SniffedKind {
  const head = String.fromCharCode(...body.subarray(0, HEAD));
  if (head === "") return "empty";
  for (const [magic, kind] of MAGIC) if (head.startsWith(magic) && (magic !== "BM" || hasBinary(head))) return kind;
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8)) return "image";
  const marked = behindMark(head);
  const text = marked ?? head;
  let at = 0;
  while (at < text.length && isWhite(text.charCodeAt(at))) at++;
  const start = text.slice(at);
  if (HTML_TAG.test(start)) return "html";
  if (start.startsWith("<?xml") || start.startsWith("<!--") || /^<!doctype/i.test(start)) return rootKind(start);
  if (/^<(?:urlset|sitemapindex)[\s>]/.test(start)) return "xml";
  const root = rootKind(start);
  if (root === "feed" || root === "image") return root;
  if (marked === null && hasBinary(head)) return "binary";
  return /^(?:\{\s*(?:"|\}|$)|\[\s*(?:[[{"\]\d-]|$))/.test(start) ? "json" : "text";
}

function hasBinary(head: string): boolean {
  for (let at = 0; at < head.length; at++) if (isBinary(head.charCodeAt(at))) return true;
  return false;
}

/** The text behind a byte order mark, UTF-16 reduced to its low bytes (enough for the ASCII of signatures); null without a mark. */
function behindMark(head: string): string | null {
  if (head.startsWith("\xef\xbb\xbf")) return head.slice(3);
  const little = head.startsWith("\xff\xfe");
  if (!little && !head.startsWith("\xfe\xff")) return null;
  let text = "";
  for (let at = little ? 2 : 3; at < head.length; at += 2) text += head[at];
  return text;
}

/** By the first element behind prolog, comments and document type. A comment with nothing known behind it is HTML, as in the standard. */
function rootKind(start: string): SniffedKind {
  const root = XML_ROOT.exec(start.replace(XML_PROLOG, ""))?.[1]?.toLowerCase();
  const kind = root === undefined ? undefined : ROOTS.get(root);
  if (kind !== undefined) return kind;
  if (start.startsWith("<?xml")) return "xml";
  if (root === "urlset" || root === "sitemapindex") return "xml";
  return "html";
}
