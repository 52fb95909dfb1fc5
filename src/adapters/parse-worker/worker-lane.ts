import { Worker } from "node:worker_threads";
import type { Bytes, Millis } from "../../kernel/units.ts";
import type { CancelTimer, Clock } from "../../ports/clock.ts";
import type { PageInput, ParseEnd, ParseLane } from "../../ports/parse-lane.ts";
import type { PageAnswer, PageMessage } from "./messages.ts";

export interface WorkerLaneOptions {
  /** Module that calls `servePages`. */
  readonly entry: URL;
  /** Given to it as `workerData`. */
  readonly data: unknown;
  /** Pages of this decoded size and more are parsed here. */
  readonly from: Bytes;
  /** A page may take so long by the clock; then its worker is ended. */
  readonly limit: Millis;
  /** Heap of the worker, beside the body's own memory. */
  readonly heap: Bytes;
}

interface Job {
  readonly number: number;
  readonly input: PageInput;
  done: ((end: ParseEnd) => void) | null;
}

/**
 * Parses big pages in a thread of its own, one at a time in the order they came, so that the crawl's thread goes on. A body
 * moves there and back without a copy. The thread is started for the first big page, ended when a page takes too long, and
 * started anew for the next: what a page does to it is that page's failure.
 */
export class WorkerLane implements ParseLane {
  readonly #clock: Clock;
  readonly #options: WorkerLaneOptions;
  /** What waits holds parse credit, which bounds it. */
  readonly #queue: Job[] = [];
  #worker: Worker | null = null;
  #running: Job | null = null;
  #timer: CancelTimer | null = null;
  #numbers = 0;
  #restarts = 0;
  #closed = false;

  constructor(deps: { readonly clock: Clock }, options: WorkerLaneOptions) {
    this.#clock = deps.clock;
    this.#options = options;
  }

  /** Workers that ended before their time. */
  get restarts(): number {
    return this.#restarts;
  }

  takes(bytes: Bytes): boolean {
    return bytes >= this.#options.from;
  }

  run(input: PageInput, _bytes: Bytes, done: (end: ParseEnd) => void): () => void {
    const job: Job = { number: this.#numbers++, input, done };
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
    if (this.#running !== null || this.#closed) return;
    const job = this.#queue.shift();
    if (job === undefined) return;
    this.#running = job;
    this.#worker ??= this.#start();
    // Only a page under way keeps the process.
    this.#worker.ref();
    const input = ownBody(job.input);
    this.#worker.postMessage({ number: job.number, input } satisfies PageMessage, [input.body.buffer as ArrayBuffer]);
    this.#timer = this.#clock.after(this.#options.limit, () =>
      this.#lose("too-slow", `The page could not be parsed in ${Math.round(this.#options.limit / 1000)} s`),
    );
  }

  #start(): Worker {
    const { entry, data, heap } = this.#options;
    const worker = new Worker(entry, {
      workerData: data,
      // What the process was started with is not the thread's business.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heap / 1_048_576) },
    });
    worker.on("message", (answer: PageAnswer) => {
      if (worker === this.#worker) this.#answered(answer);
    });
    worker.on("error", (error) => {
      if (worker === this.#worker) this.#lose("crashed", `The page ended the parser (${error instanceof Error ? error.message : error})`);
    });
    worker.on("exit", () => {
      if (worker === this.#worker) this.#lose("crashed", "The page ended the parser");
    });
    return worker;
  }

  #answered(answer: PageAnswer): void {
    if (answer.number !== this.#running?.number) return;
    this.#worker?.unref();
    this.#end(answer.kind === "page" ? answer : { kind: "broken", message: answer.message });
  }

  /** The worker is gone, or has to go; the next page gets a new one. */
  #lose(kind: "crashed" | "too-slow", message: string): void {
    const worker = this.#worker;
    this.#worker = null;
    this.#restarts += 1;
    void worker?.terminate();
    this.#end({ kind, message });
  }

  #end(end: ParseEnd): void {
    const job = this.#running;
    this.#running = null;
    this.#timer?.();
    this.#timer = null;
    job?.done?.(end);
    this.#next();
  }
}

/** A big body has its memory to itself, and moves with it. One that shares its memory with others is copied first. */
function ownBody(input: PageInput): PageInput {
  const { body } = input;
  const whole = body.byteOffset === 0 && (body.byteLength === body.buffer.byteLength || isResizable(body.buffer));
  return whole && body.buffer instanceof ArrayBuffer ? input : { ...input, body: new Uint8Array(body) };
}

function isResizable(buffer: ArrayBufferLike): boolean {
  return (buffer as ArrayBufferLike & { readonly resizable?: boolean }).resizable === true;
}
