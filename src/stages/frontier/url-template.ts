import { echoesOf, segmentsOf, slashesIn } from "./traps.ts";

/** Template of all paths that repeat themselves. Canonical paths hold no `{`, so no real one reads so. */
export const ECHO_TEMPLATE = "{echo}";

/** Templates are keys of a bounded table: a longer one is cut. */
const TEMPLATE_MOST = 200;
/** Repeated segments from which on a path counts as an echo: one is usual (`/en/blog/en/`). */
const ECHOES_FROM = 2;

const SESSION_ID = /;(?:jsessionid|phpsessid|aspsessionid|sid)=[^/;]*/gi;
/** A session id as a segment of its own (ASP.NET without cookies). */
const SESSION_SEGMENT = /\/\(S\([0-9a-z]{8,}\)\)/gi;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** At least eight hex digits, digits and letters among them, as a word of its own. */
const HEX_WORD = /(?<![0-9a-z])(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}(?![0-9a-z])/gi;
/** Any word of hex digits that the two above could match. */
const HEX_RUN = /[0-9a-f]{8}/i;
const DIGITS = /[0-9]+/g;

/**
 * What URLs made by one program have in common: the path with numbers, hex words and session ids taken out, and the names of the
 * parameters, sorted and once each, without their values. A calendar is one template, and so are all orders in which a shop adds
 * its filters. Paths that repeat segments share one template whatever they are called, as each would be one of its own.
 */
export function templateOf(url: string): string {
  const start = url.indexOf("/", "https://".length);
  const query = url.indexOf("?", start);
  const path = url.slice(start, query === -1 ? url.length : query);
  // Most paths are short and plain: each rule is asked only of those that could match it.
  if (slashesIn(path) > ECHOES_FROM && echoesOf(segmentsOf(path)) >= ECHOES_FROM) return ECHO_TEMPLATE;
  let shape = path.includes(";") ? path.replace(SESSION_ID, "") : path;
  if (shape.includes("/(")) shape = shape.replace(SESSION_SEGMENT, "");
  if (HEX_RUN.test(shape)) shape = shape.replace(UUID, "{hex}").replace(HEX_WORD, "{hex}");
  shape = shape.replace(DIGITS, "{n}");
  return (query === -1 ? shape : `${shape}?${namesOf(url.slice(query + 1))}`).slice(0, TEMPLATE_MOST);
}

function namesOf(query: string): string {
  const names = query.split("&").map((pair) => pair.split("=", 1)[0].replace(DIGITS, "{n}"));
  return [...new Set(names)].sort().join("&");
}
