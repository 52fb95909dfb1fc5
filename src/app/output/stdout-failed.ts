import { outputFailed } from "../../adapters/sink-file/output-failed.ts";
import type { WeirError } from "../../kernel/errors.ts";

/** What to tell when a result could not be printed. */
export function stdoutFailed(error: Error): WeirError {
  return outputFailed("-", error);
}
