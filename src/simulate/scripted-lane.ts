import type { Bytes, Millis } from "../kernel/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { PageInput, ParseEnd, ParseLane } from "../ports/parse-lane.ts";

export interface ScriptedParse {
  readonly url: string;
  readonly bytes: Bytes;
  /** When the parser comes to it. */
  readonly at: Millis;
}

/** What a synthetic parser does with a page: how long it takes, or how it fails. */
export type ParseScript = (
  parse: ScriptedParse,
) => Millis | (ParseEnd & { readonly kind: "crashed" | "too-slow" | "broken"; readonly after: Millis });

interface Job {
  readonly url: string;
  readonly bytes: Bytes;
  readonly done: (end: ParseEnd) => void;
}

/** A parser on virtual time: one page after the other, each taking as long as the script says. The page itself is parsed by the caller. */
export class ScriptedLane implements ParseLane {
  readonly #clock: Clock;
  readonly #script: ParseScript;
  readonly #takes: (parse: ScriptedParse) => boolean;
  readonly #queue: Job[] = [];
  #running: Job | null = null;
  #cancel: () => void = () => undefined;

  /** @param takes which pages come here at all; the others are parsed at once. */
  constructor(clock: Clock, script: ParseScript, takes: (parse: ScriptedParse) => boolean = () => true) {
    this.#clock = clock;
    this.#script = script;
    this.#takes = takes;
  }

  /** Pages here, the one under way included. */
  get depth(): number {
    return this.#queue.length + (this.#running === null ? 0 : 1);
  }

  takes(bytes: Bytes, url: string): boolean {
    return this.#takes({ url, bytes, at: this.#clock.now() });
  }

  run(input: PageInput, bytes: Bytes, done: (end: ParseEnd) => void): () => void {
    const job: Job = { url: input.url, bytes, done };
    this.#queue.push(job);
    this.#next();
    return () => this.#forget(job);
  }

  close(): Promise<void> {
    this.#queue.length = 0;
    if (this.#running !== null) this.#cancel();
    this.#running = null;
    return Promise.resolve();
  }

  #forget(job: Job): void {
    const at = this.#queue.indexOf(job);
    if (at >= 0) this.#queue.splice(at, 1);
    if (this.#running !== job) return;
    this.#cancel();
    this.#running = null;
    this.#next();
  }

  #next(): void {
    if (this.#running !== null) return;
    const job = this.#queue.shift();
    if (job === undefined) return;
    this.#running = job;
    const says = this.#script({ url: job.url, bytes: job.bytes, at: this.#clock.now() });
    const [after, end]: [Millis, ParseEnd] = typeof says === "number" ? [says, { kind: "here" }] : [says.after, says];
    this.#cancel = this.#clock.after(after, () => {
      this.#running = null;
      job.done(end);
      this.#next();
    });
  }
}
