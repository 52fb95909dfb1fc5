import type { ConfigProblem } from "../kernel/errors.ts";
import type { Random } from "../ports/clock.ts";
import type { Days } from "../schedule/objective.ts";
import type { History } from "./history.ts";

/** How a history file is to be understood. */
export interface HistoryChoice {
  /** The last so many days, for the pages that exist before them; null: everything, each page from its first entry on. */
  readonly window: Days | null;
  /** `file`: the weights of the file; `equal`: all 1; `drawn`: 1, 3, 10, 30 with shares 50, 30, 15, 5 %. */
  readonly values: "file" | "equal" | "drawn";
  readonly random: Random;
}

/** `[page, [unix seconds of each change, …], value?, cost?]` as read. */
interface Entry {
  readonly name: string;
  readonly times: readonly number[];
  readonly value: number;
  readonly cost: number;
}

/**
 * Takes a history file apart.
 * @returns what is wrong with it, the first problems with their page and position, or the history.
 */
export function readHistory(value: unknown, choice: HistoryChoice): History | readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (!Array.isArray(value)) return [{ path: "the file", got: kindOf(value), expected: "an array: [[page, [unix seconds, …]], …]" }];
  if (value.length > MOST_PAGES) return [{ path: "the file", got: `${value.length} pages`, expected: `at most ${MOST_PAGES}` }];
  const entries: Entry[] = [];
  const seen = new Map<string, number>();
  for (let at = 0; at < value.length && problems.length < MOST_PROBLEMS; at++) {
    const entry = readEntry(value[at], at, problems);
    if (entry === null) continue;
    const before = seen.get(entry.name);
    if (before !== undefined)
      problems.push({ path: `[${at}] ${entry.name}`, got: "the page a second time", expected: `one entry (see [${before}])` });
    seen.set(entry.name, at);
    entries.push(entry);
  }
  if (problems.length > 0) return problems;
  return historyOf(entries, choice);
}

function readEntry(value: unknown, at: number, problems: ConfigProblem[]): Entry | null {
  const wrong = (path: string, got: unknown, expected: string): null => {
    problems.push({ path, got: kindOf(got), expected });
    return null;
  };
  if (!Array.isArray(value) || value.length < 2 || value.length > 4)
    return wrong(`[${at}]`, value, "[page, [unix seconds, …]], then value and cost if wanted");
  const [name, times, weight, cost] = value as unknown[];
  if (typeof name !== "string" || name === "") return wrong(`[${at}][0]`, name, "the page's name");
  const page = `[${at}] ${name.slice(0, 200)}`;
  if (!Array.isArray(times)) return wrong(`${page}[1]`, times, "an array of unix seconds");
  const bad = times.findIndex((time) => typeof time !== "number" || !(time >= 0 && time <= LATEST));
  if (bad >= 0) return wrong(`${page}[1][${bad}]`, times[bad], "unix seconds");
  for (const [place, part, what] of [
    [2, weight, "value, a number above 0"],
    [3, cost, "cost, a number above 0"],
  ] as const)
    if (part !== undefined && part !== null && !(typeof part === "number" && part > 0 && part <= 1e9))
      return wrong(`${page}[${place}]`, part, what);
  return { name, times: times as number[], value: (weight as number) ?? 1, cost: (cost as number) ?? 1 };
}

function historyOf(entries: readonly Entry[], { window, values, random }: HistoryChoice): History | readonly ConfigProblem[] {
  let first = Number.POSITIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  for (const { times } of entries)
    for (const time of times) {
      if (time < first) first = time;
      if (time > latest) latest = time;
    }
  const start = window === null ? first : latest - window * DAY;
  const drawn = entries.map((entry) => (values === "drawn" ? drawnValue(random()) : values === "equal" ? 1 : entry.value));
  const kept = entries
    .map((entry, at) => ({ ...entry, value: drawn[at], times: Float64Array.from(entry.times).sort() }))
    .filter(({ times }) => times.length > 0 && (window === null || times[0] < start));
  if (kept.length === 0 || !(latest > start))
    return [
      {
        path: "the file",
        got: "no page with a change",
        expected: window === null ? "changes over some time" : `pages older than ${window} days`,
      },
    ];
  const offsets = new Uint32Array(kept.length + 1);
  const count = kept.reduce((sum, { times }) => sum + times.length, 0);
  const changes = new Float64Array(count);
  let end = 0;
  kept.forEach(({ times }, page) => {
    for (const time of times) if (time > start && (window !== null || time > times[0])) changes[end++] = (time - start) / DAY;
    offsets[page + 1] = end;
  });
  return {
    names: kept.map(({ name }) => name),
    offsets,
    changes: changes.subarray(0, end),
    born: Float64Array.from(kept, ({ times }) => (window === null ? (times[0] - start) / DAY : 0)),
    values: Float64Array.from(kept, ({ value }) => value),
    costs: Float64Array.from(kept, ({ cost }) => cost),
    span: (latest - start) / DAY,
  };
}

/** Source: cli.md: 1, 3, 10, 30 with shares 50, 30, 15, 5 %. */
function drawnValue(draw: number): number {
  return draw < 0.5 ? 1 : draw < 0.8 ? 3 : draw < 0.95 ? 10 : 30;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const DAY = 86_400;
const MOST_PAGES = 5_000_000;
const MOST_PROBLEMS = 20;
/** The year 9999. */
const LATEST = 253_402_300_800;
