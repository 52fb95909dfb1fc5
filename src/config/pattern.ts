import { URLPattern } from "urlpattern-polyfill/urlpattern";

/**
 * Checks an include or exclude before anything is opened, so that a wrong one is told together with the other problems. What the
 * forms mean, and the matching, is `stages/frontier/url-pattern.ts`, which accepts no less than this.
 * @returns what is wrong with it, or null when it can be used.
 */
export function patternProblem(text: string): string | null {
  if (text !== text.trim()) return "a pattern without blanks around it";
  const onPath = text.startsWith("/");
  // What begins with `*` (and not with `*:`) is matched as plain text with gaps: nothing can be wrong with it.
  if (/^\*(?!:)/.test(text)) return null;
  if (!onPath && !/^(?:https?:\/\/[^/]|http\{s\}\?:\/\/|\*:\/\/)/i.test(text))
    return "a pattern that begins with http://, https://, / or *";
  // Without `*`, a `:group` or `{` it is a prefix. A port (`:8080`) is no group.
  if (!/[*{]|:[A-Za-z_]/.test(text)) return null;
  try {
    const query = text.includes("(") ? text : text.replaceAll("*?", "*\\?");
    new URLPattern(onPath ? `http{s}?://*:*${query}` : query);
    return null;
  } catch {
    return "a URLPattern on the whole URL or on a path, such as https://*.example.com/shop/* or /p/:id";
  }
}
