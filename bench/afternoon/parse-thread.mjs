// The parse thread with a parser that is so many times slower on big pages, as a bad afternoon has it: it burns the time, as a bad
// parser would.
import { workerData } from "node:worker_threads";
import { servePages } from "../../dist/adapters/parse-worker/serve-pages.js";
import { inflate } from "../../dist/adapters/zlib-inflate/inflate.js";
import { ParseJob } from "../../dist/pipeline/parse-job.js";

const { agent, slow, msPerMB } = workerData;
const job = new ParseJob({ agent, inflate });
servePages((input) => {
  const began = performance.now();
  const found = job.run(input);
  const until = began + (input.body.length / 1e6) * msPerMB * slow;
  while (performance.now() < until);
  return found;
});
