// What a metered gateway is paid for 2,000 visits: as weir asks on such a route, and without its savings (spec C2). The gateway counts
// for itself, beside weir. Pages of 30 KB that compress, 4 % images behind names that do not say so, 3 % of 404 with a body, 3 % redirects;
// 20 hosts, half of them https. node bench/gateway-bytes.mjs [visits]
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { SystemClock, systemRandom } from "../dist/adapters/clock-system/system-clock.js";
import { GatewayRoute } from "../dist/adapters/fetch-gateway/gateway-route.js";
import { FIXED } from "../dist/config/fixed.js";
import { exitsOf } from "../dist/pipeline/exits.js";
import { startProxy } from "./proxy.mjs";
import { random, siteOf } from "./site.mjs";

const visits = Number(process.argv[2] ?? 2_000);
const HOSTS = 20;
const pem = (name) => readFileSync(new URL(`../test/fixtures/tls-${name}.pem`, import.meta.url), "utf8");
const { page } = siteOf({ pages: visits, bytes: 30_000, hosts: 1, links: 75, seed: 1, port: 80 });
const image = Buffer.from(
  Array.from(
    { length: 60_000 },
    (
      (draw) => () =>
        Math.floor(draw() * 256)
    )(random(2)),
  ),
);

function answer(request, response) {
  const n = Number(/\d+$/.exec(request.url)?.[0] ?? 0);
  const kind = n % 100;
  if (kind < 4) return response.writeHead(200, { "Content-Type": "image/png", "Content-Length": image.length }).end(image);
  if (kind < 7) return response.writeHead(404, { "Content-Type": "text/html" }).end(page(n).slice(0, 8_000));
  if (kind < 10) return response.writeHead(301, { Location: `/page-${n + 10}`, "Content-Type": "text/html" }).end("<p>moved</p>");
  const offered = request.headers["accept-encoding"] ?? "";
  const text = Buffer.from(page(n));
  const [coding, body] = /\bbr\b/.test(offered)
    ? ["br", brotliCompressSync(text, { params: { 1: 5 } })]
    : /\bgzip\b/.test(offered)
      ? ["gzip", gzipSync(text)]
      : [null, text];
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": body.length,
    Server: "nginx",
    Vary: "Accept-Encoding",
    "Cache-Control": "max-age=60",
  };
  return response.writeHead(200, coding === null ? headers : { ...headers, "Content-Encoding": coding }).end(body);
}

const sites = [];
for (let i = 0; i < HOSTS; i += 1) {
  const secure = i % 2 === 1;
  const server = secure
    ? createTlsServer({ key: pem("key"), cert: pem("cert"), keepAliveTimeout: 60_000 }, answer)
    : createServer({ keepAliveTimeout: 60_000 }, answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  sites.push({ server, base: `${secure ? "https" : "http"}://127.0.0.1:${server.address().port}` });
}

const common = {
  userAgent: "weir/0 (+https://github.com/weir-crawler/weir)",
  allowPrivate: true,
  allowAddresses: [],
  connectionsPerHost: 8,
  tls: { verify: false },
};
const frugal = { ...FIXED.route, ...FIXED.gateway, ...common };
const plain = { ...frugal, accept: FIXED.route.accept, codings: "identity", isMetered: false, keepAlive: 0 };

async function crawl(name, options, wants) {
  const proxy = await startProxy();
  const endpoints = [{ url: proxy.url, region: null }];
  const route = new GatewayRoute(
    { clock: new SystemClock(), random: systemRandom, exits: exitsOf(endpoints, systemRandom) },
    { ...options, name, endpoints, sessionUser: null },
  );
  let next = 0;
  let counted = 0;
  let pages = 0;
  const visit = async () => {
    while (next < visits) {
      const n = next++;
      const result = await new Promise((resolve) => {
        const request = {
          url: `${sites[n % HOSTS].base}/page-${n}`,
          headers: [],
          maxBody: 1 << 24,
          timeout: 30_000,
          credit: { draw: () => true },
        };
        route.start({ ...request, decide: (status, headers) => wants(status, headers.get("content-type") ?? "") }, resolve);
      });
      counted += result.measure.bytesIn + result.measure.bytesOut;
      if (result.kind === "response" && result.status === 200 && result.headers.get("content-type").startsWith("text/html")) pages += 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, visit));
  await route.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const served = proxy.bytes();
  await proxy.close();
  return { name, visits, pages, counted, served, differs: Math.abs(counted - served) / served };
}

const without = await crawl("without savings", plain, () => "read");
const withThem = await crawl("weir", frugal, (status, type) => (status === 200 && type.startsWith("text/html") ? "read" : "discard"));
for (const { server } of sites) {
  server.closeAllConnections();
  server.close();
}
for (const run of [without, withThem])
  console.log(
    `${run.name.padEnd(16)} ${run.visits} visits, ${run.pages} pages: weir counts ${(run.counted / 1e6).toFixed(2)} MB, the gateway ${(run.served / 1e6).toFixed(2)} MB (${(100 * run.differs).toFixed(2)} % apart)`,
  );
console.log(`share ${(withThem.served / without.served).toFixed(3)}`);
process.exitCode =
  withThem.served <= 0.5 * without.served && Math.max(without.differs, withThem.differs) <= 0.01 && without.pages === withThem.pages
    ? 0
    : 1;
