import { ConfigError } from "../kernel/errors.ts";
import type { EpochMillis, Seq } from "../kernel/units.ts";
import type { Store } from "../ports/store.ts";

/** Key of the store's text that holds the last pass. */
export const PASS_META_KEY = "pass";

/** Keys of the store's texts that hold where seeds led to: this, the number of the first pass of the identity, and a count. */
const MOVED_META_KEY = "moved";

/** What makes two runs one pass: the same again resumes or revisits, another one is refused while a pass is unfinished. */
export interface PassIdentity {
  readonly seeds: readonly string[];
  readonly scope: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export interface Pass {
  readonly number: number;
  /** First of the passes in a row with this identity. */
  readonly since: number;
  /** URLs that passes of other identities left in the store: the first so many. They are judged again by this one. */
  readonly foreign: number;
  readonly identity: PassIdentity;
  readonly state: "open" | "done";
  /** First delivery number of the pass. */
  readonly firstSeq: Seq;
  readonly startedAt: EpochMillis;
}

/** The pass this run works on, and whether an earlier run began it. */
export interface OpenedPass {
  readonly pass: Pass;
  readonly resumed: boolean;
}

/**
 * Decides which pass a run works on.
 * @throws ConfigError `WEIR_PASS_OTHER` when another one is unfinished; the message names both and the ways out.
 */
export async function openPass(store: Store, identity: PassIdentity, now: EpochMillis): Promise<OpenedPass> {
  const last = await lastPass(store);
  if (last !== null && last.state === "open") {
    if (sameIdentity(last.identity, identity)) return { pass: last, resumed: true };
    throw new ConfigError(
      "WEIR_PASS_OTHER",
      `The store holds an unfinished pass of another crawl.\n  unfinished: ${describe(last.identity)}\n  asked for:  ${describe(identity)}\nFinish it by giving its own seeds and scope again, forget it with --fresh, or use another store with --store PATH.`,
    );
  }
  const number = (last?.number ?? 0) + 1;
  const { since, foreign } =
    last !== null && sameIdentity(last.identity, identity) ? last : { since: number, foreign: (await store.totals(number)).known };
  const pass: Pass = { number, since, foreign, identity, state: "open", firstSeq: (await store.lastSeq()) + 1, startedAt: now };
  return { pass, resumed: false };
}

/** The pass that a run worked on last; null before the first. */
export async function lastPass(store: Pick<Store, "meta">): Promise<Pass | null> {
  const text = await store.meta(PASS_META_KEY);
  return text === null ? null : (JSON.parse(text) as Pass);
}

/** Where seeds of this identity led to, in this pass and in earlier ones: their hosts are in scope too. */
export async function movedSeeds(store: Store, pass: Pass): Promise<readonly string[]> {
  const moved: string[] = [];
  for (;;) {
    const url = await store.meta(movedKey(pass, moved.length));
    if (url === null) return moved;
    moved.push(url);
  }
}

/** One text each, so that a hundred thousand seeds that move cost no more than one does. */
export function movedKey(pass: Pass, index: number): string {
  return `${MOVED_META_KEY} ${pass.since} ${index}`;
}

function sameIdentity(a: PassIdentity, b: PassIdentity): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Makes an identity in its one form: order and repetition of seeds and patterns mean nothing. */
export function passIdentity(
  seeds: readonly string[],
  scope: string,
  include: readonly string[],
  exclude: readonly string[],
): PassIdentity {
  const unique = (list: readonly string[]): string[] => [...new Set(list)].sort();
  return { seeds: unique(seeds), scope, include: unique(include), exclude: unique(exclude) };
}

function describe(identity: PassIdentity): string {
  const seeds = identity.seeds.slice(0, 3).join(" ") + (identity.seeds.length > 3 ? ` and ${identity.seeds.length - 3} more` : "");
  const parts = [`seeds ${seeds}`, `scope ${identity.scope}`];
  if (identity.include.length > 0) parts.push(`include ${identity.include.join(" ")}`);
  if (identity.exclude.length > 0) parts.push(`exclude ${identity.exclude.join(" ")}`);
  return parts.join(", ");
}
