import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

// The command line over the real engine and a small site on loopback: what users and scripts see.

const MAIN = resolve("dist/cli/main.js");
const PAGES = 120;
let server: Server;
let site: string;
let folder: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/robots.txt") return void response.end("User-agent: *\nDisallow: /private\n");
    const id = Number(/^\/p(\d+)$/.exec(request.url ?? "")?.[1] ?? 0);
    const links = [id * 3 + 1, id * 3 + 2, id * 3 + 3].filter((to) => to < PAGES).map((to) => `<a href="/p${to}">${to}</a>`);
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      `<title>=Page ${id}</title><h1>Heading ${id}</h1><p>${"words of its own ".repeat(id + 1)}</p>${links.join("")}<a href="/private/">p</a>`,
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-crawl-"));
  return () => rm(folder, { recursive: true });
});

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: { PATH: process.env.PATH }, stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (data) => {
    out += data;
  });
  child.stderr?.on("data", (data) => {
    err += data;
  });
  const [code] = await once(child, "close");
  return { code, out, err };
}

const weir = (...args: string[]) => ended(start(args));
const records = async (name: string) =>
  (await readFile(join(folder, name), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const crawl = (...args: string[]) => weir("crawl", site, "--allow-private", ...args);

test("a crawl writes every settled URL, prints its summary last, and export agrees", async () => {
  const { code, out } = await crawl("-o", "out.jsonl", "--save-bodies", "bodies", "--fields", "+text", "--json", "--quiet");
  expect(code).toBe(0);
  const summary = JSON.parse(out.trim().split("\n").at(-1) ?? "");
  expect(summary).toMatchObject({ new: PAGES, failed: 0, skipped: { robots: 1 }, stopped: null, left: 0 });
  const lines = await records("out.jsonl");
  expect(new Set(lines.map((line) => line.url)).size).toBe(lines.length);
  expect(lines.filter((line) => line.outcome === "new")).toHaveLength(PAGES);

  const exported = await weir("export", "--fields", "url,title,text", "--save-bodies", "bodies");
  const pages = exported.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const delivered = new Map(lines.map((line) => [line.url, line]));
  for (const page of pages)
    expect(page).toEqual({ url: page.url, title: delivered.get(page.url).title, text: delivered.get(page.url).text });
  expect((await weir("export", "--format", "csv", "--fields", "title")).out).toContain("\r\n'=Page 1\r\n");
  expect((await weir("export", "--what", "skipped", "--fields", "url,error")).out).toContain('"code":"robots"');
});

test("a limit ends a run with 3, and the same command goes on behind the file's last line", async () => {
  const first = await crawl("-o", "out.jsonl", "--max-pages", "20", "--json");
  expect(first.code).toBe(3);
  expect(first.err).toContain("Stopped by --max-pages");
  const before = (await records("out.jsonl")).length;
  const second = await crawl("-o", "out.jsonl", "--json");
  expect(second.code).toBe(0);
  const seqs = (await records("out.jsonl")).map((line) => line.seq);
  expect(seqs.length).toBeGreaterThan(before);
  expect(seqs).toEqual(seqs.map((_, i) => i + 1));
});

test("an interrupted crawl drains, ends with 130 and says how to go on; status tells it live and afterwards", async () => {
  const child = start(["crawl", site, "--allow-private", "--delay", "50ms", "--quiet"]);
  const end = ended(child);
  let live = { running: false, status: { pid: 0 } };
  for (let i = 0; i < 100 && !live.running; i++) {
    const { code, out } = await weir("status", "--json");
    if (code === 0) live = JSON.parse(out);
  }
  expect(live).toMatchObject({ running: true, status: { pid: child.pid } });
  child.kill("SIGINT");
  expect(await end).toMatchObject({ code: 130, err: expect.stringContaining("stopping") });
  const after = JSON.parse((await weir("status", "--json")).out);
  expect(after).toMatchObject({ running: false, status: { state: "done" } });
  expect((await weir("status")).out).toContain("last snapshot");
});

test("a closed stdout is one message and 1, and the rest is delivered next time", async () => {
  const child = start(["crawl", site, "--allow-private", "-o", "-", "--quiet"]);
  const end = ended(child);
  child.stdout?.once("data", () => child.stdout?.destroy());
  const { code, err } = await end;
  expect(code).toBe(1);
  expect(err.match(/closed by its reader/g)).toHaveLength(1);
  expect(err).not.toMatch(/\n\s+at /);
});

test("a second process on one store is refused and told who has it", async () => {
  const child = start(["crawl", site, "--allow-private", "--delay", "50ms", "--quiet"]);
  const end = ended(child);
  for (let i = 0; i < 100 && (await weir("status")).code !== 0; i++);
  const second = await crawl("--quiet");
  expect(second.code).toBe(1);
  expect(second.err).toContain(String(child.pid));
  child.kill("SIGKILL");
  await end;
});

test("when nothing can be fetched the exit code is 1 and the reason is told", async () => {
  const refused = await weir("crawl", `${site}private/`, "--allow-private", "--store", "a.db", "--json");
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("robots");
  expect(JSON.parse(refused.out.trim())).toMatchObject({ pages: 0, skipped: { robots: 1 } });
  const down = await weir("crawl", "http://127.0.0.1:9/", "--allow-private", "--retries", "0", "--store", "b.db", "--quiet");
  expect(down.code).toBe(1);
  expect(down.err).toMatch(/^weir: Nothing could be fetched\n {2}http:\/\/127\.0\.0\.1:9\/: failed, [a-z-]+ \(.+\)\n$/);
});

test("an output that can't be opened is one message, before anything is fetched", async () => {
  const { code, err } = await crawl("-o", "none/out.jsonl");
  expect(code).toBe(1);
  expect(err.trim()).toBe(`weir: ${join(folder, "none", "out.jsonl")} could not be opened for writing: its folder does not exist`);
});
