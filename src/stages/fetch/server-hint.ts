import type { ServerHint } from "../../flow/host-limiter.ts";
import { httpDate } from "../../kernel/http-date.ts";
import type { EpochMillis, Millis } from "../../kernel/units.ts";
import type { HeaderView } from "../../ports/fetch-route.ts";

/** Nothing is honoured for longer. Source: flow-control.md §3. */
const MOST: Millis = 86_400_000;
/** A reset beyond this many seconds is an instant, not a span. Source: flow-control.md §3. */
const EPOCH_FROM = 1e9;
/** Members of a list that are read; a server with more of them is not worth more work. */
const MEMBERS_MOST = 16;

/** Names of the older fields, one family each: limit, remaining, reset. */
const FAMILIES = ["x-ratelimit", "ratelimit", "x-rate-limit"] as const;
/** Fields by which each family is known, spelled once: every answer is looked through for them. */
const FAMILY_FIELDS = FAMILIES.map((name) => ({ name, left: `${name}-remaining`, most: `${name}-limit` }));

/** One quota: so many requests left of so many, for so long. Absent is null. */
interface Quota {
  readonly left: number | null;
  readonly most: number | null;
  readonly window: Millis | null;
  readonly reset: Millis | null;
}

/**
 * What an answer says in advance about how much its host will take: `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers, and its earlier forms) and `X-RateLimit-*`. With r requests left for t: a least gap of
 * t ÷ r, none at all for t when r = 0; a quota of q per window w: a least gap of w ÷ q; `concurrent-requests`: a ceiling. What is
 * malformed is ignored, and so is everything on a cached answer. Retry-After outranks all of it.
 * Source: flow-control.md §3.
 * @param now wall clock, for a reset given as an instant by an answer without `Date`.
 */
export function serverHint(headers: HeaderView, now: EpochMillis): ServerHint | null {
  const items = headers.all("ratelimit");
  const policies = headers.all("ratelimit-policy");
  const family = FAMILY_FIELDS.find(({ left, most }) => headers.get(left) !== undefined || headers.get(most) !== undefined)?.name;
  if (items.length === 0 && policies.length === 0 && family === undefined) return null;
  if (Number(headers.get("age") ?? 0) > 0) return null;
  const { quotas, concurrent } = structured(items, policies);
  if (items.length === 0 && family !== undefined) quotas.push(ofFamily(family, headers, now));
  let gap = 0;
  let closedFor = 0;
  for (const { left, most, window, reset } of quotas) {
    if (reset !== null && left === 0) closedFor = Math.max(closedFor, reset);
    else if (reset !== null && left !== null) gap = Math.max(gap, reset / left);
    if (most !== null && most > 0 && window !== null) gap = Math.max(gap, window / most);
  }
  if (headers.get("retry-after") !== undefined) closedFor = 0;
  if (gap === 0 && closedFor === 0 && concurrent === null) return null;
  return { gap: Math.min(gap, MOST), closedFor: Math.min(closedFor, MOST), concurrent };
}

function structured(items: readonly string[], policies: readonly string[]): { quotas: Quota[]; concurrent: number | null } {
  const quotas: Quota[] = [];
  let concurrent: number | null = null;
  /** Policies that count something else than requests: what is left of them says nothing about requests. */
  const foreign = new Set<string>();
  for (const { name, parameters } of members(policies)) {
    const most = whole(parameters.get("q"));
    const unit = parameters.get("qu") ?? "requests";
    if (unit === "concurrent-requests" && most !== null) concurrent = Math.max(1, Math.min(concurrent ?? most, most));
    if (unit !== "requests") foreign.add(name);
    else quotas.push({ left: null, most, window: span(parameters.get("w")), reset: null });
  }
  const list = members(items);
  for (const { name, parameters } of list) {
    if (foreign.has(name)) continue;
    quotas.push({ left: whole(parameters.get("r")), most: null, window: null, reset: span(parameters.get("t")) });
  }
  // The earlier form is one dictionary: `limit=100, remaining=50, reset=5`.
  const flat = new Map(list.map(({ name }) => name.split("=", 2) as [string, string | undefined]));
  if (flat.has("remaining")) quotas.push({ left: whole(flat.get("remaining")), most: null, window: null, reset: span(flat.get("reset")) });
  return { quotas, concurrent };
}

function ofFamily(family: string, headers: HeaderView, now: EpochMillis): Quota {
  const left = whole(headers.get(`${family}-remaining`));
  const seconds = number(headers.get(`${family}-reset`));
  if (seconds === null || seconds <= EPOCH_FROM)
    return { left, most: null, window: null, reset: seconds === null ? null : seconds * 1_000 };
  const date = headers.get("date");
  const sent = (date === undefined ? null : httpDate(date, now)) ?? now;
  // Some count the instant in milliseconds.
  const at = seconds > 1e12 ? seconds : seconds * 1_000;
  return { left, most: null, window: null, reset: Math.max(0, at - sent) };
}

interface Member {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Members of a structured list (RFC 9651): a name, plain or quoted, and `;key=value` parameters. */
function members(values: readonly string[]): Member[] {
  const found: Member[] = [];
  for (const member of values.join(",").split(",", MEMBERS_MOST)) {
    const [name, ...rest] = member.split(";");
    const parameters = new Map<string, string>();
    for (const part of rest) {
      const equals = part.indexOf("=");
      if (equals > 0) parameters.set(part.slice(0, equals).trim().toLowerCase(), unquoted(part.slice(equals + 1)));
    }
    found.push({ name: unquoted(name).toLowerCase(), parameters });
  }
  return found;
}

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/, "$1");

function number(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,15}(?:\.\d{1,6})?\s*$/.test(text) ? Number(text) : null;
}

function whole(text: string | undefined): number | null {
  const value = number(text);
  return value === null ? null : Math.floor(value);
}

function span(text: string | undefined): Millis | null {
  const value = number(text);
  return value === null ? null : value * 1_000;
}
