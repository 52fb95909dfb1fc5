// The HTML scanner over synthetic pages, against a bare loop over the same bytes, and with its links resolved, hashed and looked up.
// node bench/scanner.mjs [--pages 200] [--kb 30] [--links 75] [--seconds 2]

import { Fingerprinter } from "../dist/kernel/fingerprint.js";
import { FingerprintTable } from "../dist/kernel/fingerprint-table.js";
import { LinkResolver } from "../dist/kernel/link-resolver.js";
import { HtmlScanner } from "../dist/stages/parse/html-scanner.js";
import { options, printHeader, printTable, timed } from "./report.mjs";
import { siteOf } from "./site.mjs";

const given = options({ pages: 200, kb: 30, links: 75, seconds: 2 });
const site = siteOf({ pages: given.pages, bytes: given.kb * 1000, hosts: 10, links: given.links, seed: 1, port: 80 });
const pages = Array.from({ length: given.pages }, (_, n) => ({ url: site.url(n), bytes: Buffer.from(site.page(n), "latin1") }));
const size = pages.reduce((sum, page) => sum + page.bytes.length, 0) / pages.length;

/** Repeats `work` over all pages for the time given, after a round of warming up. */
async function run(what, work) {
  for (const page of pages) work(page);
  let done = 0;
  const { cpu } = await timed(() => {
    for (const end = performance.now() + given.seconds * 1000; performance.now() < end; done += pages.length)
      for (const page of pages) work(page);
  });
  return { what, "pages/CPU s": done / cpu, "µs CPU/page": (cpu / done) * 1e6, "MB/s": (size * done) / cpu / 1e6 };
}

let sum = 0;
const bare = ({ bytes }) => {
  let tags = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 60) tags++;
  sum += tags;
};
const scanner = new HtmlScanner();
const scan = ({ bytes }) => {
  scanner.scan(bytes, "utf-8", { wantText: false });
  sum += scanner.linkCount;
};
const resolver = new LinkResolver();
const print = new Fingerprinter(new Int32Array(resolver.scratch.buffer), [1, 2, 3, 4]);
const known = new FingerprintTable();
const follow = (page) => {
  scan(page);
  resolver.setBase(page.url);
  for (let i = 0; i < scanner.linkCount; i++) {
    const length = resolver.resolve(scanner.source, scanner.linkStart[i], scanner.linkEnd[i]);
    if (length <= 0) continue;
    print.of(length);
    if (known.find(print.a, print.b, print.c) < 0) known.add(print.a, print.b, print.c);
  }
};

printHeader(`scanner: ${given.pages} pages of ${Math.round(size / 1000)} KB with ${given.links} links`);
for (const page of pages.slice(0, 20)) {
  scan(page);
  if (scanner.linkCount !== given.links) throw new Error(`The scanner found ${scanner.linkCount} links, the page has ${given.links}`);
}
const rows = [
  await run("bare byte loop", bare),
  await run("scan: links, title, text fingerprint", scan),
  await run("scan + resolve, hash, look up links", follow),
];
printTable(rows);
console.log(`scan ÷ bare byte loop ${(rows[0]["µs CPU/page"] / rows[1]["µs CPU/page"]).toFixed(2)}`);
if (sum === 0) throw new Error("Nothing was read");
