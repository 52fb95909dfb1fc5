/**
 * The target of a `meta http-equiv=refresh` or of a `Refresh` header field.
 */

export interface Refresh {
  /** Whole seconds until the page is left. */
  readonly seconds: number;
  /** The URL as written. */
  readonly url: string;
}

const FORM = /^[\t\n\f\r ]*(\d*)(?:\.[\d.]*)?/;
const URL_PART = /^(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ])[\t\n\f\r ]*/;
const URL_EQUALS = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i;

/**
 * Reads a refresh instruction; null where it is none, or one that only reloads the page itself.
 * Source: HTML, "shared declarative refresh steps".
 */
export function parseRefresh(content: string): Refresh | null {
  const time = FORM.exec(content);
  if (time === null || !/[\d.]/.test(time[0])) return null;
  let rest = content.slice(time[0].length);
  const separator = URL_PART.exec(rest);
  if (separator === null) return null;
  rest = rest.slice(separator[0].length);
  if (rest === "") return null;
  const named = URL_EQUALS.exec(rest);
  if (named !== null) rest = rest.slice(named[0].length);
  const quote = rest[0];
  if (quote === '"' || quote === "'") {
    const close = rest.indexOf(quote, 1);
    rest = close < 0 ? rest.slice(1) : rest.slice(1, close);
  }
  const url = rest.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "");
  return url === "" ? null : { seconds: Math.min(Number(time[1] === "" ? "0" : time[1]), Number.MAX_SAFE_INTEGER), url };
}
