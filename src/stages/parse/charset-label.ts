/**
 * From a charset label to the encoding's name.
 */

/** Labels of encodings that Node's decoder does not know or refuses. Source: Encoding standard, names and labels. */
const REST: Readonly<Record<string, string>> = {
  "x-user-defined": "x-user-defined",
  "iso-8859-16": "iso-8859-16",
  replacement: "replacement",
  csiso2022kr: "replacement",
  "hz-gb-2312": "replacement",
  "iso-2022-cn": "replacement",
  "iso-2022-cn-ext": "replacement",
  "iso-2022-kr": "replacement",
};

/** Bound on remembered labels; real pages use a few dozen. */
const MOST_KNOWN = 256;
const known = new Map<string, string | null>();

/** The lower-case name of the encoding a label stands for ("latin1" is "windows-1252"), or null for no encoding. */
export function charsetLabel(label: string): string | null {
  const key = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "").toLowerCase();
  if (key === "utf-8") return key;
  const found = known.get(key);
  if (found !== undefined) return found;
  const name = Object.hasOwn(REST, key) ? REST[key] : platformName(key);
  if (known.size < MOST_KNOWN && key.length <= 40) known.set(key, name);
  return name;
}

function platformName(label: string): string | null {
  try {
    return new TextDecoder(label).encoding.toLowerCase();
  } catch {
    return null;
  }
}
