/** Steps from the root of a JSON value: names of members and places in lists (from the end when negative). */
export type JsonPath = readonly (string | number)[];

/** For the text "expected …" of a problem. */
export const JSON_PATH_FORM = "a JSONPath to one value, such as $.status or $.data[0]['final url']";

const STEP = /\.([A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*)|\[(-?\d{1,9})\]|\['((?:[^'\\]|\\['\\])*)'\]|\["((?:[^"\\]|\\["\\])*)"\]/y;

/**
 * Reads the part of JSONPath (RFC 9535) that names exactly one value: `$`, `.name`, `['name']`, `[0]`, `[-1]`.
 * @returns null when the text is not that.
 */
export function parseJsonPath(text: string): JsonPath | null {
  const path = text.trim();
  if (!path.startsWith("$")) return null;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null) return null;
    const quoted = match[3] ?? match[4];
    steps.push(match[2] !== undefined ? Number(match[2]) : quoted !== undefined ? quoted.replace(/\\(.)/g, "$1") : match[1]);
  }
  return steps;
}

/** The value at the path; undefined when there is none. */
export function atJsonPath(path: JsonPath, root: unknown): unknown {
  let here = root;
  for (const step of path) {
    if (typeof step === "number") here = Array.isArray(here) ? here.at(step) : undefined;
    else
      here = typeof here === "object" && here !== null && Object.hasOwn(here, step) ? (here as Record<string, unknown>)[step] : undefined;
  }
  return here;
}
