import { stdoutFailed } from "../app/output/stdout-failed.ts";

/**
 * Prints a command's result on stdout and waits for the reader.
 * @throws WeirError `WEIR_OUTPUT_FAILED` when stdout was closed.
 */
export function printLine(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(stdoutFailed(error));
    });
  });
}
