import { templateOf } from "./url-template.ts";

/**
 * URLs that a section may give before it counts as crowded. Source: guess. A hand-made section is smaller; more than a few of a trap's
 * must not be served before the rest of its host.
 */
const CROWDED_FROM = 64;
/** Sections remembered over all hosts, some 2 MB; the one met first is forgotten first. */
const SECTIONS_MOST = 20_000;

const DIGITS = /[0-9]+/g;

/**
 * Counts what each section of a host has given, so that one that gives URLs without end (a calendar, a maze made for crawlers, session
 * ids) does not keep the rest of its host waiting. Nothing is refused here: a crowded section is a large one, mostly.
 */
export class Sections {
  readonly #counts = new Map<string, number>();

  /** Counts a URL met for the first time. @returns whether its section has given many before. */
  crowds(host: string, url: string): boolean {
    const key = `${host}${sectionOf(url)}`;
    const count = this.#counts.get(key) ?? 0;
    if (count >= CROWDED_FROM) return true;
    this.#counts.set(key, count + 1);
    if (this.#counts.size > SECTIONS_MOST) {
      for (const first of this.#counts.keys()) {
        this.#counts.delete(first);
        break;
      }
    }
    return false;
  }
}

/** What a URL is a part of: the first folder of its path, without numbers; its template when only the query tells it from others. */
export function sectionOf(url: string): string {
  const start = url.indexOf("/", "https://".length);
  const query = url.indexOf("?", start);
  const folder = url.indexOf("/", start + 1);
  if (folder >= 0 && (query < 0 || folder < query)) return url.slice(start, folder + 1).replace(DIGITS, "{n}");
  return query < 0 ? "/" : templateOf(url);
}
