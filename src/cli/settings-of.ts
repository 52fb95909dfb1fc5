import type { LoadedSettings } from "../app/load-settings.ts";
import { loadSettings } from "../app/load-settings.ts";
import type { ConfigSources } from "../config/resolve.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import type { RunInput } from "./command-spec.ts";

/** The settings of a command line, with everything that is wrong told at once. */
export async function settingsOf(
  input: RunInput,
  more: { readonly seeds?: readonly string[]; readonly problems?: readonly ConfigProblem[]; readonly judge?: ConfigSources["judge"] } = {},
): Promise<LoadedSettings> {
  const seeds = more.seeds === undefined || more.seeds.length === 0 ? {} : { seeds: more.seeds };
  const loaded = await loadSettings({
    flags: { ...input.flags, ...seeds },
    env: process.env,
    problems: [...input.problems, ...(more.problems ?? [])],
    cwd: process.cwd(),
    ...(more.judge === undefined ? {} : { judge: more.judge }),
    ...(input.configFile === undefined ? {} : { configFile: input.configFile }),
  });
  const { json, verbose } = loaded.settings;
  Object.assign(input.manner, { json, verbose });
  return loaded;
}
