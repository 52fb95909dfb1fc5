import type { LoadedSettings } from "../app/load-settings.ts";
import { OPTIONS } from "../config/defaults.ts";
import type { RunInput } from "./command-spec.ts";
import { printable } from "./format.ts";
import { printLine } from "./print-line.ts";
import { readSeeds } from "./seeds.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";

/** `weir config`: every setting as it would be used, with these arguments, here. Header values are never shown. */
export async function runConfig(input: RunInput): Promise<number> {
  const given = await readSeeds(input.args, process.stdin);
  for (const warning of given.warnings) process.stderr.write(`warning: ${printable(warning)}\n`);
  const loaded = await settingsOf(input, given);
  if (loaded.settings.json) await printLine(JSON.stringify(configJson(loaded)));
  else await printLine(configText(loaded, input.own.explain === true));
  return EXIT.done;
}

function configJson(loaded: LoadedSettings): unknown {
  const headers = loaded.settings.headers.map(([name]) => [name, null]);
  return { file: loaded.file, settings: { ...loaded.settings, headers }, origins: loaded.origins };
}

/** Exported for its test. */
export function configText(loaded: LoadedSettings, explain: boolean): string {
  const keys = loaded.origins.map((entry) => entry.key.length);
  const width = Math.max(...keys);
  const lines = loaded.origins.map((entry) => {
    const value = entry.value === "" ? "(not set)" : entry.value;
    const start = `${entry.key.padEnd(width)}  ${value}`;
    if (!explain) return start;
    const spec = OPTIONS.find((option) => option.key === entry.key);
    const from = entry.from === null ? entry.origin : `${entry.origin} ${entry.from}`;
    return `${start}\n${" ".repeat(width)}    from ${from}: ${spec?.help ?? ""}`;
  });
  return printable([`configuration file: ${loaded.file ?? "none found"}`, ...lines].join("\n"));
}
