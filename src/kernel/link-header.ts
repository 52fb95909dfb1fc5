/** One link of a `Link` header field. */
export interface LinkValue {
  /** As written between `<` and `>`: to be resolved against the page's URL. */
  readonly target: string;
  /** Relation types in lower case. */
  readonly rels: readonly string[];
  /** Other parameters, names in lower case, first value of each. An `anchor` means the link is about another resource. */
  readonly params: ReadonlyMap<string, string>;
}

/** Most links read of one page's fields; pages preload dozens. Source: guess. */
const MAX_LINKS = 200;

/**
 * Reads `Link` header fields. Source: RFC 8288 section 3.
 * Commas and semicolons inside `<>` and quotes belong there; of a repeated `rel` the first counts; what is no link is
 * skipped to the next comma.
 */
export function linkHeader(values: readonly string[]): readonly LinkValue[] {
  const links: LinkValue[] = [];
  for (const value of values) {
    let at = 0;
    while (at < value.length && links.length < MAX_LINKS) {
      const end = endOfPart(value, at, ",");
      const link = linkOf(value.slice(at, end).trim());
      if (link !== null) links.push(link);
      at = end + 1;
    }
  }
  return links;
}

/** Target of the first link that says what this page's canonical URL is, as written; null when none does. */
export function canonicalTarget(values: readonly string[]): string | null {
  const link = linkHeader(values).find(({ rels, params }) => rels.includes("canonical") && !params.has("anchor"));
  return link?.target ?? null;
}

/** Index of the next `separator` outside `<>` and quotes, or the end. */
function endOfPart(value: string, from: number, separator: string): number {
  let closing = "";
  for (let at = from; at < value.length; at++) {
    const character = value[at];
    if (closing !== "") {
      if (character === "\\" && closing === '"') at++;
      else if (character === closing) closing = "";
    } else if (character === separator) return at;
    else if (character === '"') closing = '"';
    else if (character === "<") closing = ">";
  }
  return value.length;
}

function linkOf(text: string): LinkValue | null {
  const close = text.indexOf(">");
  if (text[0] !== "<" || close < 0) return null;
  const params = new Map<string, string>();
  let at = endOfPart(text, close + 1, ";") + 1;
  while (at < text.length) {
    const end = endOfPart(text, at, ";");
    const [name, value] = paramOf(text.slice(at, end));
    if (name !== "" && !params.has(name)) params.set(name, value);
    at = end + 1;
  }
  const rels = (params.get("rel") ?? "").toLowerCase().split(/\s+/);
  params.delete("rel");
  return { target: text.slice(1, close).trim(), rels: rels.filter((rel) => rel !== ""), params };
}

function paramOf(text: string): readonly [name: string, value: string] {
  const equals = text.indexOf("=");
  if (equals < 0) return [text.trim().toLowerCase(), ""];
  const value = text.slice(equals + 1).trim();
  const quoted = /^"((?:[^"\\]|\\.)*)"?/.exec(value)?.[1];
  return [text.slice(0, equals).trim().toLowerCase(), quoted === undefined ? value : quoted.replace(/\\(.)/g, "$1")];
}
