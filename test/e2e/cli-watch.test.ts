import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

// `--watch` looks at a crawl of another process, and ends with it.

const MAIN = resolve("dist/cli/main.js");

let folder: string;
let server: Server;
let crawl: Told;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-watch-"));
  server = createServer((request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    const n = Number(request.url?.slice(1));
    response.setHeader("content-type", "text/html");
    response.end(`<title>${n}</title><p>all about ${n}</p><a href="/${2 * n + 1}">a</a><a href="/${2 * n + 2}">b</a>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  crawl = start(["crawl", site, "--allow-private", "--delay", "200ms", "--quiet"]);
});
afterEach(async () => {
  crawl.child.kill("SIGKILL");
  await crawl.ended;
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

interface Told {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  out: string;
  err: string;
}

function start(args: readonly string[]): Told {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: { PATH: process.env.PATH } });
  const told: Told = { child, ended: once(child, "close").then(([code]) => code), out: "", err: "" };
  child.stdout.on("data", (data) => {
    told.out += data;
  });
  child.stderr.on("data", (data) => {
    told.err += data;
  });
  return told;
}

/** Polls a condition of another process. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (await condition()) return;
    await new Promise((next) => setTimeout(next, 20));
  }
  throw new Error("it never came true");
}

async function running(): Promise<void> {
  await until(async () => {
    const asked = start(["status", "--json"]);
    return (await asked.ended) === 0 && JSON.parse(asked.out).running === true;
  });
}

const count = (text: string, part: string): number => text.split(part).length - 1;

test.each(["hosts", "status"])(
  "weir %s --watch elsewhere: one answer after the other, and the end of the crawl ends it",
  async (command) => {
    await running();
    const watch = start([command, "--watch", "--json"]);
    await until(() => count(watch.out, "\n") >= 2);
    crawl.child.kill("SIGINT");
    expect(await watch.ended).toBe(0);
    const answers = watch.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).running);
    expect(answers.at(-1)).toBe(false);
    expect(answers.slice(0, -1).every((one) => one === true)).toBe(true);
    expect([watch.err, watch.out.includes("\u001b")]).toEqual(["", false]);
  },
);
