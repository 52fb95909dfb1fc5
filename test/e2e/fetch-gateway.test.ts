import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { SystemClock } from "../../src/adapters/clock-system/system-clock.ts";
import { GatewayRoute } from "../../src/adapters/fetch-gateway/gateway-route.ts";
import type { GatewayOptions } from "../../src/adapters/fetch-gateway/options.ts";
import { Endpoints } from "../../src/flow/endpoints.ts";
import type { FetchRequest, FetchResult } from "../../src/ports/fetch-route.ts";
import { ProxyServer } from "../fixtures/proxy-server.ts";

const CERT = readFileSync(new URL("../fixtures/tls-cert.pem", import.meta.url), "utf8");
const KEY = readFileSync(new URL("../fixtures/tls-key.pem", import.meta.url), "utf8");

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const OPTIONS: GatewayOptions = {
  name: "home",
  endpoints: [],
  sessionUser: null,
  tunnelTimeout: 2_000,
  exhausted: [402, 509],
  busy: [429],
  userAgent: "weir-test/0 (+https://weir.test)",
  accept: null,
  codings: "br, zstd, gzip",
  isMetered: true,
  connectTimeout: 2_000,
  tlsTimeout: 2_000,
  dnsTimeout: 2_000,
  firstByteTimeout: 2_000,
  leastRate: { bytesPerSecond: 1_024, window: 5_000, grace: 5_000 },
  connectionsPerHost: 8,
  maxConnections: 64,
  keepAlive: 60_000,
  tls: { verify: true, ca: CERT },
  allowPrivate: true,
  allowAddresses: [],
};

async function serve(
  answer: (socket: Socket, head: string) => void,
  tls = false,
): Promise<{ url: string; heads: string[]; sockets: Socket[] }> {
  const heads: string[] = [];
  const sockets: Socket[] = [];
  const onSocket = (socket: Socket): void => {
    let text = "";
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      text += data.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end !== -1; end = text.indexOf("\r\n\r\n")) {
        heads.push(text.slice(0, end));
        text = text.slice(end + 4);
        answer(socket, heads[heads.length - 1]);
      }
    });
  };
  const server = tls ? createTlsServer({ key: KEY, cert: CERT }, onSocket) : createServer(onSocket);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}/`, heads, sockets };
}

async function gateway(options: Parameters<typeof ProxyServer.open>[0] = {}): Promise<ProxyServer> {
  const proxy = await ProxyServer.open(options);
  cleanUps.push(() => proxy.close());
  return proxy;
}

function routeBy(urls: readonly string[], options: Partial<GatewayOptions> = {}): GatewayRoute {
  const endpoints = urls.map((url) => ({ url, region: null }));
  const deps = { clock: new SystemClock(), random: () => 0.5, exits: new Endpoints(endpoints, 1) };
  const route = new GatewayRoute(deps, { ...OPTIONS, endpoints, ...options });
  cleanUps.push(() => route.close());
  return route;
}

function get(route: GatewayRoute, url: string, more: Partial<FetchRequest> = {}): Promise<FetchResult> {
  const request: FetchRequest = {
    url,
    headers: [],
    maxBody: 1 << 20,
    timeout: 5_000,
    credit: { draw: () => true },
    decide: () => "read",
    ...more,
  };
  return new Promise((resolve) => {
    route.start(request, resolve);
  });
}

const endOf = (result: FetchResult): string =>
  result.kind === "refusal"
    ? `refusal by ${result.by}`
    : result.kind === "response"
      ? `response ${result.status}`
      : `${result.code} ${result.phase}`;
const ok = (body: string, headers = ""): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;

describe("through every kind of gateway", () => {
  for (const kind of ["http", "socks5"] as const)
    for (const tls of [false, true])
      for (const secure of [false, true]) {
        if (kind === "socks5" && tls) continue;
        test(`${kind}${tls ? " over TLS" : ""} an ${secure ? "https" : "http"} site is fetched, and both count the same bytes`, async () => {
          const site = await serve((socket) => socket.write(ok("hello")), secure);
          const proxy = await gateway({ kind, tls, password: "pa:ss" });
          const route = routeBy([proxy.url("me", "pa%3Ass")]);
          const results: FetchResult[] = [];
          for (let i = 0; i < 3; i += 1) results.push(await get(route, `${site.url}${i}`));
          expect(results.map(endOf)).toEqual(["response 200", "response 200", "response 200"]);
          expect(results.map(({ measure }) => measure.connected)).toEqual([true, false, false]);
          expect(proxy.asked).toMatchObject([{ target: new URL(site.url).host, user: "me", password: "pa:ss" }]);
          const counted = results.reduce((sum, { measure }) => ({ out: sum.out + measure.bytesOut, in: sum.in + measure.bytesIn }), {
            out: 0,
            in: 0,
          });
          expect(counted).toEqual(proxy.bytes);
        });
      }
});
