import { URLPattern } from "urlpattern-polyfill/urlpattern";

/** With `*`, a `:group` or `{` an include or exclude is a URLPattern; else it is a prefix. A port (`:8080`) is no group. */
export function isUrlPattern(text: string): boolean {
  return /[*{]|:[A-Za-z_]/.test(text);
}

/** @returns what is wrong with an include or exclude, or null when it can be used. */
export function patternProblem(text: string): string | null {
  if (text.trim() === "" || text !== text.trim()) return "a prefix of a URL or path, or a URLPattern, without blanks around it";
  if (!isUrlPattern(text)) {
    const usable = text.startsWith("/") || /^https?:\/\/[^/]/i.test(text);
    return usable ? null : "a prefix that begins with / or with http:// or https://, or a URLPattern (with *, :group or {)";
  }
  try {
    if (text.startsWith("/")) new URLPattern({ pathname: text });
    else new URLPattern(text);
    return null;
  } catch {
    return "a URLPattern on the whole URL, such as https://*.example.com/shop/*";
  }
}
