import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { SystemClock } from "../../src/adapters/clock-system/system-clock.ts";
import { GatewayRoute } from "../../src/adapters/fetch-gateway/gateway-route.ts";
import type { GatewayOptions } from "../../src/adapters/fetch-gateway/options.ts";
import { Endpoints } from "../../src/flow/endpoints.ts";
import type { FetchRequest, FetchResult } from "../../src/ports/fetch-route.ts";
import { type Manner, ProxyServer } from "../fixtures/proxy-server.ts";

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

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i += 1) {
    if (await condition()) return;
    await wait(10);
  }
  throw new Error("it never came true");
}

function bytesOf(results: readonly FetchResult[]): { out: number; in: number } {
  const sum = { out: 0, in: 0 };
  for (const { measure } of results) {
    sum.out += measure.bytesOut;
    sum.in += measure.bytesIn;
  }
  return sum;
}

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
          expect(bytesOf(results)).toEqual(proxy.bytes);
        });
      }
});

describe("a gateway's own refusal", () => {
  const reply = (status: string, more = ""): Manner => ({ reply: `HTTP/1.1 ${status}\r\nContent-Length: 4\r\n${more}\r\nsome` });

  test.each([
    ["502 before the tunnel", "http", reply("502 Bad Gateway"), "refusal by endpoint"],
    ["503 before the tunnel", "http", reply("503 Service Unavailable"), "refusal by endpoint"],
    ["504 before the tunnel", "http", reply("504 Gateway Timeout"), "refusal by endpoint"],
    ["402", "http", reply("402 Payment Required"), "refusal by credits"],
    ["509", "http", reply("509 Bandwidth Limit Exceeded"), "refusal by credits"],
    ["429", "http", reply("429 Too Many Requests", "Retry-After: 7\r\n"), "refusal by plan"],
    ["407", "http", reply("407 Proxy Authentication Required"), "refusal by auth"],
    ["silence", "http", "silence", "refusal by endpoint"],
    ["the end of the connection", "http", "close", "refusal by endpoint"],
    ["garbage", "http", "garbage", "refusal by endpoint"],
    ["headers without end", "http", { reply: `HTTP/1.1 200 OK\r\nX: ${"x".repeat(40_000)}` }, "refusal by endpoint"],
    ["silence", "socks5", "silence", "refusal by endpoint"],
    ["the end of the connection", "socks5", "close", "refusal by endpoint"],
    ["garbage", "socks5", "garbage", "refusal by endpoint"],
    ["connection refused", "socks5", { socks: 5 }, "refusal by endpoint"],
    ["not allowed", "socks5", { socks: 2 }, "refusal by endpoint"],
  ] as const)("%s (%s) is no failure of the site, and its bytes are counted", async (_name, kind, manner, expected) => {
    const proxy = await gateway({ kind, manner: () => manner });
    const result = await get(routeBy([proxy.url()], { tunnelTimeout: 300 }), "http://127.0.0.1:9/");
    expect(endOf(result)).toBe(expected);
    await until(() => proxy.clients.size === 0);
    expect(bytesOf([result])).toEqual(proxy.bytes);
    if (result.kind === "refusal" && result.by === "plan") expect([result.status, result.retryAfter]).toEqual([429, 7_000]);
  });

  test("a wrong password closes the way, whichever the protocol", async () => {
    for (const kind of ["http", "socks5"] as const) {
      const proxy = await gateway({ kind, password: "right" });
      expect(endOf(await get(routeBy([proxy.url("me", "wrong")]), "http://127.0.0.1:9/"))).toBe("refusal by auth");
    }
  });

  test("nobody at the gateway's address is its fault, and so is a name without one; no password is told", async () => {
    const proxy = await gateway();
    const url = proxy.url("me", "hush");
    await proxy.close();
    cleanUps.pop();
    for (const endpoint of [url, "http://me:hush@gateway.invalid:1"]) {
      const result = await get(routeBy([endpoint]), "http://127.0.0.1:9/");
      expect(endOf(result)).toBe("refusal by endpoint");
      expect(JSON.stringify(result)).not.toContain("hush");
    }
  });

  test("what the site says through the tunnel is the site's", async () => {
    const site = await serve((socket) => socket.write("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"));
    const proxy = await gateway();
    expect(endOf(await get(routeBy([proxy.url()]), site.url))).toBe("response 502");
  });

  test("half a TLS handshake behind the tunnel is the site's, and ends on time", async () => {
    const proxy = await gateway({ manner: () => "half" });
    const result = await get(routeBy([proxy.url()], { tlsTimeout: 300 }), "https://127.0.0.1:9/");
    expect([endOf(result), result.measure.total < 2_000]).toEqual(["timeout tls", true]);
    expect(bytesOf([result])).toEqual(proxy.bytes);
  });

  test("the fetch's own deadline while the tunnel is asked for is no failure of the site", async () => {
    const proxy = await gateway({ manner: () => "silence" });
    expect(endOf(await get(routeBy([proxy.url()]), "http://127.0.0.1:9/", { timeout: 200 }))).toBe("refusal by endpoint");
  });

  test("a private site is refused before the gateway hears of it", async () => {
    const proxy = await gateway();
    const route = routeBy([proxy.url()], { allowPrivate: false, allowAddresses: ["127.0.0.1:7777"] });
    for (const host of ["127.0.0.1", "[::1]", "10.0.0.1", "localhost", "a.localhost"])
      expect(endOf(await get(route, `http://${host}:9/`))).toBe("private-address resolve");
    expect(proxy.connections).toBe(0);
    expect(await route.resolve("10.0.0.1", 80, new AbortController().signal)).toMatchObject({ kind: "failed", code: "private-address" });
    // A name is the gateway's to resolve.
    expect(await route.resolve("shop.example", 80, new AbortController().signal)).toEqual({
      kind: "resolved",
      addresses: ["shop.example"],
    });
    expect(endOf(await get(route, "http://127.0.0.1:7777/"))).toBe("refusal by endpoint"); // asked for, and nobody there
  });
});

describe("endpoints", () => {
  test("a host stays on one, with one session in its user name, and goes to the other when the first is gone", async () => {
    const site = await serve((socket) => socket.end(ok("hello", "Connection: close\r\n")));
    const proxies = [await gateway(), await gateway()];
    const route = routeBy(
      proxies.map((proxy) => proxy.url("me")),
      { sessionUser: "{user}-session-{session}" },
    );
    for (let i = 0; i < 5; i += 1) await get(route, site.url);
    const home = proxies.findIndex((proxy) => proxy.asked.length === 5);
    const sessions = new Set(proxies[home].asked.map(({ user }) => user));
    expect([sessions.size, /^me-session-[a-z0-9]{6,12}$/.test([...sessions][0])]).toEqual([1, true]);
    proxies[home].manner = () => ({ reply: "HTTP/1.1 503 Gone\r\nContent-Length: 0\r\n\r\n" });
    const host = new URL(site.url).host;
    const ends: string[] = [];
    await until(async () => {
      const now = performance.now();
      const at = route.admitAt(host, now);
      if (at > now) await wait(Math.min(200, at - now));
      else ends.push(endOf(await get(route, site.url)));
      return ends.includes("response 200");
    });
    expect(ends.slice(0, -1).every((end) => end === "refusal by endpoint")).toBe(true);
    // Refused sessions are not asked for again.
    const later = proxies[home].asked.slice(5).map(({ user }) => user);
    expect(new Set(later).size).toBe(later.length);
  });

  test("a start that no endpoint may serve is refused without a byte, and says when to come again", async () => {
    const proxy = await gateway({ manner: () => "close" });
    const route = routeBy([proxy.url()]);
    expect(endOf(await get(route, "http://127.0.0.1:9/"))).toBe("refusal by endpoint");
    const second = await get(route, "http://127.0.0.1:9/");
    expect(second).toMatchObject({ kind: "refusal", by: "endpoint", measure: { bytesOut: 0, bytesIn: 0 } });
    expect(second.kind === "refusal" && (second.retryAfter ?? 0) > 100).toBe(true);
    expect(proxy.connections).toBe(1);
  });
});

describe("where bytes cost money", () => {
  test("a request says only what has an effect", async () => {
    const site = await serve((socket) => socket.write(ok("hello")));
    const proxy = await gateway();
    await get(routeBy([proxy.url()]), site.url);
    expect(site.heads[0].split("\r\n")).toEqual([
      "GET / HTTP/1.1",
      `Host: ${new URL(site.url).host}`,
      "User-Agent: weir-test/0 (+https://weir.test)",
      "Accept-Encoding: br, zstd, gzip",
    ]);
  });

  test.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])("an unwanted body is cut, and both count the same (TLS %s, with a length %s)", async (secure, withLength) => {
    const size = 5_000_000;
    const site = await serve((socket) => {
      const length = withLength ? `Content-Length: ${size}\r\n` : "Connection: close\r\n";
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n${length}\r\n`);
      // Some 10 MB a second, until the other side has had enough.
      let sent = 0;
      const pieces = setInterval(() => {
        if (socket.destroyed || !socket.writable || sent >= size) clearInterval(pieces);
        else socket.write(Buffer.alloc(50_000, 7));
        sent += 50_000;
      }, 5);
    }, secure);
    const proxy = await gateway();
    const result = await get(routeBy([proxy.url()]), site.url, { decide: () => "discard" });
    expect([endOf(result), result.kind === "response" && result.body.length]).toEqual(["response 200", 0]);
    await until(() => proxy.clients.size === 0);
    const counted = bytesOf([result]);
    expect(counted.out + counted.in).toBeLessThan(size * 0.1);
    expect(Math.abs(counted.in - proxy.bytes.in)).toBeLessThanOrEqual(0.01 * proxy.bytes.in);
  });

  test("a short unwanted body is read where that is cheaper than a new connection", async () => {
    const site = await serve((socket) => socket.write(`HTTP/1.1 404 Not Found\r\nContent-Length: 600\r\n\r\n${"x".repeat(600)}`), true);
    const proxy = await gateway();
    const route = routeBy([proxy.url()]);
    for (let i = 0; i < 3; i += 1) await get(route, site.url, { decide: () => "discard" });
    expect(proxy.connections).toBe(1);
  });

  test("a TLS session is taken up again: the second handshake costs less", async () => {
    const site = await serve((socket) => socket.end(ok("hello", "Connection: close\r\n")), true);
    const proxy = await gateway();
    const route = routeBy([proxy.url()]);
    const first = await get(route, site.url);
    const second = await get(route, site.url);
    expect([first.measure.connected, second.measure.connected]).toEqual([true, true]);
    // The test's certificate has 450 bytes; a chain of the world's has ten times as much.
    expect(second.measure.setup ?? 0).toBeLessThan((first.measure.setup ?? 0) - 200);
  });

  test("hundreds of fetches, a third of them failing in every way: both count the same within 1 %", async () => {
    let n = 0;
    const answer = (socket: Socket): void => {
      n += 1;
      const kind = n % 12;
      if (kind === 1) socket.destroy();
      else if (kind === 2) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nhalf");
      else if (kind === 3) socket.write(`HTTP/1.1 404 Not Found\r\nContent-Length: 3000\r\n\r\n${"x".repeat(3_000)}`);
      else if (kind === 4) socket.write("HTTP/1.1 301 Moved\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n");
      else if (kind === 5) socket.write("nonsense\r\n\r\n");
      else socket.write(ok("z".repeat(20_000)));
    };
    const sites = [await serve(answer), await serve(answer, true)];
    const proxies = [await gateway(), await gateway({ kind: "socks5" }), await gateway({ tls: true })];
    for (const proxy of proxies)
      proxy.manner = ({ n: asked }) => (asked % 6 === 0 ? { reply: "HTTP/1.1 502 No\r\nContent-Length: 3\r\n\r\nno!" } : "open");
    const routes = proxies.map((proxy) => routeBy([proxy.url()]));
    const results: FetchResult[] = [];
    for (let round = 0; round < 20; round += 1) {
      const batch = routes.flatMap((route) => sites.flatMap(({ url }) => [get(route, `${url}a`), get(route, `${url}b`)]));
      results.push(...(await Promise.all(batch)));
    }
    const counted = bytesOf(results);
    const served = proxies.reduce((sum, { bytes }) => ({ out: sum.out + bytes.out, in: sum.in + bytes.in }), { out: 0, in: 0 });
    expect(results.filter(({ kind }) => kind !== "response").length).toBeGreaterThan(40);
    expect(Math.abs(counted.out - served.out)).toBeLessThanOrEqual(0.01 * served.out);
    expect(Math.abs(counted.in - served.in)).toBeLessThanOrEqual(0.01 * served.in);
  });
});
