import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

// The built program finds its parse thread, and what comes back from it is what a page parsed at once would say.

const BIG = 2_000_000;
const filler = "<p>words of a long page that goes on and on</p>\n".repeat(BIG / 48);

test("a crawl of big pages and a big sitemap: links, titles, texts and bodies come back from the thread", {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "weir-big-"));
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (path === "/robots.txt") return void response.end(`Sitemap: http://${request.headers.host}/map.xml\n`);
    if (path === "/map.xml") {
      const locs = Array.from({ length: 20 }, (_, n) => `<url><loc>http://${request.headers.host}/listed-${n}</loc></url>`);
      response.setHeader("content-type", "application/xml");
      return void response.end(`<?xml version="1.0"?><urlset>${" ".repeat(BIG)}${locs.join("")}</urlset>`);
    }
    const links = path === "/" ? Array.from({ length: 5 }, (_, n) => `<a href="/big-${n}">${n}</a>`).join("") : "";
    const body = path.startsWith("/listed") ? `<p>a small page ${path}</p>` : `${filler}<p>the end of ${path}</p>${links}`;
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>Page ${path}</title><main>${body}</main>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const args = ["crawl", site, "--allow-private", "--quiet", "-o", "out.jsonl", "--fields", "+text", "--save-bodies", "bodies"];
    const child = spawn(process.execPath, [resolve("dist/cli/main.js"), ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    let told = "";
    child.stderr.on("data", (data) => {
      told += data;
    });
    const [code] = await once(child, "close");
    expect([code, told]).toEqual([0, expect.not.stringContaining("could not be parsed")]);
    const rows = (await readFile(join(folder, "out.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const pages = rows.filter((row) => row.outcome === "new");
    expect(pages.length).toBe(26);
    const big = pages.find((row) => row.url.endsWith("/big-3"));
    expect(big).toMatchObject({ title: "Page /big-3", via: "link" });
    expect(big.text).toContain("the end of /big-3");
    expect(pages.find((row) => row.url.endsWith("/listed-7"))).toMatchObject({ via: "sitemap" });
    expect((await readdir(join(folder, "bodies"), { recursive: true })).length).toBeGreaterThan(6);
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});
