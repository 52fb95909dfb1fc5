/** Levels of nesting that are written. What goes deeper is no record, and would end the stack. */
const DEPTH_MOST = 100;

/**
 * The one text of a JSON value: names in the order of their UTF-16 units, no blanks, numbers and strings as ECMAScript writes
 * them. Two values are equal exactly when their texts are. A member that is `undefined` is left out, as JSON does.
 * Source: RFC 8785.
 * @throws TypeError for what is no JSON: NaN, infinities, functions, lone surrogates, nesting beyond 100 levels.
 */
export function canonicalJson(value: unknown): string {
  return written(value, 0);
}

function written(value: unknown, depth: number): string {
  if (depth > DEPTH_MOST) throw new TypeError(`A record is nested at most ${DEPTH_MOST} levels deep`);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is no JSON number`);
    return JSON.stringify(value);
  }
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => written(item, depth + 1)).join(",")}]`;
  if (typeof value === "object" && isPlain(value)) return members(value, depth);
  throw new TypeError(
    `${typeof value === "object" ? "An object of a class (a Date, a Map)" : `A value of type ${typeof value}`} is no JSON`,
  );
}

/** Made by a literal, by JSON, or without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function members(value: object, depth: number): string {
  const parts: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const member: unknown = Reflect.get(value, name);
    if (member !== undefined) parts.push(`${text(name)}:${written(member, depth + 1)}`);
  }
  return `{${parts.join(",")}}`;
}

/** With the `u` flag a surrogate only matches where its other half is missing. */
function text(value: string): string {
  if (/[\ud800-\udfff]/u.test(value)) throw new TypeError("A text with half a character (a lone surrogate) is no JSON");
  return JSON.stringify(value);
}
