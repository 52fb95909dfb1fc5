/** Printable latin1 in quotes, weak or not. A blank inside is not allowed and harmless; a quote would make it a list. */
const ETAG = /^(?:W\/)?"[\x20\x21\x23-\x7e\x80-\xff]*"$/;
const LONGEST = 1_024;

/**
 * The entity tag to send back, byte for byte as received (latin1), or null when the value is none (no quotes, a list, control
 * characters, longer than 1,024): it is dropped, never mended into another tag. Source: RFC 9110 section 8.8.3.
 */
export function usableEtag(value: string | undefined): string | null {
  const tag = value?.trim();
  return tag !== undefined && tag.length <= LONGEST && ETAG.test(tag) ? tag : null;
}
