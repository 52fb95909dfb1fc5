// weir on the bad afternoon: the program's own crawl, with a parser that is slow on big pages and a store that can be told to stall.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { WorkerLane } from "../../dist/adapters/parse-worker/worker-lane.js";
import { startCrawl } from "../../dist/app/crawl.js";
import { resolveSettings } from "../../dist/config/resolve.js";

const { folder, seeds, slow, msPerMB } = JSON.parse(process.argv[2]);
const { settings } = resolveSettings({
  version: "0.0.0",
  options: { seeds, store: join(folder, "weir.db"), scope: "host", sitemaps: "off", allowPrivate: true, maxBody: "64MiB", maxWait: "1h" },
});

let stall = null;
let open = () => {};
const stalling = (store) =>
  new Proxy(store, {
    get(target, name) {
      const own = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      if (name !== "commit" && name !== "visitRows" && name !== "settledAfter") return own.bind(target);
      return async (...args) => {
        if (stall !== null) await stall;
        return own.apply(target, args);
      };
    },
  });

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
const lane = (clock, options) =>
  new WorkerLane(
    { clock },
    { ...options, entry: new URL("./parse-thread.mjs", import.meta.url), data: { ...options.data, slow, msPerMB } },
  );
const run = await startCrawl(
  settings,
  { warn: (text) => process.stderr.write(`weir: ${text}\n`), stdout: process.stdout },
  { lane, wrapStore: stalling },
);
run.done.catch((error) => process.stderr.write(`weir: ${error.stack}\n`));

process.on("message", (order) => {
  if (order.stall === true) stall = new Promise((resolve) => (open = resolve));
  else if (order.stall === false) {
    stall = null;
    open();
  } else if (order.stop) finish();
});

const timer = setInterval(() => {
  const { pipeline } = run;
  if (pipeline === null) return;
  const limits = {};
  for (const host of pipeline.frontier.hosts()) limits[host.key] = host.limiter.limit;
  process.send({
    rss: process.memoryUsage.rss(),
    pages: pipeline.tally.pages,
    inFlight: pipeline.dispatcher.inFlight,
    starts: [...pipeline.frontier.hosts()].reduce((sum, host) => sum + host.starts, 0),
    stages: pipeline.parse.bounds.readings(performance.now()),
    charged: pipeline.parse.credits.heldBytes,
    held: pipeline.dispatcher.held,
    lag: delay.max / 1e6,
    limits,
  });
  delay.reset();
}, 1_000);

async function finish() {
  clearInterval(timer);
  run.stop();
  const summary = await run.done.catch((error) => ({ error: error.message }));
  process.send({ summary, id: createHash("sha256").update(folder).digest("hex").slice(0, 8) }, () => process.exit(0));
}
