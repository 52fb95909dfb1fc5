// The limit a crawl is compared with: undici's `dispatch` over the same pages, the same number in flight, bodies thrown away. Run by crawl.mjs.
import { Agent } from "undici";
import { siteOf } from "./site.mjs";

const { site, inFlight } = JSON.parse(process.argv[2]);
const { url } = siteOf(site);
const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 });
let next = 0;
let bytes = 0;
let failed = 0;

await new Promise((resolve) => {
  let running = 0;
  const start = () => {
    while (running < inFlight && next < site.pages) {
      const { origin, pathname } = new URL(url(next++));
      running++;
      const end = (error) => {
        if (error) failed++;
        running--;
        if (next >= site.pages && running === 0) resolve();
        else start();
      };
      agent.dispatch(
        { origin, path: pathname, method: "GET" },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData(_controller, chunk) {
            bytes += chunk.length;
          },
          onResponseEnd: () => end(),
          onResponseError: (_controller, error) => end(error),
        },
      );
    }
  };
  start();
});
await agent.close();
console.log(JSON.stringify({ pages: next - failed, bytes, failed }));
