import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSite, type Site, type SiteManner } from "../fixtures/contract-site.ts";
import { ProxyServer } from "../fixtures/proxy-server.ts";

const MAIN = resolve("dist/cli/main.js");
const CERT = resolve("test/fixtures/tls-cert.pem");
const PAGES = 12;
const cleanUps: (() => unknown)[] = [];
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-gateway-"));
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  await rm(folder, { recursive: true });
});

/** @param stop presses Ctrl-C once. */
function weir(args: readonly string[], stop?: AbortSignal): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((done) => {
    const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: CERT };
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env });
    stop?.addEventListener("abort", () => child.kill("SIGINT"));
    let out = "";
    let err = "";
    child.stdout.on("data", (data) => {
      out += data;
    });
    child.stderr.on("data", (data) => {
      err += data;
    });
    child.on("close", (code) => done({ code, out, err }));
  });
}

/** Twelve pages that link to each other, a picture, and no robots.txt. */
async function site(manner: SiteManner): Promise<Site> {
  const opened = await openSite(manner, (request, response) => {
    const n = /^\/(\d*)$/.exec(request.path)?.[1];
    if (request.path === "/picture") {
      response.writeHead(200, { "content-type": "image/png" });
      response.end(Buffer.alloc(5_000));
      return;
    }
    response.writeHead(n === undefined ? 404 : 200, { "content-type": "text/html" });
    const links = Array.from({ length: PAGES }, (_, i) => `<a href="/${i + 1}">${i}</a>`).join("");
    response.end(
      n === undefined
        ? ""
        : `<title>${n}</title><p>page ${n} of its own ${"weir ".repeat(Number(n) + 3)}</p><a href="/picture">p</a>${links}`,
    );
  });
  cleanUps.push(opened.close);
  return opened;
}

async function proxy(options: Parameters<typeof ProxyServer.open>[0]): Promise<ProxyServer> {
  const opened = await ProxyServer.open(options);
  cleanUps.push(() => opened.close());
  return opened;
}

test.each([
  ["http", "http"],
  ["socks5", "https"],
] as const)("--proxy: a crawl goes through a %s proxy to an %s site, and its bytes are the proxy's, by cause", async (kind, manner) => {
  const target = await site(manner);
  const gateway = await proxy({ kind, password: "hush" });
  const { code, out, err } = await weir(["crawl", target.url, "--allow-private", "--proxy", gateway.url(), "--json"]);
  expect([code, err.includes("hush")]).toEqual([0, false]);
  const summary = JSON.parse(out.trim().split("\n").at(-1) ?? "");
  expect(summary.pages).toBe(PAGES + 1);
  expect(gateway.asked.length).toBeGreaterThan(0);
  const served = gateway.bytes.in + gateway.bytes.out;
  expect(Math.abs(summary.bytesWire - served)).toBeLessThanOrEqual(0.01 * served);
  const causes: Record<string, number> = summary.bytesByCause;
  expect(Object.values(causes).reduce((sum, bytes) => sum + bytes, 0)).toBe(summary.bytesWire);
  for (const cause of ["pages", "unwanted", "handshakes", "headers"]) expect(causes[cause], cause).toBeGreaterThan(0);
});

test("a gateway that refuses for a while costs no page, no retry and no password", async () => {
  const target = await site("http");
  const gateway = await proxy({ manner: ({ n }) => (n % 3 === 0 ? "open" : { reply: "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n" }) });
  await writeFile(
    join(folder, "weir.config.json"),
    JSON.stringify({
      provider: "home",
      providers: { home: { kind: "gateway", endpoints: [gateway.url()], pricePerGB: 3 } },
      allowPrivate: true,
    }),
  );
  const { code, out } = await weir(["crawl", target.url, "--json"]);
  const summary = JSON.parse(out.trim().split("\n").at(-1) ?? "");
  expect([code, summary.pages, summary.failed, summary.retries, summary.left]).toEqual([0, PAGES + 1, 0, 0, 0]);
  expect(summary.bytesByCause.refused).toBeGreaterThan(0);
  expect(summary.cost).toBeGreaterThan(0);
});

/** Runs a crawl, asks how its hosts and it are doing until the text is there, and ends it. */
async function asked(endpoint: string, sign: string): Promise<{ hosts: string; status: string; err: string }> {
  const store = join(folder, "weir.db");
  const stop = new AbortController();
  const crawl = weir(["crawl", "http://a.example/", "http://b.example/", "--proxy", endpoint, "--store", store], stop.signal);
  let status = "";
  // From the third refusal in a row on it is said aloud.
  for (let i = 0; i < 60 && !/endpoint ([3-9]|\d\d)/.test(status); i += 1) status = (await weir(["status", "--store", store])).out;
  let hosts = "";
  for (let i = 0; i < 60 && !hosts.includes(sign); i += 1) hosts = (await weir(["hosts", "--store", store])).out;
  status = (await weir(["status", "--store", store])).out;
  stop.abort();
  const { code, err } = await crawl;
  expect(code).toBe(130);
  return { hosts, status, err };
}

test.each([
  ["a dead proxy", null, "provider down: proxy lets nothing through", "cannot be reached: connecting to 127.0.0.1 failed"],
  ["a proxy that answers 502", "502 Bad Gateway", "provider down: proxy lets nothing through", "answered 502 to CONNECT"],
  ["a proxy that answers 503", "503 Service Unavailable", "provider down: proxy lets nothing through", "answered 503 to CONNECT"],
  ["a proxy that answers 504", "504 Gateway Timeout", "provider down: proxy lets nothing through", "answered 504 to CONNECT"],
] as const)("%s over plain http: hosts, the live line and the end name it and what it said", async (_name, status, reason, said) => {
  const gateway = await proxy({ manner: () => ({ reply: `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n` }) });
  const endpoint = gateway.url("me", "hush");
  if (status === null) await gateway.close();
  const { hosts, status: shown, err } = await asked(endpoint, `2 ${reason.slice(0, 13)}`);
  expect(hosts).toContain(reason);
  expect(hosts).toContain(said);
  expect(err).toMatch(new RegExp(`warning: Provider proxy lets nothing through.*${said}`));
  expect(shown).toMatch(new RegExp(`bound by: host limits: 2 hosts without a way through their provider.*proxy: .*${said}`));
  expect(err).toMatch(new RegExp(`proxy itself refused or was not reached: .*${said}`));
  expect((err + hosts + shown).includes("hush")).toBe(false);
});

test.each([
  ["http", "answered 407 to CONNECT [ab].example:80: the user name or the password is wrong"],
  ["socks5", "refused the login: the user name or the password is wrong"],
] as const)("a %s proxy that refuses the login closes the way at once, and says so in words", async (kind, said) => {
  const gateway = await proxy({ kind, password: "right" });
  const store = join(folder, "weir.db");
  const { code, err } = await weir([
    "crawl",
    "http://a.example/",
    "http://b.example/",
    "--proxy",
    gateway.url("me", "hush"),
    "--store",
    store,
  ]);
  expect(code).toBe(3);
  expect(err).toMatch(new RegExp(`warning: Provider proxy refuses every call: .*${said}`));
  expect(err).toMatch(new RegExp(`proxy itself refused or was not reached: .*${said}`));
  const { out } = await weir(["hosts", "--store", store]);
  expect(out).toMatch(new RegExp(`provider closed: proxy refuses every call; proxy said last: .*${said}`));
  expect(gateway.connections).toBeLessThanOrEqual(2);
  expect((err + out).includes("hush")).toBe(false);
});

test("a proxy beside a provider, and one that is none, are told without the password", async () => {
  for (const args of [
    ["--proxy", "ftp://me:hush@a.example"],
    ["--proxy", "http://me:hush@a.example", "--provider", "home"],
  ]) {
    const { code, out, err } = await weir(["crawl", "http://a.example", ...args]);
    expect([code, out, err.includes("hush"), err.includes("--proxy")]).toEqual([2, "", false, true]);
  }
  const shown = await weir(["config", "--proxy", "http://me:hush@a.example:8000"]);
  expect([shown.out.includes("hush"), shown.out.includes("http://a.example:8000")]).toEqual([false, true]);
});

test("HTTP/2 by host: a site that speaks nothing else is crawled over one connection", async () => {
  const target = await site("h2");
  const host = new URL(target.url).host;
  await writeFile(
    join(folder, "weir.config.json"),
    JSON.stringify({ hosts: { overrides: { [host]: { http2: true } } }, allowPrivate: true }),
  );
  const { code, out } = await weir(["crawl", target.url, "--json"]);
  expect([code, JSON.parse(out.trim().split("\n").at(-1) ?? "").pages]).toEqual([0, PAGES + 1]);
  expect(target.sockets.length).toBe(1);
});

test.each(["http", "socks5"] as const)(
  "HTTP/2 through a %s gateway: the site is crawled over one tunnel, and the bytes are the gateway's",
  async (kind) => {
    const target = await site("h2");
    const gateway = await proxy({ kind });
    const host = new URL(target.url).host;
    await writeFile(
      join(folder, "weir.config.json"),
      JSON.stringify({ hosts: { overrides: { [host]: { http2: true } } }, allowPrivate: true, proxy: gateway.url() }),
    );
    const { code, out } = await weir(["crawl", target.url, "--json"]);
    const summary = JSON.parse(out.trim().split("\n").at(-1) ?? "");
    expect([code, summary.pages]).toEqual([0, PAGES + 1]);
    expect([target.sockets.length, gateway.connections]).toEqual([1, 1]);
    const served = gateway.bytes.in + gateway.bytes.out;
    expect(Math.abs(summary.bytesWire - served)).toBeLessThanOrEqual(0.01 * served);
  },
);
