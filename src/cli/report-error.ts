import { ConfigError, WeirError } from "../kernel/errors.ts";
import { printable } from "./format.ts";
import { EXIT } from "./summary.ts";

export interface ErrorReport {
  /** For stderr: the message, then one problem a line. */
  readonly text: string;
  /** For `--json`. */
  readonly json: { readonly error: { readonly code: string; readonly message: string; readonly problems?: ConfigError["problems"] } };
  readonly exitCode: number;
}

/**
 * What a command says of an error. An error that is not weir's own is weir's fault: it is named as such, and its stack is shown
 * only with `--verbose`.
 */
export function reportError(error: unknown, verbose: boolean): ErrorReport {
  const stack = verbose && error instanceof Error && error.stack !== undefined ? error.stack.slice(error.stack.search(/\n\s+at /)) : "";
  if (error instanceof ConfigError) {
    const lines = error.problems.map((problem) => `\n  ${problem.path}: got ${problem.got}, expected ${problem.expected}`);
    return {
      text: printable(`weir: ${error.message}${lines.join("")}${stack}`),
      json: { error: { code: error.code, message: error.message, problems: error.problems } },
      exitCode: EXIT.usage,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof WeirError ? error.code : "WEIR_BUG";
  const hint = code === "WEIR_BUG" && !verbose ? " (this is a fault in weir; --verbose shows where)" : "";
  return { text: printable(`weir: ${message}${hint}${stack}`), json: { error: { code, message } }, exitCode: EXIT.failed };
}
