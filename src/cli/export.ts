import { EXPORTS, type ExportWhat } from "../app/export.ts";
import { FORMAT_NAMES, type FormatName, formatOfFile } from "../app/output/output-format.ts";
import { runStoreExport } from "../app/store-export.ts";
import type { Settings } from "../config/settings.ts";
import { shown } from "../config/shown.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import type { RunInput } from "./command-spec.ts";
import { printLine } from "./print-line.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";

/** `weir export`: what the store holds, as JSONL or CSV, to stdout or a file. */
export async function runExport(input: RunInput): Promise<number> {
  const problems: ConfigProblem[] = [];
  const format = oneOf(FORMAT_NAMES, "--format", input.own.format, problems);
  const what = oneOf(EXPORTS, "--what", input.own.what, problems) ?? "pages";
  const { settings } = await settingsOf(input, { problems });
  const stopped = new AbortController();
  const onSignal = (): void => stopped.abort();
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    const rows = await runStoreExport(exportOf(settings, what, format, input), process.stdout, stopped.signal);
    if (what === "records" && rows === 0) process.stderr.write("weir: no page has a record (this version has no extractors)\n");
    if (settings.json) await printLine(JSON.stringify({ what, rows }));
    return stopped.signal.aborted ? EXIT.user : EXIT.done;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

/** Only this command's own `-o` counts: a crawl's output file, named in the configuration, must not be overwritten by an export. */
function exportOf(
  settings: Settings,
  what: ExportWhat,
  format: FormatName | undefined,
  input: RunInput,
): Parameters<typeof runStoreExport>[0] {
  const output = input.flags.output === undefined ? "-" : (settings.output ?? "-");
  const bodies = settings.saveBodies === undefined ? {} : { bodies: settings.saveBodies };
  return { store: settings.store, what, output, format: format ?? formatOfFile(output) ?? "jsonl", fields: settings.fields, ...bodies };
}

function oneOf<T extends string>(
  names: readonly T[],
  flag: string,
  given: string | boolean | undefined,
  problems: ConfigProblem[],
): T | undefined {
  const found = names.find((name) => name === given);
  if (given !== undefined && found === undefined) problems.push({ path: flag, got: shown(given), expected: `one of ${names.join(", ")}` });
  return found;
}
