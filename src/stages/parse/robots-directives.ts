import { feedDate } from "../../kernel/feed-date.ts";
import type { EpochMillis } from "../../kernel/units.ts";

/** What a page says about itself: may it be stored, may its links be followed. */
export interface RobotsDirectives {
  readonly index: boolean;
  readonly follow: boolean;
}

/** A `<meta name content>` whose name is `robots` or an agent's. */
export interface MetaRobots {
  readonly name: string;
  readonly content: string;
}

/** Directives that carry a value after a colon, so that their colon does not name an agent. */
const WITH_VALUE = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]);

const ALL_ALLOWED: RobotsDirectives = { index: true, follow: true };
const AGENT_PREFIX = /^([a-z_*][a-z0-9_-]*)\s*:\s*/i;
const UNAVAILABLE_AFTER = /unavailable_after\s*:\s*([^;]+)/gi;

/**
 * Sums up all `X-Robots-Tag` values and robots metas that apply to `agent`: generic ones and our own, and of a conflict the
 * most restrictive. Everything is allowed until something forbids it. Source: Google, "Robots meta tag, data-nosnippet, and
 * X-Robots-Tag specifications"; there is no standard.
 * @param headers one value per header line, as received
 * @param now passes judgement on `unavailable_after`
 */
export function robotsDirectives(
  headers: readonly string[],
  metas: readonly MetaRobots[],
  agent: string,
  now: EpochMillis,
): RobotsDirectives {
  if (headers.length === 0 && metas.length === 0) return ALL_ALLOWED;
  const ours = agent.toLowerCase();
  let index = true;
  let follow = true;
  const heed = (text: string): void => {
    for (const word of text.toLowerCase().split(/[\s,;]+/)) {
      if (word === "noindex" || word === "none") index = false;
      if (word === "nofollow" || word === "none") follow = false;
    }
    for (const [, date = ""] of text.matchAll(UNAVAILABLE_AFTER)) if (isPast(date, now)) index = false;
  };
  for (const value of headers) for (const part of partsFor(value, ours)) heed(part);
  for (const meta of metas) {
    const name = meta.name.trim().toLowerCase();
    if (name === "robots" || name === ours) heed(meta.content);
  }
  return { index, follow };
}

/**
 * The parts of a header value that are meant for us. An agent's name covers the rest of the line up to the next name
 * (proxies join lines with commas).
 */
function* partsFor(value: string, ours: string): Generator<string> {
  let applies = true;
  let part = "";
  for (const piece of value.split(",")) {
    const text = piece.trim();
    const agent = AGENT_PREFIX.exec(text);
    const name = agent?.[1]?.toLowerCase();
    if (agent === null || name === undefined || WITH_VALUE.has(name)) {
      if (applies) part += `,${text}`;
      continue;
    }
    yield part;
    applies = name === ours || name === "*";
    part = applies ? text.slice(agent[0].length) : "";
  }
  yield part;
}

/** The date runs to the next directive, if there is one; a comma may be part of it. */
function isPast(text: string, now: EpochMillis): boolean {
  const pieces = text.split(",");
  for (let count = Math.min(pieces.length, 3); count > 0; count--) {
    const date = feedDate(pieces.slice(0, count).join(","), now);
    if (date !== null) return date <= now;
  }
  return false;
}
