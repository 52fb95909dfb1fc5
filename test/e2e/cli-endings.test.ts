import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, link, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

// How commands end when something is wrong: one clear message, the right exit code, JSON where it was asked for, nothing lost.

const MAIN = resolve("dist/cli/main.js");
let server: Server;
let site: string;
let folder: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<title>${request.url}</title><p>all about ${request.url}</p><a href="/a">a</a><a href="/b">b</a>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-endings-"));
  return () => rm(folder, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function weir(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
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

const crawl = (...args: string[]): Promise<Ended> => weir(["crawl", site, "--allow-private", ...args]);
const lastLine = (out: string) => JSON.parse(out.trim().split("\n").at(-1) ?? "");

describe("an output that is the store itself", () => {
  test("is refused by crawl and by export, under whatever name, and the store is whole", async () => {
    expect((await crawl("--store", "store.jsonl", "--quiet")).code).toBe(0);
    await symlink("store.jsonl", join(folder, "soft.jsonl"));
    await link(join(folder, "store.jsonl"), join(folder, "hard.jsonl"));
    for (const output of ["store.jsonl", "soft.jsonl", "hard.jsonl"]) {
      for (const args of [
        ["crawl", site, "--allow-private"],
        ["export", "--format", "csv"],
      ]) {
        const { code, err } = await weir([...args, "--store", "store.jsonl", "-o", output]);
        expect(code).toBe(2);
        expect(err).toContain("would be written over the store");
      }
    }
    expect((await weir(["export", "--store", "store.jsonl", "--fields", "url"])).out.trim().split("\n")).toHaveLength(3);
  });
});

describe("with --json the last line of stdout is JSON", () => {
  test.each([
    ["for a command that does not exist", ["nonsense", "--json"], {}],
    ["for no command at all", ["--json"], {}],
    ["when another option has taken --json for its value", ["crawl", "a.example", "--max-pages", "--json"], {}],
    ["when a variable asks for it", ["crawl"], { WEIR_JSON: "1" }],
    ["when a value of the environment is wrong too", ["status"], { WEIR_JSON: "yes", WEIR_MAX_PAGES: "many" }],
  ])("%s", async (_, args, env) => {
    const { code, out, err } = await weir(args, env);
    expect(code).toBe(2);
    expect(lastLine(out)).toMatchObject({ error: { code: expect.stringMatching(/^WEIR_/) } });
    expect(err).toMatch(/^weir: /);
  });

  test("when the configuration file asks for it and the run fails", async () => {
    await writeFile(join(folder, "weir.config.json"), JSON.stringify({ json: true }));
    await mkdir(join(folder, "folder.db"));
    const { code, out } = await crawl("--store", "folder.db");
    expect(code).toBe(1);
    expect(lastLine(out)).toMatchObject({ error: { code: "WEIR_STORE_FAILED" } });
  });
});

describe("a configuration file that takes the program down", () => {
  test.each([
    ["by never coming to an end", "export default await new Promise(() => {});"],
    ["by ending the process", "process.exit(0);\nexport default {};"],
  ])("%s is no success", async (_, text) => {
    await writeFile(join(folder, "weir.config.mjs"), text);
    const { code, out, err } = await crawl("--json");
    expect(code).toBe(1);
    expect(err).toContain("ended before its work did");
    expect(lastLine(out)).toMatchObject({ error: { code: "WEIR_BUG" } });
  });
});

describe("a store that cannot be used", () => {
  test("because it is a folder is told so, without the words of the database", async () => {
    await mkdir(join(folder, "place.db"));
    for (const args of [["crawl", site], ["status"], ["export"]]) {
      const { code, err } = await weir([...args, "--store", "place.db"]);
      expect(code).toBe(1);
      expect(err.trim().split("\n")).toHaveLength(1);
      expect(err).toContain("it is a folder");
      expect(err).not.toContain("ConnectionFailed");
    }
  });

  // The superuser may write everything.
  test.skipIf(process.getuid?.() === 0)(
    "because it may not be written is told before anything is fetched; it can still be read",
    async () => {
      await mkdir(join(folder, "kept"));
      expect((await crawl("--store", "kept/weir.db", "--quiet")).code).toBe(0);
      for (const name of ["-wal", "-shm", ".lock"]) await rm(join(folder, "kept", `weir.db${name}`), { force: true });
      await chmod(join(folder, "kept", "weir.db"), 0o444);
      await chmod(join(folder, "kept"), 0o555);
      const { code, err } = await crawl("--store", "kept/weir.db");
      expect(code).toBe(1);
      expect(err).toMatch(/^weir: The store .+ cannot be written: no permission for .+\n$/);
      expect((await weir(["export", "--store", "kept/weir.db", "--fields", "url"])).out.trim().split("\n")).toHaveLength(3);
      expect((await weir(["status", "--store", "kept/weir.db"])).code).toBe(0);
      await chmod(join(folder, "kept"), 0o755);
    },
  );
});

test("a URL that is too long to be kept is no seed, instead of a crawl that is done at once", async () => {
  const { code, err } = await weir(["crawl", `https://a.example/${"a".repeat(9_000)}`]);
  expect(code).toBe(2);
  expect(err).toContain("at most 8192 characters");
});

test("an empty export as CSV has its header, on stdout as in a file", async () => {
  await crawl("--quiet");
  const printed = await weir(["export", "--what", "failed", "--format", "csv", "--fields", "url,error"]);
  expect(printed).toMatchObject({ code: 0, out: "url,error\r\n" });
  await weir(["export", "--what", "failed", "--fields", "url,error", "-o", "failed.csv"]);
  expect(await readFile(join(folder, "failed.csv"), "utf8")).toBe("url,error\r\n");
});

test("--fresh forgets nothing when the output or the body archive can't be opened", async () => {
  await crawl("--quiet");
  await writeFile(join(folder, "file"), "");
  for (const args of [
    ["-o", "none/out.jsonl"],
    ["--save-bodies", "file"],
  ])
    expect((await crawl("--fresh", ...args)).code).toBe(1);
  expect((await weir(["export", "--fields", "url"])).out.trim().split("\n")).toHaveLength(3);
});

test("many hosts that are looked up at once are no leak to be warned of", async () => {
  const hosts = Array.from({ length: 30 }, (_, index) => `http://h${index}.invalid/`);
  const { err } = await weir(["crawl", ...hosts, "--retries", "0", "--quiet"]);
  expect(err).toContain("Nothing could be fetched");
  expect(err).not.toContain("MaxListeners");
});

test("standard input named twice is read once, instead of waiting for ever", async () => {
  expect(await weir(["crawl", "-", "-"])).toMatchObject({ code: 2, err: expect.stringContaining("no usable seed") });
});

test("a switch with a value is told to be one", async () => {
  const { err } = await weir(["crawl", "a.example", "--json=1"]);
  expect(err).toContain("--json: got a value, expected none: it is a switch");
});

test("what is told when nothing could be fetched is of this crawl, not of an earlier one in the same store", async () => {
  const nowhere = (port: number): Promise<Ended> => weir(["crawl", `http://127.0.0.1:${port}/`, "--allow-private", "--retries", "0"]);
  await nowhere(9);
  const { code, err } = await nowhere(10);
  expect(code).toBe(1);
  expect(err).toContain("127.0.0.1:10/: failed");
  expect(err).not.toContain("127.0.0.1:9/: failed");
});

test("the snapshot of a run that was stopped says that work is left, and nothing holds it back any more", async () => {
  await crawl("--max-pages", "1", "--quiet");
  const { out } = await weir(["status"]);
  expect(out).toContain("stopped with work left");
  expect(out).not.toContain("bound by");
  await crawl("--quiet");
  expect((await weir(["status"])).out).toContain("(done)");
});
