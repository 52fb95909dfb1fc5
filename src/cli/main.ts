#!/usr/bin/env node
import { weirVersion } from "../app/version.ts";
import { ConfigError } from "../kernel/errors.ts";
import { mannerOf } from "./manner.ts";
import { parseCommandLine } from "./program.ts";
import { reportError } from "./report-error.ts";
import { EXIT } from "./summary.ts";

const manner = mannerOf(process.argv, process.env);
let left = false;

/** weir's command line: takes it apart, runs one command, and turns whatever happens into a message and an exit code. */
async function main(args: readonly string[]): Promise<number> {
  const invocation = parseCommandLine(args, weirVersion(), (text) => process.stdout.write(text));
  if (invocation.kind === "printed") return EXIT.done;
  if (invocation.kind === "unusable") {
    const message = invocation.message === "" ? "Say what to do, for example: weir crawl https://example.com" : invocation.message;
    return fail(new ConfigError("WEIR_USAGE", `${message}\nweir --help shows all commands.`));
  }
  return invocation.command.run({ ...invocation.input, manner });
}

function fail(error: unknown): number {
  const report = reportError(error, manner.verbose);
  process.stderr.write(`${report.text}\n`);
  if (manner.json) process.stdout.write(`${JSON.stringify(report.json)}\n`);
  return report.exitCode;
}

/** Ends the process when what was written has left it: a pipe may be slower than weir. */
async function leave(code: number): Promise<void> {
  process.exitCode = code;
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))));
  left = true;
  process.exit(code);
}

// A reader that has gone away must not raise an exception in the middle of a crawl; whoever writes hears of it from its write.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => void leave(fail(error)));
}
// Whatever makes the process end before its command has: that is no success.
process.on("exit", (code) => {
  if (left || code === EXIT.user) return;
  process.exitCode = fail(new Error("The program ended before its work did, by itself or by the configuration file"));
});
void main(process.argv.slice(2)).catch(fail).then(leave);
