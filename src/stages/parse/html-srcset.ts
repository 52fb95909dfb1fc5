/**
 * URLs of a `srcset` attribute. Source: HTML, "parse a srcset attribute"; descriptors are stepped over, not judged, except that an
 * image candidate with an unusable descriptor still names a URL.
 */

const isSpace = (c: number): boolean => c === 32 || (c >= 9 && c <= 13 && c !== 11);

/** Calls `found` with the start and end, in characters, of each candidate's URL. */
export function srcsetUrls(value: string, found: (start: number, end: number) => void): void {
  const end = value.length;
  let p = 0;
  for (;;) {
    while (p < end && (isSpace(value.charCodeAt(p)) || value.charCodeAt(p) === 44)) p++;
    if (p >= end) return;
    const url = p;
    while (p < end && !isSpace(value.charCodeAt(p))) p++;
    let urlEnd = p;
    while (urlEnd > url && value.charCodeAt(urlEnd - 1) === 44) urlEnd--;
    found(url, urlEnd);
    // Commas at the end of the URL end its candidate; without one, descriptors follow up to a comma outside parentheses.
    if (urlEnd === p) p = descriptorsEnd(value, p, end);
  }
}

function descriptorsEnd(value: string, from: number, end: number): number {
  let inside = false;
  for (let p = from; p < end; p++) {
    const c = value.charCodeAt(p);
    if (inside) inside = c !== 41;
    else if (c === 44) return p + 1;
    else if (c === 40) inside = true;
  }
  return end;
}
