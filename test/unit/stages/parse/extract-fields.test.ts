import { expect, test } from "vitest";
import type { FieldRule } from "../../../../src/kernel/page-rule.ts";
import { DOM_DEPTH_MOST, documentOf } from "../../../../src/stages/parse/extract-document.ts";
import { ExtractPage, extractFields, fieldProblems } from "../../../../src/stages/parse/extract-fields.ts";
import { numberIn } from "../../../../src/stages/parse/extract-value.ts";

const PAGE = `<!doctype html><html><body>
  <h1> Blue
     <b>teapot</b><script>noise()</script></h1>
  <span class=price content="1299.50">1.299,50 €</span>
  <time datetime="2026-03-01T10:00:00Z">yesterday</time>
  <ul><li><a href="/a">A</a><li><a href="b?x=1">B</a></ul>
  <script type="application/ld+json">{ broken </script>
  <script type="application/ld+json">{"@graph":[{"@type":"WebPage"},{"@type":"Product","sku":"T-1","offers":{"price":12.5,"availability":"https://schema.org/InStock"}}]}</script>
</body></html>`;

const rule = (from: FieldRule["from"], path: string, more: Partial<FieldRule> = {}): FieldRule => ({
  name: "f",
  from,
  path,
  attr: null,
  all: false,
  as: null,
  ...more,
});
const of = (text: string, field: FieldRule, contentType = "text/html; charset=utf-8"): unknown =>
  extractFields([field], new ExtractPage({ url: "https://shop.example/p/1", body: new TextEncoder().encode(text), contentType, now: 0 }))
    .record.f;

test("a selector gives the text of its first match, without scripts and indentation", () => {
  expect(of(PAGE, rule("select", "h1"))).toBe("Blue teapot");
  expect(of(PAGE, rule("select", "a"))).toBe("A");
});

test("attributes, lists and kinds", () => {
  expect(of(PAGE, rule("select", ".price", { attr: "content", as: "number" }))).toBe(1299.5);
  expect(of(PAGE, rule("select", ".price", { as: "integer" }))).toBe(1299);
  expect(of(PAGE, rule("select", "a", { attr: "href", all: true, as: "url" }))).toEqual([
    "https://shop.example/a",
    "https://shop.example/p/b?x=1",
  ]);
  expect(of(PAGE, rule("select", "time", { attr: "datetime", as: "date" }))).toBe("2026-03-01T10:00:00.000Z");
});

test("JSON-LD is looked for in every block and graph; a broken block is passed over", () => {
  expect(of(PAGE, rule("jsonld", "$.sku"))).toBe("T-1");
  expect(of(PAGE, rule("jsonld", "$.offers.price"))).toBe(12.5);
  expect(of(PAGE, rule("jsonld", "$.offers.availability", { as: "boolean" }))).toBe(true);
});

test("a page that is JSON is read by JSONPath", () => {
  const json = '{"items":[{"id":1},{"id":2}]}';
  expect(of(json, rule("json", "$.items[1].id"), "application/json")).toBe(2);
  expect(of(json, rule("json", "$.items[*].id", { all: true }), "application/json")).toEqual([1, 2]);
});

test("what is not found is null, and named", () => {
  const page = new ExtractPage({ url: "https://x.example/", body: new TextEncoder().encode("<p>"), contentType: "text/html", now: 0 });
  expect(extractFields([rule("select", ".price"), { ...rule("select", "p"), name: "g" }], page)).toEqual({
    record: { f: null, g: null },
    missing: ["f", "g"],
  });
});

test("wrong selectors and paths are all told, each with its place", () => {
  const wrong = [{ ...rule("select", "h1["), name: "a" }, { ...rule("json", "$[", {}), name: "b" }, rule("select", "p:nth-child(2n)")];
  expect(fieldProblems(wrong, "pages[0].extract").map(({ path }) => path)).toEqual(["pages[0].extract.a", "pages[0].extract.b"]);
});

test("a page nested three thousand deep gives a tree that can be walked", () => {
  let depth = 0;
  let node = documentOf(`${"<div>".repeat(3_000)}<h1>deep</h1>`, false).children[0];
  while (node !== undefined && "children" in node && node.children.length > 0) {
    depth++;
    node = node.children[0];
  }
  expect(depth).toBeLessThanOrEqual(DOM_DEPTH_MOST + 1);
  expect(of(`${"<div>".repeat(3_000)}<h1>deep</h1>`, rule("select", "h1"))).toBe("deep");
});

test.each([
  ["€ 1.299,50", 1299.5],
  ["1,299.50 USD", 1299.5],
  ["1,299", 1299],
  ["12,5", 12.5],
  ["-3", -3],
  ["1.234.567", 1234567],
  ["1 299,00 kr", 1299],
  ["CHF 1’299.–", 1299],
  ["sold out", null],
])("the number in %j is %s", (text, number) => {
  expect(numberIn(text)).toBe(number);
});
