// Crawlee on the same afternoon: its CheerioCrawler with what it adds by itself (autoscaling, retries, back-off on 429), one site tree
// a host. The parser's slowness burns the same time where Crawlee parses, in its one thread; the stall holds its results back.
import { createRequire } from "node:module";
import { join } from "node:path";

const { folder, seeds, slow, msPerMB, modules } = JSON.parse(process.argv[2]);
const require = createRequire(join(modules, "x.js"));
const { CheerioCrawler } = require("@crawlee/cheerio");
const { Configuration, log } = require("@crawlee/core");
log.setLevel(log.LEVELS.OFF);

let stall = null;
let open = () => {};
let pages = 0;
let busy = 0;
const crawler = new CheerioCrawler(
  {
    maxConcurrency: 96,
    maxRequestRetries: 10,
    requestHandlerTimeoutSecs: 180,
    respectRobotsTxtFile: false,
    async requestHandler({ $, body, enqueueLinks, contentType }) {
      busy += 1;
      try {
        if (body.length > 524_288) {
          const until = performance.now() + (body.length / 1e6) * msPerMB * slow;
          while (performance.now() < until);
        }
        $("title").text();
        if (stall !== null) await stall;
        await enqueueLinks({ strategy: "same-hostname" });
        pages += 1;
      } finally {
        busy -= 1;
      }
      return contentType;
    },
  },
  new Configuration({ persistStorage: false, storageClientOptions: { localDataDirectory: join(folder, "crawlee") } }),
);
process.on("message", (order) => {
  if (order.stall === true) stall = new Promise((resolve) => (open = resolve));
  else if (order.stall === false) {
    stall = null;
    open();
  } else if (order.stop) process.send({ summary: { pages } }, () => process.exit(0));
});
setInterval(() => process.send({ rss: process.memoryUsage.rss(), pages, inFlight: busy, stages: [], limits: {} }), 1_000);
crawler.run(seeds).catch((error) => process.stderr.write(`crawlee: ${error.message}\n`));
