import { workerData } from "node:worker_threads";
import { servePages } from "../adapters/parse-worker/serve-pages.ts";
import { inflate } from "../adapters/zlib-inflate/inflate.ts";
import { ParseJob } from "../pipeline/parse-job.ts";

/** What the thread is started with. */
export interface ParseThreadData {
  readonly agent: string;
}

// Entry of the thread in which big pages are parsed.
const { agent } = workerData as ParseThreadData;
const job = new ParseJob({ agent, inflate });
servePages((input) => job.run(input));
