/** Which rule of `trapReason` a URL broke; shown in reports. */
export type TrapRule = "path-depth" | "path-repeat" | "query-repeat" | "query-long";

/**
 * Segments of a path. Deep documentation trees reach 15; Heritrix cuts at 20 (`TooManyPathSegmentsDecideRule`). A guess between
 * what exists and what a growing path needs.
 */
const SEGMENTS_MOST = 32;
/** Copies of one segment in a path, wherever they stand. Heritrix cuts at more than 2 in a row (`PathologicalPathDecideRule`). */
const COPIES_MOST = 3;
/**
 * Segments that have stood in the path before, all together. Bounds paths that mix several names: a page under `/t/` that links to
 * `a/` and `b/` for ever yields 68 URLs and not 2^32. Generated documentation (`/org/x/api/org/x/`) reaches 3.
 */
const ECHOES_MOST = 4;
/** Copies of one `name=value`. */
const PAIR_COPIES_MOST = 2;
/** Values of one parameter; names that end with `[]` are lists, for which this many are usual. */
const VALUES_MOST = 16;
/** Characters of a query. Longer ones carry state: the limit of old browsers for a whole URL was 2,083. */
const QUERY_MOST = 2048;

/**
 * Recognises endless URL spaces by the shape of one canonical URL. Cheap, but not for every link: only for URLs met for the first
 * time. Whatever it lets through, `TrapGuard` bounds by what the pages turn out to hold.
 * @returns the rule broken, or null.
 */
export function trapReason(url: string): TrapRule | null {
  const start = url.indexOf("/", "https://".length);
  const query = url.indexOf("?", start);
  return trapOfPath(url.slice(start, query === -1 ? url.length : query)) ?? (query === -1 ? null : trapOfQuery(url.slice(query + 1)));
}

function trapOfPath(path: string): TrapRule | null {
  // No rule reaches a path of so few segments without parameters: four copies of one are needed.
  if (slashesIn(path) <= COPIES_MOST && !path.includes(";")) return null;
  const segments = segmentsOf(path);
  if (segments.length > SEGMENTS_MOST) return "path-depth";
  // A session id that is added to the path again and again; one alone is usual.
  if (path.indexOf(";jsessionid=") !== path.lastIndexOf(";jsessionid=")) return "path-repeat";
  if (echoesOf(segments) > ECHOES_MOST || mostCopies(segments) > COPIES_MOST) return "path-repeat";
  // `/a/b/a/b/a/b`: no name more than three times, and yet a path that feeds itself.
  for (let i = 0; i + 6 <= segments.length; i++) {
    const [a, b] = [segments[i], segments[i + 1]];
    if (a === segments[i + 2] && a === segments[i + 4] && b === segments[i + 3] && b === segments[i + 5]) return "path-repeat";
  }
  return null;
}

function trapOfQuery(query: string): TrapRule | null {
  if (query.length > QUERY_MOST) return "query-long";
  const pairs = query.split("&").filter((pair) => pair !== "");
  if (mostCopies(pairs) > PAIR_COPIES_MOST) return "query-repeat";
  const names = pairs.map((pair) => pair.split("=", 1)[0]).filter((name) => !/(?:\[\]|%5B%5D)$/.test(name));
  return mostCopies(names) > VALUES_MOST ? "query-repeat" : null;
}

/** Slashes of a path: at least as many as it has segments. */
export function slashesIn(path: string): number {
  let count = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) count++;
  return count;
}

/** Segments of a path, without the empty one behind a slash at the end. */
export function segmentsOf(path: string): readonly string[] {
  const segments = path.slice(1).split("/");
  if (segments.at(-1) === "") segments.pop();
  return segments;
}

/** How many segments have stood in the path before. */
export function echoesOf(segments: readonly string[]): number {
  return segments.length - new Set(segments).size;
}

function mostCopies(words: readonly string[]): number {
  const counts = new Map<string, number>();
  let most = 0;
  for (const word of words) {
    const count = (counts.get(word) ?? 0) + 1;
    counts.set(word, count);
    if (count > most) most = count;
  }
  return most;
}
