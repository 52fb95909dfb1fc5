/**
 * The characters of an XML or plain text document of unknown encoding, in pieces.
 */

/** Bytes decoded at a time: the text of a document never exists as a whole. */
const PIECE = 65_536;
const DECLARATION = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/**
 * Encoding by byte order mark, then `charset` of the Content-Type, then the form of the first bytes (UTF-16 without a mark),
 * then the XML declaration, else UTF-8. Source: RFC 7303 section 3, XML 1.0 appendix F.
 * @returns a label that `TextDecoder` knows
 */
export function xmlEncoding(bytes: Uint8Array, headerCharset: string | null): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (headerCharset !== null && isEncoding(headerCharset)) return headerCharset;
  if (first === 0x3c && second === 0) return "utf-16le";
  if (first === 0 && second === 0x3c) return "utf-16be";
  const declared = DECLARATION.exec(String.fromCharCode(...bytes.subarray(0, 256)))?.[1];
  // A declaration that could be read byte by byte is not in UTF-16, whatever it says.
  return declared === undefined || /^utf-?16/i.test(declared) || !isEncoding(declared) ? "utf-8" : declared;
}

function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false; // RangeError: no such encoding
  }
}

/** Decodes `bytes` piece by piece. Wrong sequences become U+FFFD; a byte order mark is left out. */
export function* textPieces(bytes: Uint8Array, encoding: string): Generator<string> {
  const decoder = new TextDecoder(encoding);
  for (let from = 0; from < bytes.length; from += PIECE) {
    const end = from + PIECE;
    yield decoder.decode(bytes.subarray(from, end), { stream: end < bytes.length });
  }
}
