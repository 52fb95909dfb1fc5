import { EXIT } from "./summary.ts";

/** What a crawl can be told by signals. */
export interface Stoppable {
  drain(): void;
  stop(): void;
}

/**
 * First signal: drain; second: stop at once; third: leave the process. Before the crawl runs nothing can be lost, so that a
 * second signal leaves at once.
 * @returns `attach` for the running crawl, which gets what came before it, and `detach`.
 */
export function onSignals(say: (message: string) => void): { attach(crawl: Stoppable): void; detach(): void } {
  let crawl: Stoppable | null = null;
  let received = 0;
  const tell = (): void => {
    if (received === 1) crawl?.drain();
    if (received === 2) crawl?.stop();
  };
  const onSignal = (): void => {
    received++;
    if (received === 1) say("stopping: what is in flight is finished first (at most 25 s); once more stops at once");
    if (received > 2 || (received === 2 && crawl === null)) process.exit(EXIT.user);
    tell();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    attach(running) {
      crawl = running;
      tell();
    },
    detach() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
