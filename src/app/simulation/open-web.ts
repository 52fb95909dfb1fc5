import { resolveSettings } from "../../config/resolve.ts";
import { ConfigError, type ConfigProblem } from "../../kernel/errors.ts";
import { readWeb } from "../../simulate/read-web.ts";
import type { Web } from "../../simulate/web.ts";
import { configOf } from "./config-of.ts";

export { outOfRange } from "../../simulate/read-web.ts";

export interface WebOverrides {
  readonly hours?: number;
  readonly seed?: number;
  readonly limiter?: "weir" | "aimd";
}

/**
 * What a simulation file says, with what the command line says instead.
 * @throws ConfigError `WEIR_CONFIG_INVALID` with everything that is wrong, each with its path in the file.
 */
export function openWeb(value: unknown, file: string, over: WebOverrides = {}): Web {
  const { limiter, ...top } = over;
  const web = readWeb(value, top);
  const problems = "hosts" in web ? crawlerProblems(web) : web;
  if (!("hosts" in web) || problems.length > 0)
    throw new ConfigError("WEIR_CONFIG_INVALID", `${file} is not a usable simulation file`, [...problems]);
  return limiter === undefined ? web : { ...web, crawler: { ...web.crawler, limiter } };
}

/** The crawler's own options are checked by the crawler's own rules. */
function crawlerProblems(web: Web): readonly ConfigProblem[] {
  try {
    resolveSettings({ version: "0.0.0", options: configOf(web) });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => ({ ...problem, path: `crawler.${problem.path}` }));
  }
}
