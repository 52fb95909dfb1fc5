import type { LoadedSettings } from "../app/load-settings.ts";
import { loadSettings } from "../app/load-settings.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import type { CommandInput } from "./command-spec.ts";

/** The settings of a command line, with everything that is wrong told at once. */
export function settingsOf(
  input: CommandInput,
  more: { readonly seeds?: readonly string[]; readonly problems?: readonly ConfigProblem[] } = {},
): Promise<LoadedSettings> {
  const seeds = more.seeds === undefined || more.seeds.length === 0 ? {} : { seeds: more.seeds };
  return loadSettings({
    flags: { ...input.flags, ...seeds },
    env: process.env,
    problems: [...input.problems, ...(more.problems ?? [])],
    cwd: process.cwd(),
    ...(input.configFile === undefined ? {} : { configFile: input.configFile }),
  });
}
