import { topUp } from "../app/topup.ts";
import { shown } from "../config/shown.ts";
import { suggest } from "../config/suggest.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import type { RunInput } from "./command-spec.ts";
import { count } from "./format.ts";
import { printLine } from "./print-line.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";

/** `weir topup`: the account of a provider has been filled by a person; what is paid for goes on. */
export async function runTopup(input: RunInput): Promise<number> {
  const problems: ConfigProblem[] = [];
  const amount = amountOf(input.own.credits, problems);
  if (input.args.length !== 1)
    problems.push({ path: "<provider>", got: shown(input.args.join(" ")), expected: "the name of one provider" });
  const [provider = ""] = input.args;
  const judge = (known: readonly string[] | null): ConfigProblem[] =>
    input.args.length === 1 && known !== null && !known.includes(provider) ? [unknownProvider(provider, known)] : [];
  const { settings } = await settingsOf(input, { problems, judge });
  const found = settings.providers[provider];
  const report = await topUp(settings.store, { provider, amount }, found, Date.now());
  const where = report.running ? "the running crawl goes on" : "the next crawl will use it";
  const left = report.left === null ? "" : `, ${count(report.left)} left`;
  await printLine(settings.json ? JSON.stringify(report) : `${provider} is open again${left}; ${where}`);
  return EXIT.done;
}

function unknownProvider(given: string, known: readonly string[]): ConfigProblem {
  const near = suggest(given, known);
  const expected = known.length === 0 ? "a provider of the configuration; it has none" : `one of ${known.join(", ")}`;
  return { path: "<provider>", got: shown(given), expected: near === null ? expected : `${expected}; did you mean ${near}?` };
}

function amountOf(given: string | boolean | undefined, problems: ConfigProblem[]): number | null {
  if (given === undefined) return null;
  const amount = typeof given === "string" && /^\d{1,12}(\.\d{1,3})?$/.test(given.trim()) ? Number(given) : 0;
  if (amount > 0) return amount;
  problems.push({ path: "--credits", got: shown(given), expected: "a number of credits above 0" });
  return null;
}
