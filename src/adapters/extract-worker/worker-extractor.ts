import { Worker } from "node:worker_threads";
import type { Bytes, Millis } from "../../kernel/units.ts";
import type { CancelTimer, Clock } from "../../ports/clock.ts";
import type { ExtractEnd, Extractor, ExtractRequest } from "../../ports/extractor.ts";
import type { ExtractAnswer, ExtractMessage } from "./messages.ts";

export interface WorkerExtractorOptions {
  /** Module that calls `serveExtracts`. */
  readonly entry: URL;
  /** Given to it as `workerData`. */
  readonly data: unknown;
  /** A page may take so long by the clock; then its worker is ended. */
  readonly limit: Millis;
  /** The extractors' modules may take so long to load. */
  readonly startLimit: Millis;
  /** Heap of the worker. */
  readonly heap: Bytes;
}

export type ExtractorState =
  | { readonly kind: "ready" }
  | { readonly kind: "unusable"; readonly rule: number | null; readonly message: string };

interface Job {
  readonly number: number;
  readonly request: ExtractRequest;
  done: ((end: ExtractEnd) => void) | null;
}

/**
 * Runs extractors in a thread of its own, one page at a time. The thread is started for the first page, ended when a page takes
 * too long, and started anew for the next: what a page does to it is that page's failure.
 *
 * States of the thread: none → starting (its modules load) → ready → none (it was ended, or ended itself).
 */
export class WorkerExtractor implements Extractor {
  readonly #clock: Clock;
  readonly #options: WorkerExtractorOptions;
  readonly #queue: Job[] = [];
  #worker: Worker | null = null;
  #ready = false;
  #running: Job | null = null;
  #timer: CancelTimer | null = null;
  #onState: ((state: ExtractorState) => void) | null = null;
  #numbers = 0;
  #restarts = 0;
  #closed = false;

  constructor(deps: { readonly clock: Clock }, options: WorkerExtractorOptions) {
    this.#clock = deps.clock;
    this.#options = options;
  }

  /** Workers that ended before their time. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Starts the thread and waits until its modules are loaded, at most the start limit. */
  open(): Promise<ExtractorState> {
    return new Promise((resolve) => {
      this.#onState = resolve;
      this.#start();
    });
  }

  run(request: ExtractRequest, done: (end: ExtractEnd) => void): () => void {
    const job: Job = { number: this.#numbers++, request, done };
    this.#queue.push(job);
    this.#next();
    return () => {
      job.done = null;
      const at = this.#queue.indexOf(job);
      if (at >= 0) this.#queue.splice(at, 1);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.length = 0;
    this.#running = null;
    this.#timer?.();
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #next(): void {
    if (this.#running !== null || this.#closed || this.#queue.length === 0) return;
    if (this.#worker === null) this.#start();
    if (!this.#ready) return;
    const job = this.#queue.shift();
    if (job === undefined) return;
    this.#running = job;
    // Only a page under way keeps the process.
    this.#worker?.ref();
    // A small body shares its memory with others, all of which would be copied with it.
    const request = { ...job.request, body: job.request.body.slice() };
    this.#worker?.postMessage({ number: job.number, request } satisfies ExtractMessage, [request.body.buffer]);
    this.#limit(this.#options.limit, (span) => `The extractor took longer than ${span} and was ended`);
  }

  #limit(span: Millis, message: (span: string) => string): void {
    this.#timer = this.#clock.after(span, () => this.#lose(message(`${span / 1000} s`)));
  }

  #start(): void {
    const { entry, data, heap, startLimit } = this.#options;
    const worker = new Worker(entry, {
      workerData: data,
      // What the process was started with is not the thread's business.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heap / 1_048_576) },
    });
    this.#worker = worker;
    const mine = (): boolean => worker === this.#worker;
    worker.on("message", (answer: ExtractAnswer) => {
      if (mine()) this.#answered(answer);
    });
    worker.on("error", (error) => {
      if (mine()) this.#lose(`The extractor ended its thread (${error instanceof Error ? error.message : error})`);
    });
    worker.on("exit", () => {
      if (mine()) this.#lose("The extractor ended its thread");
    });
    this.#limit(startLimit, (span) => `The extractors took longer than ${span} to load`);
  }

  #answered(answer: ExtractAnswer): void {
    if (answer.kind === "ready") {
      this.#ready = true;
      this.#timer?.();
      this.#worker?.unref();
      this.#tell(answer);
      return this.#next();
    }
    if (answer.kind === "unusable") return this.#lose(answer.message, answer.rule);
    if (answer.number !== this.#running?.number) return;
    this.#worker?.unref();
    this.#end(answer.end);
  }

  #tell(state: ExtractorState): void {
    this.#onState?.(state);
    this.#onState = null;
  }

  /** The worker is gone, or has to go; the next page gets a new one. */
  #lose(message: string, rule: number | null = null): void {
    const worker = this.#worker;
    this.#worker = null;
    this.#ready = false;
    this.#restarts += 1;
    void worker?.terminate();
    this.#tell({ kind: "unusable", rule, message });
    // A thread that does not start takes the page with it that it was started for.
    this.#running ??= this.#queue.shift() ?? null;
    this.#end({ kind: "failed", message, missing: [] });
  }

  #end(end: ExtractEnd): void {
    const job = this.#running;
    this.#running = null;
    this.#timer?.();
    this.#timer = null;
    job?.done?.(end);
    this.#next();
  }
}
