import { createInterface } from "node:readline/promises";

/** Asks a yes-or-no question on the terminal; anything but yes is no, and so is the end of input. */
export async function confirm(question: string, stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr });
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  lines.once("SIGINT", () => lines.close());
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: closed.signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    stderr.write("\n");
    return false;
  } finally {
    lines.close();
  }
}
