import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ScrapingApiOptions, scrapingApi } from "../../examples/providers/server.mjs";

// The command line with the scraping API of examples/providers over loopback. The targets have names that lead nowhere.

const MAIN = resolve("dist/cli/main.js");
const KEY = "k3y-of-the-account";
let folder: string;
const closing: (() => void)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-api-"));
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await rm(folder, { recursive: true });
});

function shop(pages: number) {
  return (url: URL): { status: number; html: string } => {
    if (url.pathname === "/robots.txt") return { status: 404, html: "" };
    const links = Array.from({ length: url.host === "angry.test" ? 2 : pages - 1 }, (_, n) => `<a href="/p/${n}">${n}</a>`).join("");
    const own = `<title>${url.href}</title><main>All about ${url.href} and nothing else</main>`;
    if (url.pathname === "/") return { status: 200, html: own + links };
    return url.host === "angry.test" ? { status: 429, html: "" } : { status: 200, html: own };
  };
}

async function api(options: ScrapingApiOptions, told: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  const made = scrapingApi({ key: KEY, ...options });
  const port = await listen(made.server);
  const settings = {
    kind: "scraping-api",
    request: `http://127.0.0.1:${port}/v1/scrape?url={url}`,
    headers: { Authorization: "env:API_KEY" },
    status: "$.status",
    body: "$.body",
    finalUrl: "$.url",
    credits: "$.credits",
    pricePerCredit: 0.001,
    ...told,
  };
  await writeFile(join(folder, "weir.config.json"), JSON.stringify({ providers: { api: settings }, provider: "api", ...more }));
  return { ...made, charged: () => made.state.calls.reduce((sum, { credits }) => sum + credits, 0) };
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function start(args: readonly string[], key = KEY): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, API_KEY: key },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function ended(child: ChildProcess) {
  let out = "";
  let err = "";
  child.stdout?.on("data", (data) => {
    out += data;
  });
  child.stderr?.on("data", (data) => {
    err += data;
  });
  const [code] = await once(child, "close");
  return { code, err, out, json: () => JSON.parse(out.trim().split("\n").at(-1) ?? "") };
}

/** Many, for each is asked politely. */
const HOSTS = Array.from({ length: 12 }, (_, n) => `h${n}.test`);
const crawl = (seeds: readonly string[], ...more: string[]) => ["crawl", ...seeds, "--quiet", "--json", "-o", "pages.jsonl", ...more];
const seedsOf = (...hosts: string[]) => hosts.map((host) => `http://${host}/`);
const pages = async () =>
  (await readFile(join(folder, "pages.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** What was under way when a refusal was sent has come in. */
const heard = () => new Promise((go) => setTimeout(go, 300));

async function until(what: () => boolean): Promise<void> {
  const end = performance.now() + 15_000;
  while (!what()) {
    if (performance.now() > end) throw new Error("It did not happen within 15 s");
    await new Promise((go) => setTimeout(go, 5));
  }
}

test("an unknown plan is found and kept: every page is fetched, no attempt is charged, and a target's 429 is the target's", async () => {
  const { state, charged } = await api({ plan: 4, credits: 1e6, ms: 250, target: shop(7) }, { retries: 1 });
  const run = await ended(start(crawl(seedsOf(...HOSTS, "angry.test"))));
  expect(run.code).toBe(0);
  const settled = await pages();
  expect(settled.filter(({ outcome, provider }) => outcome === "new" && provider === "api")).toHaveLength(HOSTS.length * 7 + 1);
  expect(settled.filter(({ url, outcome }) => url.startsWith("http://angry.test/p/") && outcome === "blocked")).toHaveLength(2);
  const refused = state.calls.filter(({ status }) => status === 429).length;
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(0.2 * state.calls.length);
  const summary = run.json();
  expect(summary).toMatchObject({ retries: 0, left: 0, cost: charged() * 1_000 });
  expect(summary.providers.api).toMatchObject({ credits: charged(), refused, calls: state.calls.length, shut: null });
  expect(state.mostWorking).toBe(4);
});

test("a stated plan is never exceeded", async () => {
  const { state } = await api({ plan: 5, credits: 1e6, ms: 200, target: shop(6) }, { concurrency: 5 });
  expect((await ended(start(crawl(seedsOf(...HOSTS))))).code).toBe(0);
  expect(state.mostWorking).toBe(5);
  expect(state.calls.filter(({ status }) => status !== 200)).toEqual([]);
});

test("after the first 509 no paid call starts, direct work goes on, and weir topup resumes it within a second", async () => {
  const { state, charged } = await api(
    { plan: 8, credits: 40, ms: 100, target: shop(20) },
    { concurrency: 8 },
    { provider: "direct", hosts: { overrides: Object.fromEntries(HOSTS.map((host) => [host, { provider: "api" }])) }, allowPrivate: true },
  );
  let asked = 0;
  const site = createServer((request, response) => {
    asked += 1;
    const n = Number(request.url?.slice(1) || 0);
    response.setHeader("content-type", "text/html");
    setTimeout(() => response.end(`<main>Direct page ${n}</main>${n < 2_000 ? `<a href="/${n + 1}">next</a>` : ""}`), 20);
  });
  const port = await listen(site);
  const child = start(crawl([...seedsOf(...HOSTS), `http://127.0.0.1:${port}/`], "--max-wait", "1h"));
  const done = ended(child);
  await until(() => state.calls.some(({ status }) => status === 509));
  const first = state.calls.find(({ status }) => status === 509);
  await heard();
  const [calls, direct] = [state.calls.length, asked];
  expect(state.calls.filter(({ status }) => status === 509).length).toBeLessThanOrEqual(8);
  await new Promise((go) => setTimeout(go, 1_000));
  expect(state.calls.length, "paid calls while the account is shut").toBe(calls);
  expect(state.calls.filter(({ at }) => at > (first?.at ?? 0) + 300)).toEqual([]);
  expect(asked).toBeGreaterThan(direct + 10);

  state.credits = 1_000;
  const topped = await ended(start(["topup", "api", "--credits", "1000", "--json"]));
  const told = performance.now();
  expect(topped.json()).toEqual({ provider: "api", running: true, left: 1_000 });
  await until(() => state.calls.length > calls);
  expect(performance.now() - told).toBeLessThan(1_000);
  child.kill("SIGINT");
  const run = await done;
  expect(run.err).toContain("Provider api has no credits left; calls go on after weir topup api");
  expect(run.json().providers.api.credits).toBe(charged());
  expect(run.json().retries).toBe(0);
});

test("it resumes within a second of the reset", async () => {
  const at = Math.ceil(Date.now() / 1_000) * 1_000 + 5_000;
  const { state, reset } = await api(
    { plan: 5, credits: 20, ms: 30, target: shop(4) },
    { concurrency: 5, resetAt: new Date(at).toISOString() },
  );
  const done = ended(start(crawl(seedsOf(...HOSTS))));
  await until(() => state.calls.some(({ status }) => status === 509));
  await heard();
  const calls = state.calls.length;
  state.refill = 1_000;
  await until(() => Date.now() >= at - 200);
  expect(state.calls.length).toBe(calls);
  reset();
  await until(() => state.calls.length > calls);
  expect(Date.now()).toBeGreaterThanOrEqual(at);
  expect(Date.now()).toBeLessThan(at + 1_000);
  const run = await done;
  expect(run.code).toBe(0);
  expect(run.json()).toMatchObject({ pages: HOSTS.length * 4, left: 0, retries: 0 });
});

test("a pass with only paid work left ends with 3, says when it goes on, and does after a top-up into the store", async () => {
  const { charged } = await api({ plan: 5, credits: 1e6, ms: 20, target: shop(40) }, { balance: 15, resetAt: "month", concurrency: 5 });
  const first = await ended(start(crawl(seedsOf("a.test"))));
  expect(first.code).toBe(3);
  expect(charged()).toBe(15);
  expect(first.err).toMatch(/Provider api has no credits left; calls go on at 20\d\d-\d\d-01T00:00:00.000Z, or after weir topup api/);
  expect(first.json()).toMatchObject({ stopped: "max-wait", providers: { api: { left: 0, shut: "credits" } } });
  const topped = await ended(start(["topup", "api", "--credits", "10"]));
  expect(topped).toMatchObject({ code: 0, out: "api is open again, 10 left; the next crawl will use it\n" });
  const second = await ended(start(crawl(seedsOf("a.test"))));
  expect(second.code).toBe(3);
  expect(charged()).toBe(25);
  expect((await ended(start(["topup", "apo"]))).err).toContain("did you mean api?");
});

test("kill -9 keeps the ledger right to within what was in flight", async () => {
  const { state, charged } = await api(
    { plan: 5, credits: 1e6, ms: 100, target: shop(20) },
    { balance: 120, concurrency: 5, resetAt: "month" },
  );
  const child = start(crawl(seedsOf(...HOSTS)));
  const killed = ended(child);
  await until(() => charged() >= 50);
  child.kill("SIGKILL");
  await killed;
  await until(() => state.working === 0);
  const spent = charged();
  const second = await ended(start(crawl(seedsOf(...HOSTS))));
  expect(second.code).toBe(3);
  expect(Math.abs(second.json().providers.api.left)).toBeLessThanOrEqual(5);
  expect(Math.abs(charged() - 120), `${spent} were spent before the kill`).toBeLessThanOrEqual(5);
});

test("a wrong key closes the provider, ends the pass, and stands nowhere", async () => {
  const { state } = await api({ plan: 5, credits: 100, target: shop(5) });
  const wrong = "wr0ng-key";
  const run = await ended(start(crawl(seedsOf("a.test", "b.test"), "--verbose"), wrong));
  expect(run.code).toBe(3);
  expect(run.err).toContain("Provider api refuses every call: api: it answered 401");
  expect(state.calls.length).toBeLessThanOrEqual(2);
  const shown = await ended(start(["config", "--explain"], wrong));
  let kept = run.out + run.err + shown.out + shown.err;
  for (const name of await readdir(join(folder, ".weir"))) kept += await readFile(join(folder, ".weir", name), "latin1").catch(() => "");
  expect(kept).not.toContain(wrong);
});
