import { openWeb, outOfRange } from "../app/simulation/open-web.ts";
import type { SimulationResult } from "../app/simulation/result.ts";
import { Simulation } from "../app/simulation/simulation.ts";
import { shown } from "../config/shown.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import type { RunInput } from "./command-spec.ts";
import { count, printable, share, span } from "./format.ts";
import { printLine } from "./print-line.ts";
import { readJson } from "./read-json.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";

const LIMITERS = ["weir", "aimd"] as const;
const HISTORY_ONLY = ["budget", "policy", "c5-interval", "objective", "window", "values", "warmup"].map(
  (name) => [name === "c5-interval" ? "c5Interval" : name, `--${name}`] as const,
);

/** `weir simulate`: the real crawler against a described web, on virtual time. Ends with 1 when a URL was lost. */
export async function runSimulate(input: RunInput): Promise<number> {
  if (input.own.history !== undefined) return (await import("./simulate-history.ts")).runSimulateHistory(input);
  const problems: ConfigProblem[] = [];
  const hours = numberOf(input, "hours", problems);
  const seed = numberOf(input, "seed", problems);
  const limiter = LIMITERS.find((name) => name === input.own.limiter);
  if (input.own.limiter !== undefined && limiter === undefined)
    problems.push({ path: "--limiter", got: shown(input.own.limiter), expected: `one of ${LIMITERS.join(", ")}` });
  const file = input.own.web;
  if (typeof file !== "string")
    problems.push({ path: "--web", got: "nothing", expected: "a simulation file, or --history with a history (docs/simulation.md)" });
  for (const [key, flag] of HISTORY_ONLY)
    if (input.own[key] !== undefined || input.lists[key] !== undefined)
      problems.push({ path: flag, got: shown(input.own[key] ?? input.lists[key]), expected: "nothing: it goes with --history" });
  const { settings } = await settingsOf(input, { problems });
  const web = openWeb(await readJson(String(file), "a simulation file"), String(file), {
    ...(hours === undefined ? {} : { hours }),
    ...(seed === undefined ? {} : { seed }),
    ...(limiter === undefined ? {} : { limiter }),
  });
  const simulation = await Simulation.open(web, { settle: () => new Promise((resolve) => setImmediate(resolve)) });
  const result = await simulation.finish();
  await printLine(settings.json ? JSON.stringify(result) : resultText(result));
  if (result.lost === 0) return EXIT.done;
  process.stderr.write(`weir: ${result.lost} URLs were lost; the same run again: --seed ${result.seed}\n`);
  return EXIT.failed;
}

function numberOf(input: RunInput, name: "hours" | "seed", problems: ConfigProblem[]): number | undefined {
  const text = input.own[name];
  if (text === undefined) return undefined;
  const value = typeof text === "string" && /^\d[\d.e+]*$/i.test(text.trim()) ? Number(text) : Number.NaN;
  const expected = outOfRange(name, value);
  if (expected === null) return value;
  problems.push({ path: `--${name}`, got: shown(text), expected });
  return undefined;
}

/** Exported for its test. */
export function resultText(result: SimulationResult): string {
  const head = ["host", "starts", "ok", "ok/s", "after 5 min", "rejects/h", "p50", "p95", "limit"];
  const rows = result.hosts.map((host) => [
    host.name,
    count(host.starts),
    count(host.ok),
    host.okPerSecond.toFixed(3),
    host.okPerSecondAfter5Min?.toFixed(3) ?? "–",
    host.rejectsPerHour.toFixed(1),
    host.p50Ms === null ? "–" : span(host.p50Ms),
    host.p95Ms === null ? "–" : span(host.p95Ms),
    host.limit.at(-1)?.[1].toFixed(2) ?? "–",
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  ");
  const queues = result.queues.map(({ name, peak, bound }) => `${name} ${count(peak)} of ${count(bound)}`).join(", ");
  return printable(
    [
      `seed ${result.seed}, ${span(result.seconds * 1000)} of virtual time`,
      line(head),
      ...rows.map(line),
      `queues at most: ${queues}`,
      ...(result.provider === null ? [] : [providerLine(result.provider)]),
      `retry share ${share(result.retryShare)}, ${count(result.settled)} URLs settled, ${count(result.waiting)} waiting, ${count(result.lost)} lost`,
    ].join("\n"),
  );
}

function providerLine({ calls, served, busy, exhausted, down, charged, mostInFlight }: NonNullable<SimulationResult["provider"]>): string {
  const refused = `${count(busy)} too many at once, ${count(exhausted)} without credits, ${count(down)} out of order`;
  return `provider: ${count(calls)} calls, ${count(served)} served (at most ${count(mostInFlight)} at once), refused: ${refused}; ${count(charged)} credits`;
}
