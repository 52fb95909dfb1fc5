import type { Bytes, Millis } from "../../kernel/units.ts";
import { type RobotsPattern, robotsPattern } from "./robots-pattern.ts";
import { type RobotsRule, RobotsRuleSet } from "./robots-rule-set.ts";

/** Least a crawler must read of a robots.txt, and all that weir reads. Source: RFC 9309 section 2.5. */
export const ROBOTS_MAX_BYTES: Bytes = 500 * 1024;
/** Most `Sitemap` lines kept of one file. Source: guess. */
const MAX_SITEMAPS = 1_000;
/** Longest `Allow`, `Disallow` or `Sitemap` value kept: no URL that is fetched is that long. Source: guess. */
const MAX_VALUE: Bytes = 16 * 1024;
/** A longer `Crawl-delay` is taken as this. Source: as `Retry-After`, flow-control section 8. */
const MAX_CRAWL_DELAY: Millis = 24 * 3_600_000;

/** What one robots.txt asks of us. */
export interface RobotsRules {
  /**
   * May we fetch this path (with its query, as it stands in the URL)? `/robots.txt` itself is always allowed. Takes about a
   * microsecond for ordinary files and at most a few milliseconds for hostile ones; a file that would need more disallows.
   */
  allows(pathAndQuery: string): boolean;
  /** Least time between two starts, or null when none is asked. Not in RFC 9309. */
  readonly crawlDelay: Millis | null;
  /** As written, in order, unique: not resolved and not checked. They hold for every crawler. */
  readonly sitemaps: readonly string[];
  /** The file is longer than 500 KiB and what is beyond was not read. */
  readonly truncated: boolean;
}

type Key = "user-agent" | "allow" | "disallow" | "crawl-delay" | "sitemap";

/** Keys and, as Google's parser takes them too, their usual misspellings: who writes `Dissallow` means it. */
const KEYS: ReadonlyMap<string, Key> = new Map<string, Key>([
  ["user-agent", "user-agent"],
  ["useragent", "user-agent"],
  ["user agent", "user-agent"],
  ["allow", "allow"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["crawl-delay", "crawl-delay"],
  ["crawldelay", "crawl-delay"],
  ["sitemap", "sitemap"],
  ["site-map", "sitemap"],
]);
const LONGEST_KEY = 11;

const LF = 0x0a;
const CR = 0x0d;
const HASH = 0x23;
const COLON = 0x3a;
const SLASH = 0x2f;
const DOLLAR = 0x24;
const BOM = [0xef, 0xbb, 0xbf];
const isBlank = (octet: number | undefined): boolean => octet === 0x20 || octet === 0x09 || octet === 0x0b || octet === 0x0c;

interface Line {
  readonly key: Key;
  readonly from: number;
  readonly to: number;
}

/** Product token of a User-agent line: the leading letters, `_` and `-`, in lower case. `weir/2.0` is `weir`, `weir-news` is not. */
const tokenOf = (agent: string): string => /^[a-z_-]*/.exec(agent.toLowerCase())?.[0] ?? "";

/** Rules of one audience: us by name, or everybody. */
interface Audience {
  readonly rules: RobotsRule[];
  crawlDelay: Millis | null;
}

/**
 * Reads a robots.txt for one crawler. Source: RFC 9309.
 * All groups that name `productToken` count together, and `*` groups only when none does. Rules before the first group are
 * ignored, blank lines and unknown keys mean nothing. Never throws: whatever cannot be read is skipped.
 * @param productToken letters, `_` and `-` only; case does not matter. Another one is never named by a group.
 */
export function parseRobots(body: Uint8Array, productToken: string): RobotsRules {
  const ours: Audience = { rules: [], crawlDelay: null };
  const everyone: Audience = { rules: [], crawlDelay: null };
  const sitemaps = new Set<string>();
  const token = productToken.toLowerCase();
  let named = false;
  let group: Audience[] = [];
  let groupHasRules = false;

  const onAgent = (value: string): void => {
    if (groupHasRules) group = [];
    groupHasRules = false;
    if (/^\*(?:\s|$)/.test(value)) group.push(everyone);
    else if (token !== "" && tokenOf(value) === token) {
      group.push(ours);
      named = true;
    }
  };

  const end = endOfRead(body);
  for (const line of lines(body, end)) {
    switch (line.key) {
      case "user-agent":
        onAgent(text(body, line.from, line.to));
        break;
      case "allow":
      case "disallow":
        groupHasRules = true;
        addRule(group, body, line);
        break;
      case "crawl-delay":
        addDelay(group, text(body, line.from, line.to));
        break;
      case "sitemap":
        if (line.to > line.from && sitemaps.size < MAX_SITEMAPS) sitemaps.add(decoder.decode(body.subarray(line.from, line.to)));
        break;
      default:
        line.key satisfies never;
    }
  }

  const audience = named ? ours : everyone;
  const rules = new RobotsRuleSet(audience.rules);
  return {
    allows: (pathAndQuery) => isRobotsFile(pathAndQuery) || rules.allows(pathAndQuery),
    crawlDelay: audience.crawlDelay,
    sitemaps: [...sitemaps],
    truncated: end < body.length,
  };
}

const decoder = new TextDecoder();

const isRobotsFile = (path: string): boolean => path === "/robots.txt" || path.startsWith("/robots.txt?");

/** Text of a short ASCII value. */
const text = (body: Uint8Array, from: number, to: number): string => String.fromCharCode(...body.subarray(from, Math.min(to, from + 200)));

function addRule(group: readonly Audience[], body: Uint8Array, line: Line): void {
  if (group.length === 0 || line.to === line.from || line.to - line.from > MAX_VALUE) return;
  const allow = line.key === "allow";
  const patterns = [robotsPattern(body, line.from, line.to)];
  if (allow) {
    const directory = directoryOfIndex(body, line.from, line.to);
    if (directory !== null) patterns.push(directory);
  }
  for (const audience of group) for (const pattern of patterns) audience.rules.push({ pattern, allow });
}

/** `Allow: /a/index.html` allows `/a/` itself too, as Google and Protego read it: the two are one page to who writes it. */
function directoryOfIndex(body: Uint8Array, from: number, to: number): RobotsPattern | null {
  const slash = body.lastIndexOf(SLASH, to - 1);
  if (slash < from || text(body, slash, slash + 10) !== "/index.htm") return null;
  const directory = Uint8Array.of(...body.subarray(from, slash + 1), DOLLAR);
  return robotsPattern(directory, 0, directory.length);
}

/** Of several delays the longest counts. What is not a plain number of seconds is ignored. */
function addDelay(group: readonly Audience[], value: string): void {
  if (!/^\d+(?:\.\d*)?$|^\.\d+$/.test(value)) return;
  const delay = Math.min(Math.round(Number(value) * 1_000), MAX_CRAWL_DELAY);
  for (const audience of group) audience.crawlDelay = Math.max(audience.crawlDelay ?? 0, delay);
}

/** Where reading stops: the end, or behind the last whole line within the cap. */
function endOfRead(body: Uint8Array): number {
  if (body.length <= ROBOTS_MAX_BYTES) return body.length;
  let end = ROBOTS_MAX_BYTES;
  while (end > 0 && body[end] !== LF && body[end] !== CR) end--;
  return end;
}

/** The lines with a key we know and their trimmed values, comments removed. Lines end with CR, LF or both. */
function* lines(body: Uint8Array, end: number): Generator<Line> {
  let start = 0;
  // A byte order mark, whole or cut short by whatever wrote the file.
  while (start < BOM.length && body[start] === BOM[start]) start++;
  while (start < end) {
    let stop = start;
    let comment = -1;
    for (; stop < end && body[stop] !== LF && body[stop] !== CR; stop++) if (comment < 0 && body[stop] === HASH) comment = stop;
    const line = lineOf(body, start, comment < 0 ? stop : comment);
    if (line !== null) yield line;
    start = stop + 1;
  }
}

/** Key and value of `body[from, to)`, or null when there is no key we know. */
function lineOf(body: Uint8Array, from: number, to: number): Line | null {
  while (from < to && isBlank(body[from])) from++;
  while (to > from && isBlank(body[to - 1])) to--;
  let separator = from;
  while (separator < to && separator - from <= LONGEST_KEY + 8 && body[separator] !== COLON) separator++;
  if (body[separator] !== COLON || separator >= to) separator = blankSeparator(body, from, to);
  if (separator < 0) return null;
  let keyEnd = separator;
  while (keyEnd > from && isBlank(body[keyEnd - 1])) keyEnd--;
  if (keyEnd - from > LONGEST_KEY) return null;
  const key = KEYS.get(String.fromCharCode(...body.subarray(from, keyEnd)).toLowerCase());
  if (key === undefined) return null;
  let value = separator + 1;
  while (value < to && isBlank(body[value])) value++;
  return { key, from: value, to };
}

/** A line without a colon still counts when it is two words, as with Google: `Disallow /private`. @returns the blank between them, or -1. */
function blankSeparator(body: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && !isBlank(body[at])) at++;
  if (at === to) return -1;
  let second = at;
  while (second < to && isBlank(body[second])) second++;
  while (second < to && !isBlank(body[second])) second++;
  return second === to ? at : -1;
}
