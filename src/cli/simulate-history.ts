import { POLICIES, type PolicyName, replayHistory, type SpendingOptions, type SpendingRow } from "../app/simulation/spending.ts";
import { FIXED } from "../config/fixed.ts";
import { shown } from "../config/shown.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import type { RunInput } from "./command-spec.ts";
import { count, printable } from "./format.ts";
import { printLine } from "./print-line.ts";
import { readJson } from "./read-json.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";

const OBJECTIVES = ["freshness", "events", "age"] as const;
const VALUES = ["equal", "drawn"] as const;

/** `weir simulate --history`: what policies and budgets would have given on recorded changes. One row for each pair. */
export async function runSimulateHistory(input: RunInput): Promise<number> {
  const problems: ConfigProblem[] = [];
  const options = optionsOf(input, problems);
  const { settings } = await settingsOf(input, { problems });
  const file = String(input.own.history);
  const rows = await replayHistory(await readJson(file, "a history"), file, options, {
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    progress: progressLine(settings.json ? false : process.stderr.isTTY === true),
  });
  await printLine(settings.json ? JSON.stringify(rows) : rowsText(rows, options));
  return EXIT.done;
}

function optionsOf(input: RunInput, problems: ConfigProblem[]): SpendingOptions {
  const { own, lists } = input;
  const number = (key: string, flag: string, fallback: number, fits: (value: number) => boolean, expected: string): number => {
    const text = own[key];
    if (text === undefined) return fallback;
    const value = typeof text === "string" && /^\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) : Number.NaN;
    if (fits(value)) return value;
    problems.push({ path: flag, got: shown(text), expected });
    return fallback;
  };
  const choice = <T extends string>(key: string, flag: string, of: readonly T[]): T | undefined => {
    const found = of.find((name) => name === own[key]);
    if (own[key] !== undefined && found === undefined)
      problems.push({ path: flag, got: shown(own[key]), expected: `one of ${of.join(", ")}` });
    return found;
  };
  for (const key of ["web", "hours", "limiter"])
    if (own[key] !== undefined)
      problems.push({ path: `--${key}`, got: shown(own[key]), expected: "nothing: it does not go with --history" });
  const days = "days, above 0 and at most 100000";
  const window = number("window", "--window", 0, (value) => value > 0 && value <= 1e5, days);
  return {
    budgets: (lists["budget"] ?? [""]).flatMap((text) => budgetOf(text, problems)),
    policies: (lists["policy"] ?? ["index"]).flatMap((text) => policyOf(text, problems)),
    interval: number("c5Interval", "--c5-interval", 1, (value) => value > 0 && value <= 1e5, days),
    objective: choice("objective", "--objective", OBJECTIVES) ?? "freshness",
    window: own.window === undefined ? null : window,
    values: choice("values", "--values", VALUES) ?? "file",
    seed: number("seed", "--seed", 1, (value) => Number.isInteger(value) && value < 2 ** 32, "a whole number below 2^32"),
    warmUp: number("warmup", "--warmup", FIXED.replay.warmUp, (value) => value >= 0 && value < 1, "a share from 0 to below 1"),
    maxAge: FIXED.replay.maxAge,
  };
}

function budgetOf(text: string, problems: ConfigProblem[]): SpendingOptions["budgets"] {
  const parts = /^\s*(\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})(?:e([+-]?\d{1,2}))?\s*requests?\s*(?:\/|per)\s*(day|hour)\s*$/i.exec(text);
  const amount = parts === null ? 0 : Number(parts[2] === undefined ? parts[1] : `${parts[1]}e${parts[2]}`);
  if (parts !== null && amount > 0 && amount <= 1e9) return [{ text, perDay: amount * (parts[3].toLowerCase() === "hour" ? 24 : 1) }];
  problems.push({
    path: "--budget",
    got: text === "" ? "nothing" : shown(text),
    expected: "'N requests / day' (or hour), N above 0, a fraction allowed",
  });
  return [];
}

function policyOf(text: string, problems: ConfigProblem[]): readonly PolicyName[] {
  const name = POLICIES.find((policy) => policy === text);
  if (name !== undefined) return [name];
  problems.push({ path: "--policy", got: shown(text), expected: `one of ${POLICIES.join(", ")}` });
  return [];
}

/** A line that is written over on a terminal; otherwise one when a row is done. */
function progressLine(live: boolean): (done: number, of: number, share: number) => void {
  return (done, of, share) => {
    if (live)
      process.stderr.write(
        `\r${done} of ${of} replays done${share > 0 ? `, next ${Math.round(share * 100)} %` : ""}   ${done === of ? "\n" : ""}`,
      );
    else if (share === 0) process.stderr.write(`${done} of ${of} replays done\n`);
  };
}

/** Exported for its test. */
export function rowsText(rows: readonly SpendingRow[], { seed }: { readonly seed: number }): string {
  const percent = (value: number | null): string => (value === null ? "–" : `${(100 * value).toFixed(2)} %`);
  const head = ["policy", "budget", "visits", "cost", "freshness", "caught", "changes", "cost/change", "unchanged"];
  const cells = rows.map((row) => [
    row.policy,
    row.budget,
    count(row.visits),
    count(row.cost),
    percent(row.freshness),
    count(row.changesCaught),
    count(row.changes),
    row.costPerChange === null ? "–" : row.costPerChange.toFixed(2),
    percent(row.unchangedShare),
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column].length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join("  ");
  return printable([`seed ${seed}`, line(head), ...cells.map(line)].join("\n"));
}
