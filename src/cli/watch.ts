import { createLogUpdate } from "log-update";
import { printLine } from "./print-line.ts";

/** Asked again this often. */
const EVERY_MS = 1_000;

/** One answer: whether the crawl runs, the answer for machines, and for people. */
export interface Shown {
  readonly running: boolean;
  readonly json: unknown;
  text(): string;
}

/**
 * Shows an answer once, or with `watch` every second until the crawl has ended or Ctrl-C: rewritten in place on a terminal, one after
 * the other elsewhere. A crawl that is not running is shown once, and that is the end.
 */
export async function show(watch: boolean, json: boolean, ask: () => Promise<Shown>): Promise<void> {
  const line = (shown: Shown): string => (json ? JSON.stringify(shown.json) : shown.text());
  if (!watch) return printLine(line(await ask()));
  const stopped = new AbortController();
  const onSignal = (): void => stopped.abort();
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  const update = process.stdout.isTTY === true && !json ? createLogUpdate(process.stdout) : null;
  try {
    for (;;) {
      const shown = await ask();
      if (stopped.signal.aborted) return;
      if (update === null) await printLine(line(shown));
      else update(fitted(line(shown), process.stdout.rows, process.stdout.columns));
      if (!shown.running) return;
      await pause(stopped.signal);
      if (stopped.signal.aborted) return;
    }
  } finally {
    update?.done();
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

/** What is higher or wider than the terminal could not be rewritten in place. Exported for its test. */
export function fitted(text: string, rows: number | undefined, columns: number | undefined): string {
  const most = Math.max(3, (rows ?? 24) - 1);
  const width = Math.max(20, columns ?? 80);
  const lines = text.split("\n").map((one) => (one.length > width ? `${one.slice(0, width - 1)}…` : one));
  return lines.length <= most ? lines.join("\n") : [...lines.slice(0, most - 1), `… ${lines.length - most + 1} lines more`].join("\n");
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, EVERY_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
