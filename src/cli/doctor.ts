import { type Check, examine } from "../app/doctor.ts";
import type { RunInput } from "./command-spec.ts";
import { printable } from "./format.ts";
import { printLine } from "./print-line.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";

/** `weir doctor`: what is missing on this machine and how to get it. Ends with 1 when something that is needed is missing. */
export async function runDoctor(input: RunInput): Promise<number> {
  const { settings } = await settingsOf(input);
  const checks = await examine({ store: settings.store, concurrency: settings.concurrency, terminal: process.stderr.isTTY === true });
  await printLine(settings.json ? JSON.stringify({ checks }) : checksText(checks));
  return checks.some((check) => check.state === "missing") ? EXIT.failed : EXIT.done;
}

/** Exported for its test. */
export function checksText(checks: readonly Check[]): string {
  const width = Math.max(...checks.map((check) => check.name.length));
  const lines = checks.flatMap((check) => {
    const line = `${check.state.padEnd(7)}  ${check.name.padEnd(width)}  ${check.found}`;
    return check.fix === null ? [line] : [line, `${" ".repeat(9 + width)}  → ${check.fix}`];
  });
  const missing = checks.filter((check) => check.state === "missing").length;
  return printable([...lines, missing === 0 ? "Nothing is missing." : `${missing} missing.`].join("\n"));
}
