#!/usr/bin/env node
import { weirVersion } from "../app/version.ts";
import { parseCommandLine } from "./program.ts";
import { reportError } from "./report-error.ts";
import { EXIT } from "./summary.ts";

/** weir's command line: takes it apart, runs one command, and turns whatever happens into a message and an exit code. */
async function main(args: readonly string[]): Promise<number> {
  const invocation = parseCommandLine(args, weirVersion(), (text) => process.stdout.write(text));
  if (invocation.kind === "printed") return EXIT.done;
  if (invocation.kind === "unusable") {
    const message = invocation.message === "" ? "Say what to do, for example: weir crawl https://example.com" : invocation.message;
    process.stderr.write(`weir: ${message}\nweir --help shows all commands.\n`);
    return EXIT.usage;
  }
  const { command, input } = invocation;
  try {
    return await command.run(input);
  } catch (error) {
    return fail(error, input.flags);
  }
}

function fail(error: unknown, flags: Readonly<Record<string, unknown>>): number {
  const report = reportError(error, flags.verbose === true || /^(1|true|yes)$/i.test(process.env.WEIR_VERBOSE ?? ""));
  process.stderr.write(`${report.text}\n`);
  if (flags.json === true) process.stdout.write(`${JSON.stringify(report.json)}\n`);
  return report.exitCode;
}

/** Ends the process when what was written has left it: a pipe may be slower than weir. */
async function leave(code: number): Promise<void> {
  process.exitCode = code;
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))));
  process.exit(code);
}

// A reader that has gone away must not raise an exception in the middle of a crawl; whoever writes hears of it from its write.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);
const flagsGiven = { verbose: process.argv.includes("--verbose"), json: process.argv.includes("--json") };
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => void leave(fail(error, flagsGiven)));
}
void main(process.argv.slice(2)).then(leave);
