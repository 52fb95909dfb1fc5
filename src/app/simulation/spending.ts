import { ConfigError } from "../../kernel/errors.ts";
import type { Days, Objective } from "../../schedule/objective.ts";
import { adaptivePolicy, indexPolicy, plainPolicy, proportionalPolicy, uniformPolicy } from "../../schedule/policies.ts";
import { RateLearner } from "../../schedule/rate-learner.ts";
import type { VisitPolicy } from "../../schedule/visit-policy.ts";
import type { History } from "../../simulate/history.ts";
import { seededRandom } from "../../simulate/random.ts";
import { type HistoryChoice, readHistory } from "../../simulate/read-history.ts";
import { RecordedChanges } from "../../simulate/recorded-changes.ts";
import { Replay } from "../../simulate/replay.ts";

export const POLICIES = ["index", "c5", "uniform", "proportional", "adaptive"] as const;
export type PolicyName = (typeof POLICIES)[number];

/** A budget as given, and what it comes to. */
export interface BudgetChoice {
  readonly text: string;
  /** Cost units per day. */
  readonly perDay: number;
}

/** What `weir simulate --history` is asked. */
export interface SpendingOptions {
  readonly budgets: readonly BudgetChoice[];
  readonly policies: readonly PolicyName[];
  /** Interval of the plain formula. */
  readonly interval: Days;
  readonly objective: Objective;
  readonly window: Days | null;
  readonly values: HistoryChoice["values"];
  readonly seed: number;
  /** Share of the replay, from its start, in which freshness is not measured; 0 to below 1. */
  readonly warmUp: number;
  readonly maxAge: Days;
}

/** One policy under one budget. The names are the contract of `--json`. */
export interface SpendingRow {
  readonly policy: PolicyName;
  /** As given. */
  readonly budget: string;
  readonly visits: number;
  readonly cost: number;
  /** 0–1, by value and time, after the warm-up; null when no page existed then. */
  readonly freshness: number | null;
  /** Visits that found a change. */
  readonly changesCaught: number;
  readonly changes: number;
  /** Null when none was caught. */
  readonly costPerChange: number | null;
  /** 0–1; null without visits. */
  readonly unchangedShare: number | null;
}

export interface SpendingIo {
  /** Lets other work go on; called now and then. */
  settle(): Promise<void>;
  /** Rows done, and of the row at hand the share of its time that has passed. */
  progress(done: number, of: number, share: number): void;
}

/**
 * Replays a history under every pair of policy and budget.
 * @throws ConfigError `WEIR_CONFIG_INVALID` with what is wrong in the file, each with its page and position.
 */
export async function replayHistory(value: unknown, file: string, options: SpendingOptions, io: SpendingIo): Promise<SpendingRow[]> {
  const { window, values, seed } = options;
  const history = readHistory(value, { window, values, random: seededRandom(seed) });
  if (!("offsets" in history)) throw new ConfigError("WEIR_CONFIG_INVALID", `${file} is not a usable history`, [...history]);
  const rows: SpendingRow[] = [];
  const of = options.budgets.length * options.policies.length;
  for (const budget of options.budgets)
    for (const policy of options.policies) {
      const replay = openReplay(history, policy, budget.perDay, options);
      while (!replay.run(VISITS_AT_ONCE)) {
        io.progress(rows.length, of, replay.now / history.span);
        await io.settle();
      }
      rows.push(rowOf(policy, budget.text, replay));
      io.progress(rows.length, of, 0);
    }
  return rows;
}

function rowOf(policy: PolicyName, budget: string, replay: Replay): SpendingRow {
  const { visits, cost, freshness, changesCaught, changes } = replay.result();
  return {
    policy,
    budget,
    visits,
    cost,
    freshness,
    changesCaught,
    changes,
    costPerChange: changesCaught > 0 ? cost / changesCaught : null,
    unchangedShare: visits > 0 ? (visits - changesCaught) / visits : null,
  };
}

function openReplay(history: History, name: PolicyName, budget: number, options: SpendingOptions): Replay {
  const { born, values, costs, span } = history;
  const learner = new RateLearner(born.length);
  for (let page = 0; page < born.length; page++) learner.join(page, 0);
  return new Replay({
    policy: policyOf(name, learner, history, budget, options),
    learner: name === "uniform" || name === "adaptive" ? null : learner,
    source: new RecordedChanges(history),
    born,
    values,
    costs,
    budget,
    span,
    measureFrom: span * options.warmUp,
    maxAge: options.maxAge,
  });
}

function policyOf(name: PolicyName, learner: RateLearner, history: History, budget: number, options: SpendingOptions): VisitPolicy {
  switch (name) {
    case "index":
      return indexPolicy(learner, options.objective, history);
    case "c5":
      return plainPolicy(learner, options.interval, history);
    case "uniform":
      return uniformPolicy();
    case "proportional":
      return proportionalPolicy(learner);
    case "adaptive":
      // At first each page is due when the budget comes round to it.
      return adaptivePolicy(history.born.length, history.costs.reduce((sum, cost) => sum + cost, 0) / budget);
    default:
      return name satisfies never;
  }
}

const VISITS_AT_ONCE = 20_000;
