import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { crawl } from "../../src/app/library.ts";
import type { SettledUrl } from "../../src/kernel/settled-url.ts";

// Challenge pages and 403 over real sockets: what the site sends is recognised, and the site is left alone.

let folder: string;
let server: Server;
let asked: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-signals-"));
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

async function crawled(answer: (path: string, response: ServerResponse) => void, maxWait = "1s"): Promise<SettledUrl[]> {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request.url ?? "", response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const pages: SettledUrl[] = [];
  for await (const page of crawl(site, { store: join(folder, "weir.db"), allowPrivate: true, maxWait })) pages.push(page);
  return pages;
}

const html = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { "content-type": "text/html" });
  response.end(body);
};
const CHALLENGE = `<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={cvId:'3'}</script>${" ".repeat(9_000)}</body></html>`;

test.each([200, 403, 429, 503])("a challenge with status %i is blocked after one request, and no page is kept of it", async (status) => {
  const settled = await crawled((path, response) => (path === "/robots.txt" ? html(response, 404, "") : html(response, status, CHALLENGE)));
  expect(settled.map(({ outcome, error, title }) => [outcome, error?.code, title])).toEqual([["blocked", "challenge", null]]);
  expect(asked.filter((path) => path === "/")).toHaveLength(1);
});

test("one forbidden page among others is that page's own, with a body that stays unread beyond its beginning", async () => {
  const settled = await crawled((path, response) => {
    if (path === "/robots.txt") return html(response, 404, "");
    if (path === "/3") return html(response, 403, `<h1>Forbidden</h1>${"x".repeat(300_000)}`);
    html(
      response,
      200,
      `<title>${path}</title><p>${`the story of ${path} `.repeat(20)}</p>${[1, 2, 3, 4, 5, 6].map((n) => `<a href="/${n}">${n}</a>`).join("")}`,
    );
  });
  const ended = new Map(settled.map(({ url, outcome, error }) => [new URL(url).pathname, `${outcome} ${error?.code ?? ""}`.trim()]));
  expect(ended.get("/3")).toBe("blocked http-403");
  expect([...ended.values()].filter((end) => end === "new")).toHaveLength(6);
});
