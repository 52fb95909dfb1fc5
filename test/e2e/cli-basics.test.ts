import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const MAIN = resolve("dist/cli/main.js");
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function weir(args: readonly string[], options: { env?: Record<string, string>; input?: string; cwd?: string } = {}): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: options.cwd ?? folder, env: { PATH: process.env.PATH, ...options.env } });
    let out = "";
    let err = "";
    child.stdout.on("data", (data) => {
      out += data;
    });
    child.stderr.on("data", (data) => {
      err += data;
    });
    child.stdin.end(options.input ?? "");
    child.on("close", (code) => done({ code, out, err }));
  });
}

test("the version is the package's, and the help begins with an example", async () => {
  const version = JSON.parse(await readFile("package.json", "utf8")).version;
  expect(await weir(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  for (const args of [["--help"], ["crawl", "--help"], ["export", "--help"]]) {
    const { code, out, err } = await weir(args);
    expect([code, err]).toEqual([0, ""]);
    expect(out.startsWith("Example:\n  weir ")).toBe(true);
  }
});

test("no command, a wrong one and one of a later version are wrong usage", async () => {
  for (const args of [[], ["crawll"], ["watch"], ["https://a.example"]]) {
    const { code, out, err } = await weir(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^weir: /);
  }
});

test("everything that is wrong is told at once, each with its path, and nothing is started", async () => {
  await writeFile(join(folder, "bad.json"), JSON.stringify({ hosts: { ceiling: 0 }, maxPgaes: 3, pages: [] }));
  const { code, out, err } = await weir(
    ["crawl", "ftp://a.example", "@missing.txt", "--max-pages", "none", "--nonsense", "--config", "bad.json", "--timeout"],
    {
      env: { WEIR_DELAY: "soon" },
    },
  );
  expect([code, out]).toEqual([2, ""]);
  for (const path of [
    "--timeout",
    "--nonsense",
    "@missing.txt",
    "<url>",
    "--max-pages",
    "WEIR_DELAY",
    "hosts.ceiling",
    "maxPgaes",
    "pages",
  ]) {
    expect(err).toMatch(new RegExp(`^  \\S*.*${path.replace(/[.\\-]/g, "\\$&")}.*: got .+, expected .+$`, "m"));
  }
  expect(err).not.toMatch(/\n\s+at /);
});

test("an unreadable configuration is one clear message without a stack", async () => {
  await writeFile(join(folder, "broken.json"), "{ nope");
  for (const name of ["broken.json", "nowhere.json"]) {
    const { code, err } = await weir(["crawl", "https://a.example", "--config", name]);
    expect(code).toBe(2);
    expect(err).toContain(name);
    expect(err.trim().split("\n")).toHaveLength(1);
  }
});

test("no usable seed ends with 2, after the bad lines were told", async () => {
  const { code, err } = await weir(["crawl", "-"], { input: "# nothing\nftp://a.example\n" });
  expect(code).toBe(2);
  expect(err).toContain("standard input, line 2");
  expect(err).toContain("no usable seed");
  expect((await weir(["crawl"])).code).toBe(2);
});

test("errors are JSON on stdout with --json", async () => {
  const { code, out } = await weir(["crawl", "--max-pages", "0", "--json", "https://a.example"]);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({ error: { code: "WEIR_USAGE", problems: [{ path: "--max-pages" }] } });
});

test("config shows where each value comes from, and no secret", async () => {
  await writeFile(join(folder, "weir.config.json"), JSON.stringify({ maxPages: 7, output: "out.jsonl" }));
  const args = ["config", "--json", "https://a.example", "--header", "Authorization: very-secret", "--timeout", "5s"];
  const { code, out, err } = await weir(args, { env: { WEIR_RETRIES: "1" } });
  expect([code, err]).toEqual([0, ""]);
  expect(out).not.toContain("very-secret");
  const { settings, origins } = JSON.parse(out);
  expect(settings).toMatchObject({
    maxPages: 7,
    timeout: 5000,
    retries: 1,
    output: join(folder, "out.jsonl"),
    seeds: ["https://a.example"],
  });
  const from = (key: string) => origins.find((origin: { key: string }) => origin.key === key).origin;
  expect(["maxPages", "timeout", "retries", "concurrency"].map(from)).toEqual(["file", "flag", "environment", "default"]);
  expect((await weir(["config", "--explain"])).out).toContain("from file");
  await rm(join(folder, "weir.config.json"));
});

test("doctor finds what this machine has", async () => {
  const { code, out } = await weir(["doctor", "--json"]);
  expect(code).toBe(0);
  const { checks } = JSON.parse(out);
  expect(checks.map((check: { name: string }) => check.name)).toEqual(
    expect.arrayContaining(["Node.js", "SQLite", "Store folder", "Open files"]),
  );
});

test("a store that is not there is not made by looking at it", async () => {
  for (const args of [["status"], ["export"]]) {
    const { code, err } = await weir([...args, "--store", "none/weir.db"]);
    expect(code).toBe(1);
    expect(err).toContain("There is no store at");
  }
  await expect(readFile(join(folder, "none", "weir.db"))).rejects.toThrow();
});

test("a file that is no store is told as such", async () => {
  await writeFile(join(folder, "text.db"), "this is not a database, only some text ".repeat(200));
  const { code, err } = await weir(["export", "--store", "text.db"]);
  expect(code).toBe(1);
  expect(err.trim().split("\n")).toHaveLength(1);
});

test.each([
  ["retry", ["--host", "a/b", "--code", "zz", "--stoer", "x"], ["--stoer", "--host", "--code"]],
  ["topup", ["hme", "--credits", "-3"], ["--credits", "<provider>"]],
  ["topup", ["home", "work", "--credits", "0"], ["--credits", "<provider>"]],
  ["simulate", ["--hours", "1e9", "--seed", "-1", "--limiter", "none"], ["--hours", "--seed", "--limiter", "--web"]],
] as const)("weir %s tells all that is wrong with %j at once", async (command, args, paths) => {
  const home = { kind: "gateway", endpoints: ["http://home.example:8000"] };
  await writeFile(join(folder, "home.json"), JSON.stringify({ providers: { home } }));
  const { code, out, err } = await weir([command, ...args, "--config", "home.json"]);
  expect([code, out]).toEqual([2, ""]);
  const told = err.split("\n").flatMap((line) => /^ {2}(\S+): got/.exec(line)?.[1] ?? []);
  expect(told.sort()).toEqual([...paths].sort());
  if (command === "simulate") expect(err).toContain('--hours: got "1e9", expected a number above 0, at most 168');
  if (args[0] === "hme") expect(err).toContain("did you mean home?");
});
