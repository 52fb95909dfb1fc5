/**
 * Compares the scan with parse5, scripting off: links of a, area, frame and iframe, the base and the title.
 *
 *   node tools/scan-differential.mjs [--pages N] [--seed N] [--approximate] [PATH...]
 *
 * Without paths N hostile pages are generated from the seed; with paths, all .html and .htm files at or below them are read.
 * `--approximate` keeps the scan from asking the parser, to see what its guesses alone are worth.
 * Exit code 1 when a difference is not of a known class.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createJiti } from "jiti";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pages: { type: "string", default: "40000" }, seed: { type: "string", default: "1" }, approximate: { type: "boolean" } },
});
const jiti = createJiti(import.meta.url);
const { hostilePage, knownDifference, randomFrom, reference, seen } = await jiti.import("../test/unit/stages/parse/html-reference.ts");
const { HtmlScanner } = await jiti.import("../src/stages/parse/html-scanner.ts");
const { decodeAll, sniffCharset } = await jiti.import("../src/stages/parse/charset.ts");

function* files(path) {
  if (!statSync(path).isDirectory()) yield path;
  else for (const name of readdirSync(path, { recursive: true })) if (/\.html?$/.test(name)) yield join(path, name);
}

function* pages() {
  for (const path of positionals) for (const file of files(path)) yield { name: file, bytes: readFileSync(file) };
  if (positionals.length > 0) return;
  const random = randomFrom(Number(values.seed));
  for (let n = 0; n < Number(values.pages); n++) yield { name: `page ${n}`, bytes: Buffer.from(hostilePage(random)), encoding: "utf-8" };
}

const scanner = new HtmlScanner();
if (values.approximate) scanner.parse = () => false;
const count = { pages: 0, links: 0, titles: 0, bases: 0, "decided by the parser": 0, approximate: 0, unexplained: 0 };
for (const { name, bytes, encoding = sniffCharset(bytes, null).encoding } of pages()) {
  const html = decodeAll(bytes, encoding);
  const expected = reference(html);
  scanner.scan(bytes, encoding, { wantText: false });
  count.pages++;
  count.links += expected.links.length;
  if (expected.title !== null) count.titles++;
  if (expected.base !== null) count.bases++;
  if (scanner.parsed) count["decided by the parser"]++;
  if (scanner.approximate) count.approximate++;
  const got = seen(scanner);
  if (JSON.stringify(got) === JSON.stringify(expected)) continue;
  const known = scanner.approximate ? "different where approximate" : knownDifference(html);
  if (known !== null) {
    count[known] = (count[known] ?? 0) + 1;
  } else if (count.unexplained++ < 5) {
    const missing = expected.links.filter((link) => !got.links.includes(link));
    const extra = got.links.filter((link) => !expected.links.includes(link));
    console.log(name, { missing, extra, title: [got.title, expected.title], base: [got.base, expected.base] });
    if (positionals.length === 0) console.log(JSON.stringify(html));
  }
}
console.log(count);
process.exitCode = count.unexplained > 0 ? 1 : 0;
