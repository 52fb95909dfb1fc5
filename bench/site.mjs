// A synthetic web, from a seed: pages of a chosen size on loopback hosts 127.0.1.1, .2, … Every page is made when it is asked for, so
// fifty thousand need no memory and no files. Run by itself it serves until its input ends; `startSite` runs it as a child.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { elsewhere } from "./measure.mjs";

/** Small, seeded, uniform in [0, 1): mulberry32. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS =
  "river weir water stone bridge mill flood level gate pool reach bank meadow willow heron ferry sluice current spring lake rain cloud valley hill town market road harbour light paper letter number page".split(
    " ",
  );

/**
 * @param site { pages, bytes, hosts, links, seed, port }: `links` on each page, of which the first ones lead to pages not linked before.
 * @returns `path(n)`, `url(n)`, `page(n)` for 0 ≤ n < pages.
 */
export function siteOf({ pages, bytes, hosts, links, seed, port }) {
  const next = random(seed);
  // Filler with what a scanner must not stumble over: comments, raw text, entities, quoted '>'.
  const filler = Array.from({ length: 64 }, (_, i) => {
    const words = Array.from({ length: 60 }, () => WORDS[Math.floor(next() * WORDS.length)]).join(" ");
    const extra = [
      "",
      "<!-- a > b, <a href='no'> -->",
      "<script>if (a < b) document.write('<a href=no>')</script>",
      "<p title='x > y'>caf&eacute; &amp; co</p>",
    ];
    return `<p class="c${i % 7}">${words}.</p>\n${extra[i % 16] ?? ""}`;
  });
  const host = (n) => `127.0.1.${1 + (n % hosts)}:${port}`;
  const path = (n) => `/section-${n % 97}/page-${n}.html`;
  const children = Math.max(2, Math.ceil(links / 10));
  const target = (n, k, local) => {
    const child = n * children + k + 1;
    if (k < children && child < pages) return child;
    const any = Math.floor(local() * pages);
    return any - (any % hosts) + (n % hosts) < pages ? any - (any % hosts) + (n % hosts) : any;
  };
  const page = (n) => {
    const local = random(seed ^ Math.imul(n + 1, 0x9e3779b1));
    let html = `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Page ${n} about ${WORDS[n % WORDS.length]}</title>\n`;
    html += `<meta name="description" content="page ${n}"><style>.c1 > a { color: red }</style></head><body>\n<nav>`;
    for (let k = 0; k < links; k++) {
      const to = target(n, k, local);
      html += `<a class="l" href="${to % hosts === n % hosts ? "" : `http://${host(to)}`}${path(to)}">${WORDS[to % WORDS.length]} ${to}</a>\n`;
    }
    html += "</nav>\n";
    for (let i = n; html.length < bytes - 20; i++) {
      const part = filler[i % filler.length];
      html += html.length + part.length < bytes ? part : `${"<i>.</i>".repeat(Math.max(0, (bytes - html.length - 20) >> 3))}\n<!---->`;
      if (bytes - html.length < 60) break;
    }
    return `${html}</body></html>\n`;
  };
  return { path, page, url: (n) => `http://${host(n)}${path(n)}` };
}

/** Serves the site on every loopback address at a free port. Plain `net`, for it must be cheaper than the crawler it feeds. */
function serve(site) {
  let made;
  const server = createServer((socket) => {
    let rest = "";
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.setEncoding("latin1").on("data", (chunk) => {
      rest += chunk;
      for (let end = rest.indexOf("\r\n\r\n"); end >= 0; end = rest.indexOf("\r\n\r\n")) {
        const found = /^GET \/section-\d+\/page-(\d+)\.html /.exec(rest);
        rest = rest.slice(end + 4);
        const n = found === null ? -1 : Number(found[1]);
        if (n >= 0 && n < site.pages) {
          const body = made.page(n);
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
            "latin1",
          );
        } else socket.write("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n", "latin1");
      }
    });
  });
  server.listen(site.port, "0.0.0.0", () => {
    made = siteOf({ ...site, port: server.address().port });
    process.stdout.write(`${server.address().port}\n`);
  });
  process.stdin.resume().on("end", () => process.exit(0));
}

/** Starts the site in a process of its own. @returns the site's functions, its port, and `stop`. */
export async function startSite(site) {
  const [program, ...args] = [...elsewhere, process.execPath, fileURLToPath(import.meta.url), JSON.stringify(site)];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const port = await new Promise((resolve, reject) => {
    child.stdout.once("data", (text) => resolve(Number(text)));
    child.once("exit", (code) => reject(new Error(`The site ended with ${code}`)));
  });
  return { ...siteOf({ ...site, port }), port, stop: () => child.stdin.end() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  serve({ pages: 1000, bytes: 30_000, hosts: 10, links: 75, seed: 1, port: 0, ...JSON.parse(process.argv[2] ?? "{}") });
}
