import { canonicalRobotsPath, type MatchWork, patternMatches, type RobotsPattern } from "./robots-pattern.ts";

/**
 * Most steps one check spends on wildcard rules. A hostile file can ask for any number; these take 3.6 ms at 2.4 ns each.
 * 10,000 ordinary wildcard rules against a path of 100 characters stay below it.
 */
const MATCH_STEPS = 1_500_000;

const STAR = 0x2a;

/** One line of a group. */
export interface RobotsRule {
  readonly pattern: RobotsPattern;
  readonly allow: boolean;
}

/** Weight and verdict in one number, so that the greatest is the winner: the longest, and of equals the `Allow`. */
const scoreOf = (rule: RobotsRule): number => rule.pattern.weight * 2 + (rule.allow ? 1 : 0);

const raise = (scores: Map<string, number>, key: string, score: number): void => {
  const known = scores.get(key);
  if (known === undefined || score > known) scores.set(key, score);
};

/** Marks (0x20–0x3F: digits, `?`, `=`, `&`, `.`) and letters (folded to 32) of a text, as bit sets. A `*` counts as none. */
function charactersOf(octets: Uint8Array, from: number, to: number): readonly [marks: number, letters: number] {
  let marks = 0;
  let letters = 0;
  for (let at = from; at < to; at++) {
    const octet = octets[at] ?? 0;
    if (octet === STAR) continue;
    if (octet < 0x40) marks |= 1 << (octet & 31);
    else letters |= 1 << (octet & 31);
  }
  return [marks, letters];
}

const encoder = new TextEncoder();

/** The wildcard rules of a group, in columns: one block of octets and, by rule, where its pattern ends and what it needs. */
class WildcardRules {
  readonly #octets: Uint8Array;
  readonly #ends: Uint32Array;
  readonly #scores: Uint32Array;
  /** Characters a path must have before a match is tried at all. */
  readonly #marks: Int32Array;
  readonly #letters: Int32Array;
  readonly #anchored: Uint8Array;

  /** @param scores by pattern text, with a final `$` when it is anchored (canonical text has no other `$`). */
  constructor(scores: ReadonlyMap<string, number>) {
    const count = scores.size;
    this.#ends = new Uint32Array(count);
    this.#scores = new Uint32Array(count);
    this.#marks = new Int32Array(count);
    this.#letters = new Int32Array(count);
    this.#anchored = new Uint8Array(count);
    let length = 0;
    for (const text of scores.keys()) length += text.length;
    this.#octets = new Uint8Array(length);
    let rule = 0;
    let from = 0;
    for (const [text, score] of scores) {
      const anchored = text.endsWith("$");
      const to = from + encoder.encodeInto(anchored ? text.slice(0, -1) : text, this.#octets.subarray(from)).written;
      const [marks, letters] = charactersOf(this.#octets, from, to);
      this.#ends[rule] = to;
      this.#scores[rule] = score;
      this.#marks[rule] = marks;
      this.#letters[rule] = letters;
      this.#anchored[rule] = anchored ? 1 : 0;
      from = to;
      rule++;
    }
  }

  /** @returns the greatest score among `best` and the rules that match, or null when that would take too many steps. */
  best(path: string, best: number): number | null {
    const octets = encoder.encode(path);
    const [marks, letters] = charactersOf(octets, 0, octets.length);
    const work: MatchWork = { left: MATCH_STEPS };
    let from = 0;
    for (let rule = 0; rule < this.#ends.length; rule++) {
      const to = this.#ends[rule] ?? 0;
      const score = this.#scores[rule] ?? 0;
      const possible = ((this.#marks[rule] ?? 0) & ~marks) === 0 && ((this.#letters[rule] ?? 0) & ~letters) === 0;
      if (score > best && possible && patternMatches(this.#octets, from, to, this.#anchored[rule] === 1, octets, work)) best = score;
      if (work.left < 0) return null;
      from = to;
    }
    return best;
  }
}

/**
 * The rules of one robots.txt audience, indexed: those without a wildcard by their text, so that their number does not
 * matter (one look-up for each distinct length), the others in columns.
 */
export class RobotsRuleSet {
  readonly #prefixes = new Map<string, number>();
  readonly #exact = new Map<string, number>();
  readonly #lengths: readonly number[];
  readonly #wildcards: WildcardRules | null;

  constructor(rules: readonly RobotsRule[]) {
    const wildcards = new Map<string, number>();
    for (const rule of rules) {
      const { text, anchored, hasWildcard } = rule.pattern;
      if (hasWildcard) raise(wildcards, anchored ? `${text}$` : text, scoreOf(rule));
      else raise(anchored ? this.#exact : this.#prefixes, text, scoreOf(rule));
    }
    const lengths = new Set<number>();
    for (const prefix of this.#prefixes.keys()) lengths.add(prefix.length);
    this.#lengths = [...lengths];
    this.#wildcards = wildcards.size > 0 ? new WildcardRules(wildcards) : null;
  }

  /** The longest matching rule decides, of equally long ones an `Allow`; no match means allowed, too much work disallowed. */
  allows(pathAndQuery: string): boolean {
    const path = canonicalRobotsPath(pathAndQuery);
    let best: number | null = this.#exact.get(path) ?? -1;
    for (const length of this.#lengths) {
      if (length > path.length) continue;
      const score = this.#prefixes.get(path.slice(0, length));
      if (score !== undefined && score > best) best = score;
    }
    if (this.#wildcards !== null) best = this.#wildcards.best(path, best);
    return best !== null && (best < 0 || best % 2 === 1);
  }
}
