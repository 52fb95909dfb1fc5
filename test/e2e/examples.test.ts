import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const examples = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));
const pages: Readonly<Record<string, string>> = {
  "/": "<title>Front</title><a href='/a'>a</a> <a href='/b'>b</a> <a href='/none'>none</a>",
  "/a": "<title>A</title><p>One page.</p><a href='/'>back</a>",
  "/b": "<title>B</title><p>Another page.</p><a href='/a'>a</a>",
};

let server: Server;
let folder = "";
beforeAll(async () => {
  server = createServer((request, response) => {
    const body = pages[request.url ?? ""];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" }).end(body ?? "");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  folder = mkdtempSync(join(tmpdir(), "weir-examples-"));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each(examples)("%s has one idea and fits on a screen", (name) => {
  expect(readFileSync(join(root, "examples", name), "utf8").split("\n").length).toBeLessThanOrEqual(60);
});

test("01-crawl.ts prints each page of a small site, in a program of its own", async () => {
  // jiti runs TypeScript on Node 20; the example finds the built package by its name, as a user's program does.
  const run = promisify(execFile)(
    process.execPath,
    [
      join(root, "node_modules/jiti/lib/jiti-cli.mjs"),
      join(root, "examples/01-crawl.ts"),
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ],
    { cwd: folder, env: { ...process.env, WEIR_ALLOW_PRIVATE: "true" } },
  );
  const { stdout } = await run;
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/http:\/\/127\.0\.0\.1:\d+/, ""));
  expect(lines.sort()).toEqual(["200 / Front 3 links", "200 /a A 1 links", "200 /b B 1 links"]);
});
