/**
 * Whether a page without text looks like one that a script would fill: an application's empty mount point, or a request to turn
 * JavaScript on. Looked at only for pages that have scripts and nearly no text, so it may be slow and lenient.
 */

/** Visible bytes outside `noscript` from which on a page counts as content. */
export const THIN_TEXT_BYTES = 50;
/** Bytes of the page searched for a mount point; shells larger than this keep theirs near the start. */
const SEARCHED = 512 * 1_024;
/** Bytes of `noscript` content searched. */
const SEARCHED_NOSCRIPT = 4_096;

const IDS =
  "app|root|__next|__nuxt|___gatsby|__layout|__blitz|svelte|react-root|react-app|reactroot|app-root|app-container|vue-app|q-app|ember-app|" +
  "main-app|application|spa|mount";
const MOUNT = new RegExp(
  `<[a-z][a-z0-9-]{0,30}\\s(?:[^<>]{0,400}\\s)?id\\s{0,9}=\\s{0,9}["']?(?:${IDS})(?=["'\\s>])[^<>]{0,400}>([\\s\\S]{0,400})`,
  "i",
);
const COMPONENT = /<(?:app|my-app|app-root|app-main|ng-app|root)(?:\s[^<>]{0,400})?>([\s\S]{0,400})/i;
const EMPTY = /^(?:\s|<!--[\s\S]*?-->|loading|please wait|[.\u2026])*<\//i;

/**
 * @param noscript content of the page's first `noscript`, empty for none.
 * @param textless the page has no visible text at all, so that any mount point is without content.
 */
export function awaitsScript(source: Buffer, noscript: Buffer, textless: boolean): boolean {
  const fallback = noscript.toString("latin1", 0, SEARCHED_NOSCRIPT);
  if (/java\s?script/i.test(fallback)) return true;
  const head = source.toString("latin1", 0, Math.min(source.length, SEARCHED));
  for (const form of [MOUNT, COMPONENT]) {
    const mount = form.exec(head);
    if (mount !== null && (textless || EMPTY.test(mount[1]))) return true;
  }
  return false;
}
