import { readFileSync } from "node:fs";
import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { SystemClock } from "../../src/adapters/clock-system/system-clock.ts";
import { DirectRoute } from "../../src/adapters/fetch-direct/direct-route.ts";
import type { HttpOptions } from "../../src/adapters/http1/options.ts";
import type { FetchResult } from "../../src/ports/fetch-route.ts";
import { DEADLINES } from "../contract/fetch-route.contract.ts";
import { CERT, openSite } from "../fixtures/contract-site.ts";

const KEY = readFileSync(new URL("../fixtures/tls-key.pem", import.meta.url), "utf8");
const OPTIONS: HttpOptions = {
  ...DEADLINES,
  userAgent: "weir-test/0 (+https://weir.test)",
  accept: "text/html",
  codings: "br, gzip",
  isMetered: false,
  connectionsPerHost: 8,
  maxConnections: 64,
  keepAlive: 60_000,
  tls: { verify: true, ca: CERT },
  allowPrivate: true,
  allowAddresses: [],
};

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function routeWith(options: Partial<HttpOptions> = {}): DirectRoute {
  const route = new DirectRoute({ clock: new SystemClock() }, { ...OPTIONS, http2For: () => true, ...options });
  cleanUps.push(() => route.close());
  return route;
}

function get(route: DirectRoute, url: string): Promise<FetchResult> {
  return new Promise((resolve) => {
    route.start({ url, headers: [], maxBody: 1 << 20, timeout: 5_000, credit: { draw: () => true }, decide: () => "read" }, resolve);
  });
}

const endOf = (result: FetchResult): string =>
  result.kind === "response" ? `response ${result.status}` : result.kind === "refusal" ? "refusal" : `${result.code} ${result.phase}`;

/** A server of streams, for what the plain one cannot say. */
async function serveStreams(answer: (stream: ServerHttp2Stream, session: ServerHttp2Session, n: number) => void, streamsMost = 100) {
  let sessions = 0;
  let n = 0;
  const server = createSecureServer({ key: KEY, cert: CERT, settings: { maxConcurrentStreams: streamsMost } });
  server.on("session", (session) => {
    sessions += 1;
    session.on("error", () => {});
    cleanUps.push(() => session.destroy());
    session.on("stream", (stream) => {
      n += 1;
      stream.on("error", () => {});
      answer(stream, session, n);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, sessions: () => sessions };
}

test("many fetches share one connection, and end in their own order", async () => {
  const site = await serveStreams((stream, _session, n) =>
    setTimeout(
      () => {
        stream.respond({ ":status": 200 });
        stream.end(String(n));
      },
      (n % 4) * 20,
    ),
  );
  const route = routeWith();
  await get(route, site.url);
  const results = await Promise.all(Array.from({ length: 40 }, (_, i) => get(route, `${site.url}${i}`)));
  expect(new Set(results.map(endOf))).toEqual(new Set(["response 200"]));
  expect([site.sessions(), results.some(({ measure }) => measure.connected), route.pool.open]).toEqual([1, false, 1]);
});

test("more than the server takes at once go by another connection, not into a queue", async () => {
  const site = await serveStreams((stream) => setTimeout(() => stream.respond({ ":status": 204 }, { endStream: true }), 50), 3);
  const route = routeWith();
  await get(route, site.url);
  const results = await Promise.all(Array.from({ length: 5 }, () => get(route, site.url)));
  expect(results.map(endOf)).toEqual(Array(5).fill("response 204"));
  expect(site.sessions()).toBe(3);
});

test("a stream that is refused is asked for once more; a server that goes away is left", async () => {
  const site = await serveStreams((stream, session, n) => {
    if (n === 2)
      stream.close(7); // REFUSED_STREAM: nothing was done with it
    else {
      stream.respond({ ":status": 200 });
      stream.end("page");
      if (n === 3) session.close();
    }
  });
  const route = routeWith();
  for (let i = 0; i < 4; i += 1) expect(endOf(await get(route, site.url))).toBe("response 200");
  expect(site.sessions()).toBeGreaterThan(1);
});

test("a stream that the server breaks is an answer that cannot be read", async () => {
  const site = await serveStreams((stream) => stream.close(2)); // INTERNAL_ERROR
  expect(endOf(await get(routeWith(), site.url))).toBe("protocol headers");
});

test("where the site does not offer it, and where nobody asked for it, HTTP/1.1 serves", async () => {
  const old = await openSite("https", (_request, response) => response.end("page"));
  cleanUps.push(old.close);
  expect(endOf(await get(routeWith(), old.url))).toBe("response 200");
  const both = await openSite("h2", (_request, response) => response.end("page"));
  cleanUps.push(both.close);
  expect(endOf(await get(routeWith({ http2For: (authority) => authority === "other.example" }), both.url))).not.toBe("response 200");
  expect(endOf(await get(routeWith({ http2For: (authority) => both.url.includes(authority) }), both.url))).toBe("response 200");
});

test("closing the route ends what runs on a shared connection", async () => {
  const site = await serveStreams(() => undefined);
  const route = routeWith();
  const running = [get(route, site.url), get(route, site.url)];
  await new Promise((resolve) => setTimeout(resolve, 100));
  await route.close();
  expect((await Promise.all(running)).map(endOf)).toEqual(["connect aborted", "connect aborted"]);
  expect([route.active, route.pool.open]).toEqual([0, 0]);
});
