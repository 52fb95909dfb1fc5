// Twelve hosts on loopback for one bad afternoon, in a process of their own. Each is an endless tree of pages; the parent says over
// IPC which host sends 20 MB instead, and which refuse. Every second it hears what was served, by host.
import { createServer } from "node:http";

const { hosts, latency, kb, heavyMB } = JSON.parse(process.argv[2]);
const WORDS =
  "river weir water stone bridge mill flood level gate pool reach bank meadow willow heron ferry sluice current spring lake".split(" ");
const filler = Array.from(
  { length: 40 },
  (_, i) => `<p>${Array.from({ length: 90 }, (_, k) => WORDS[(i * 7 + k * 3) % 20]).join(" ")}.</p>\n`,
).join("");
const tail = Buffer.from(`${filler.repeat(Math.ceil((kb * 1000) / filler.length)).slice(0, kb * 1000)}</main></body></html>`);
const heavyTail = Buffer.alloc(heavyMB * 1_000_000, filler);

const address = (index) => `127.0.2.${index + 1}`;
const indexOf = new Map(Array.from({ length: hosts }, (_, index) => [address(index), index]));
const served = new Array(hosts).fill(0);
const refused = new Array(hosts).fill(0);
const inFlight = new Array(hosts).fill(0);
let heavy = new Set();
let refusing = new Set();

const server = createServer((request, response) => {
  const host = indexOf.get(request.socket.localAddress) ?? 0;
  if (!/^\/(?:s\d+\/p\d+)?$/.test(request.url)) return response.writeHead(404).end();
  if (refusing.has(host)) {
    refused[host] += 1;
    return setTimeout(() => response.writeHead(429).end(), 20);
  }
  inFlight[host] += 1;
  const n = request.url === "/" ? 0 : Number(/\d+$/.exec(request.url)[0]);
  setTimeout(
    () => {
      const link = (to) => `<a href="/s${to % 97}/p${to}">${WORDS[to % 20]} ${to}</a>`;
      const story = Array.from({ length: 12 }, (_, k) => `${WORDS[(n * (k + 3)) % 20]} ${n * (k + 1)}`).join(" ");
      const head = `<!doctype html><html><head><title>${host} page ${n}</title></head><body><nav>${link(2 * n + 1)} ${link(2 * n + 2)}</nav><main><p>On ${host}: ${story}.</p>`;
      const body = heavy.has(host) ? heavyTail : tail;
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-length": Buffer.byteLength(head) + body.length });
      response.write(head);
      response.end(body);
      response.once("close", () => {
        inFlight[host] -= 1;
        if (response.writableFinished) served[host] += 1;
      });
    },
    latency * (0.85 + 0.3 * Math.random()),
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, "0.0.0.0", () => process.send({ port: server.address().port, hosts: hosts, seeds: [...indexOf.keys()] }));

process.on("message", (order) => {
  heavy = new Set(order.heavy ?? []);
  refusing = new Set(order.refusing ?? []);
});
process.on("disconnect", () => process.exit(0));
setInterval(() => process.send({ served: [...served], refused: [...refused], inFlight: [...inFlight] }), 1_000);
