const CONSONANTS = "bcdfghklmnprstvz";
const VOWELS = "aeio";

/** A number below 2^32 as a word of letters, each number another: numbers would not make a text another text. */
function wordOf(n: number): string {
  // Odd multiplier: a permutation of the 32-bit numbers, so that neighbours do not look alike.
  let rest = Math.imul(n, 0x9e3779b1) >>> 0;
  let word = "";
  for (let i = 0; i < 6; i++) {
    word += CONSONANTS[rest & 15] + VOWELS[(rest >>> 4) & 3];
    rest >>>= 6;
  }
  return word;
}

/**
 * Page `n` of a site: a few lines of honest HTML, with a main text of its own, that link to the pages `from` to `to - 1`.
 * What a page weighs is said beside it (`FetchResult.weighs`): an hour of crawling must not make gigabytes of text.
 */
export function syntheticPage(host: string, n: number, from: number, to: number): string {
  const word = wordOf(n);
  let links = "";
  for (let link = from; link < to; link++) links += `<a href="/p/${link}">${wordOf(link)}</a> `;
  return `<!doctype html><html><head><title>${word} of ${host}</title></head><body><main><h1>${word}</h1><p>The story of ${word} begins at ${host}, where ${word} meets the river, and it ends with ${word} on the other side.</p></main><nav>${links}</nav></body></html>`;
}

/** Number of the page at a path; 0 is the front page; -1 when there is none. */
export function pageNumber(path: string): number {
  if (path === "/") return 0;
  return path.startsWith("/p/") ? Number(path.slice(3)) : -1;
}

/** What a protected site shows instead of its page. */
export const CHALLENGE_PAGE =
  '<!doctype html><html><head><title>Just a moment...</title></head><body><div id="challenge-running"></div><noscript>Enable JavaScript and cookies to continue</noscript><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script></body></html>';
