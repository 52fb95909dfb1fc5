// A bad afternoon over real loopback sockets: twelve hosts, and one after the other a site that turns to 20 MB pages on which the parser is
// fifty times slower, storage that stalls, and sites that refuse. It prints what the crawl kept of its goodput and draws what happened.
// node bench/bad-afternoon.mjs [--only weir|crawlee] [--scale 1] [--svg bad-afternoon.svg] [--modules DIR] [--cap 350]
// Ends with 1 when weir's own memory was ever above --cap MB.
// With --modules, a folder in which @crawlee/cheerio and @crawlee/core are installed, the same afternoon is run with Crawlee too:
//   mkdir /tmp/crawlee && cd /tmp/crawlee && npm init -y && npm i @crawlee/cheerio@3.18.1 @crawlee/core@3.18.1
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawAfternoon } from "./afternoon/plot.mjs";
import { options, printHeader, printTable } from "./report.mjs";

const given = options({ only: "", scale: 1, svg: "bad-afternoon.svg", modules: "", cap: 350, hosts: 12, latency: 250, kb: 30, seed: 1 });
const HEAVY = [0];
const REFUSING = [8, 9, 10, 11];
const s = given.scale;
/** Seconds from the start. */
const PHASES = [
  { name: "before", from: 30 * s, to: 60 * s },
  { name: "20 MB pages", from: 60 * s, to: 120 * s, order: { site: { heavy: HEAVY } } },
  { name: "after", from: 120 * s, to: 180 * s, order: { site: {} } },
  { name: "storage stalls", from: 180 * s, to: 240 * s, order: { crawl: { stall: true } } },
  { name: "after it", from: 240 * s, to: 300 * s, order: { crawl: { stall: false } } },
  { name: "a third refuses", from: 300 * s, to: 420 * s, order: { site: { refusing: REFUSING } } },
  { name: "after them", from: 420 * s, to: 585 * s, order: { site: {} } },
];
const END = PHASES.at(-1).to;
const here = import.meta.dirname;

async function afternoon(name) {
  const folder = mkdtempSync(join(tmpdir(), "weir-afternoon-"));
  const site = fork(join(here, "afternoon/site.mjs"), [
    JSON.stringify({ hosts: given.hosts, latency: given.latency, kb: given.kb, heavyMB: 20 }),
  ]);
  const { port, seeds } = await new Promise((resolve) => site.once("message", resolve));
  const parser = { slow: 50, msPerMB: 10 };
  const urls = seeds.map((host) => `http://${host}:${port}/`);
  const crawl = fork(join(here, `afternoon/${name}.mjs`), [JSON.stringify({ folder, seeds: urls, modules: given.modules, ...parser })]);
  const samples = [];
  const began = performance.now();
  const at = () => (performance.now() - began) / 1_000;
  let own = {};
  let summary = null;
  const ended = new Promise((resolve) => {
    crawl.on("message", (message) => {
      if (message.summary === undefined) own = message;
      else resolve((summary = message.summary));
    });
    crawl.once("exit", (code) => resolve(summary ?? (summary = { error: `ended with ${code}` })));
  });
  site.on("message", ({ served, refused, inFlight }) => samples.push({ t: at(), served, refused, atSite: inFlight, ...own }));
  for (const { order } of PHASES.filter((phase) => phase.order)) {
    const { from } = PHASES.find((phase) => phase.order === order);
    await new Promise((resolve) => setTimeout(resolve, from * 1_000 - at() * 1_000));
    if (summary !== null) break;
    if (order.site) site.send(order.site);
    if (order.crawl) crawl.send(order.crawl);
  }
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, END * 1_000 - at() * 1_000))]);
  if (summary === null) crawl.send({ stop: true });
  await ended;
  site.disconnect();
  rmSync(folder, { recursive: true, force: true });
  return { name, samples, summary, phases: PHASES };
}

const all = Array.from({ length: given.hosts }, (_, index) => index);
const except = (hosts) => all.filter((host) => !hosts.includes(host));

/** Pages a second that these hosts served whole, between two instants. */
function goodput({ samples }, from, to, hosts = all) {
  const inside = samples.filter(({ t }) => t >= from - 0.5 && t <= to + 0.5);
  if (inside.length < 2) return 0;
  const [first, last] = [inside[0], inside.at(-1)];
  return hosts.reduce((sum, host) => sum + last.served[host] - first.served[host], 0) / (last.t - first.t);
}

/** Seconds after `from` until ten seconds in a row are as good as nine tenths of before; null when never before `to`. */
function backAfter(run, from, to, base, hosts) {
  for (let t = from; t + 10 <= to; t += 1) if (goodput(run, t, t + 10, hosts) >= 0.9 * base) return t - from + 10;
  return null;
}

/** MB. */
function peakOf({ samples }) {
  return Math.max(0, ...samples.map((sample) => (sample.rss ?? 0) / 1e6));
}

function figures(run) {
  const [before, heavy, , stall, , refusing, last] = PHASES;
  const base = (hosts) => goodput(run, before.from, before.to, hosts);
  const share = (phase, hosts, skip = 0) => goodput(run, phase.from + skip, phase.to, hosts) / base(hosts);
  const starts = (from, to) => {
    const inside = run.samples.filter(({ t, starts: n }) => n !== undefined && t >= from && t <= to);
    return inside.length < 2 ? null : inside.at(-1).starts - inside[0].starts;
  };
  const refusals = run.samples.at(-1).refused.reduce((sum, n) => sum + n, 0);
  const calm = goodput(run, refusing.from - 30 * s, refusing.from, except(REFUSING));
  const percent = (value) => `${Math.round(value * 100)} %`;
  const after = (value) => (value === null ? "never" : `${Math.round(value)} s`);
  const rss = peakOf(run);
  const lag = Math.max(...run.samples.filter(({ t }) => t > before.from).map((sample) => sample.lag ?? 0));
  return [
    ["goodput before, pages/s", base().toFixed(0), ""],
    ["(a) other hosts keep", percent(share(heavy, except(HEAVY))), "≥ 70 %"],
    ["(a) the heavy host's pages/s", `${goodput(run, heavy.from + 5, heavy.to, HEAVY).toFixed(2)} of ${base(HEAVY).toFixed(1)}`, "falls"],
    ["(a) back to 90 % after", after(backAfter(run, heavy.to, stall.from, base())), "≤ 30 s"],
    ["(b) starts after 12 s of the stall", starts(stall.from + 12 * s, stall.to) ?? "not told", "0"],
    ["(b) back to 90 % after", after(backAfter(run, stall.to, refusing.from, base())), "≤ 30 s"],
    ["(c) hosts that do not refuse keep", percent(goodput(run, refusing.from, refusing.to, except(REFUSING)) / calm), "≥ 95 %"],
    ["(c) requests refused", refusals, ""],
    ["(c) refusing hosts back to 90 % after", after(backAfter(run, last.from, last.to, base(REFUSING), REFUSING)), "≤ 150 s"],
    ["peak RSS, MB", Math.round(rss), `≤ ${given.cap}`],
    ["longest stall of the event loop, ms", lag === 0 ? "not told" : Math.round(lag), ""],
    ["ended", run.summary.error ?? "by itself", ""],
  ];
}

printHeader(`bad afternoon: ${given.hosts} hosts of ${given.kb} KB pages after ${given.latency} ms, ${END} s`);
const names = given.only === "" ? ["weir", ...(given.modules === "" ? [] : ["crawlee"])] : [given.only];
const runs = [];
for (const name of names) runs.push(await afternoon(name));
const tables = runs.map(figures);
printTable(
  tables[0].map(([what, , wanted], row) => ({
    what,
    ...Object.fromEntries(runs.map(({ name }, k) => [name, String(tables[k][row][1])])),
    wanted,
  })),
);
const overCap = runs.filter((run) => run.name === "weir" && peakOf(run) > given.cap);
for (const run of overCap) console.error(`FAILED   peak RSS ${Math.round(peakOf(run))} MB is above the cap of ${given.cap} MB (--cap)`);
if (overCap.length > 0) process.exitCode = 1;
writeFileSync(given.svg, drawAfternoon(runs, { heavy: HEAVY, refusing: REFUSING, hosts: given.hosts }));
console.log(`plot     ${given.svg}`);
