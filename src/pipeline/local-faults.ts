import type { LocalCause } from "../kernel/signal.ts";

/** Faults of this machine are told up to here; the status names the present one. */
const TOLD = 5;
const WORDS: Readonly<Record<LocalCause, string>> = {
  "many-hosts": "Many hosts fell silent at once, as when this machine's network is down; one try a second until one is answered",
  "event-loop": "This process was stalled, so what timed out meanwhile counts for nothing; fetching goes on gently",
  egress: "This machine's network is down; one try a second until one is answered",
  dns: "No name server answers; one look-up a second until one does",
  resources: "This machine refuses connections (sockets or network); one try a second until one succeeds",
};

/** The same in a few words, for a line. */
export const LOCAL_WORDS: Readonly<Record<LocalCause, string>> = {
  "many-hosts": "many hosts fell silent at once, as when this machine's network is down",
  "event-loop": "this process was stalled",
  egress: "this machine's network is down",
  dns: "no name server answers",
  resources: "this machine refuses connections",
};

/** Tells the person what this machine is at fault for. */
export function localFaults(warn: (message: string) => void): (cause: LocalCause) => void {
  let told = 0;
  return (cause) => {
    told += 1;
    if (told <= TOLD) warn(WORDS[cause]);
  };
}
