import { existsSync } from "node:fs";
import type { CrawlHandle, CrawlSummary } from "../app/crawl-types.ts";
import type { Settings } from "../config/settings.ts";
import { ConfigError } from "../kernel/errors.ts";
import type { RunInput } from "./command-spec.ts";
import { confirm } from "./confirm.ts";
import { showLive } from "./live-line.ts";
import { printLine } from "./print-line.ts";
import { Reporter } from "./reporter.ts";
import { readSeeds } from "./seeds.ts";
import { settingsOf } from "./settings-of.ts";
import { onSignals } from "./signals.ts";
import { EXIT, exitCodeOf, nothingFetched, summaryText } from "./summary.ts";

/** `weir crawl`: one pass over everything in scope, then stop. @returns the exit code. */
export async function runCrawl(input: RunInput): Promise<number> {
  const given = await readSeeds(input.args, process.stdin);
  const { settings, file } = await settingsOf(input, given);
  const reporter = new Reporter({ stderr: process.stderr, logFormat: settings.logFormat, plain: (process.env.NO_COLOR ?? "") !== "" });
  for (const warning of given.warnings) reporter.warn(warning);
  if (settings.verbose) reporter.note(`configuration file: ${file ?? "none found"}; store: ${settings.store}`);
  // Seeds of the file do not stand in for those of a command line that had none usable.
  const noneUsable = input.args.length > 0 && given.seeds.length === 0;
  if (settings.seeds.length === 0 || noneUsable) {
    throw new ConfigError(
      "WEIR_SEEDS_NONE",
      "There is no usable seed: name a URL, as in weir crawl https://example.com, or @file or - with one URL a line",
    );
  }
  if (settings.robots === "ignore") reporter.warn("robots.txt is ignored; do this only on your own sites and tests");
  if (settings.fresh && !(await freshConfirmed(settings))) {
    reporter.note("Nothing was changed.");
    if (settings.json) await printLine(JSON.stringify({ stopped: "user" }));
    return EXIT.user;
  }
  const summary = await crawlOnce(settings, reporter);
  return finish(summary, settings, reporter);
}

/** `--fresh` asks where somebody can answer and there is something to lose. */
async function freshConfirmed(settings: Settings): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY || !existsSync(settings.store)) return true;
  return confirm(`Forget everything kept in ${settings.store}?`, process.stdin, process.stderr);
}

async function crawlOnce(settings: Settings, reporter: Reporter): Promise<CrawlSummary> {
  const signals = onSignals((message) => reporter.note(message));
  let hide = (): void => undefined;
  try {
    const [{ startCrawl }, { weirVersion }] = await Promise.all([import("../app/crawl.ts"), import("../app/version.ts")]);
    const crawl: CrawlHandle = await startCrawl(settings, {
      version: weirVersion(),
      stdout: process.stdout,
      warn: (message) => reporter.warn(message),
    });
    signals.attach(crawl);
    if (liveWanted(settings)) hide = showLive(() => crawl.status(false), reporter);
    return await crawl.done;
  } finally {
    hide();
    signals.detach();
  }
}

/** Records on the same terminal leave no place for a line that is rewritten. */
function liveWanted(settings: Settings): boolean {
  return !settings.quiet && !(settings.output === "-" && process.stdout.isTTY);
}

async function finish(summary: CrawlSummary, settings: Settings, reporter: Reporter): Promise<number> {
  if (nothingFetched(summary)) reporter.note(`weir: Nothing could be fetched${await whyNothing(settings.store)}`);
  if (!settings.quiet) reporter.note(summaryText(summary, settings.store));
  if (settings.json) await printLine(JSON.stringify(summary));
  return exitCodeOf(summary);
}

/** Most often there was one seed, and its ending is the whole answer. */
async function whyNothing(store: string): Promise<string> {
  const { lastEndings } = await import("../app/last-endings.ts");
  const endings = await lastEndings(store, 3).catch(() => []); // the counts of the summary are told anyway
  return endings.map((ending) => `\n  ${ending.url}: ${ending.outcome}, ${ending.code} (${ending.message})`).join("");
}
