import { expect, test } from "vitest";
import { readPages } from "../../../src/config/read-pages.ts";

function read(raw: unknown) {
  const problems: { path: string; expected: string }[] = [];
  const value = readPages(raw, {
    fromText: false,
    secret: () => undefined,
    report: (path, _got, expected) => void problems.push({ path, expected }),
  });
  return { value, problems };
}

test("page types are read into plain rules", () => {
  const { value, problems } = read([
    {
      type: "product",
      match: "/p/*",
      value: 4,
      objective: "events",
      detectWithin: "5m",
      maxAge: "30d",
      extract: { name: "h1", price: { select: ".price", attr: "content", as: "number" }, sku: { jsonld: "$.sku" } },
    },
    { type: "article", match: ["/blog/*", "/news/"], extract: "./extract.ts#article", version: 2 },
  ]);
  expect(problems).toEqual([]);
  expect(value?.[0]).toMatchObject({ value: 4, objective: "events", detectWithin: 300_000, maxAge: 30 * 86_400_000, version: null });
  expect(value?.[0].extract).toEqual({
    kind: "fields",
    fields: [
      { name: "name", from: "select", path: "h1", attr: null, all: false, as: null },
      { name: "price", from: "select", path: ".price", attr: "content", all: false, as: "number" },
      { name: "sku", from: "jsonld", path: "$.sku", attr: null, all: false, as: null },
    ],
  });
  expect(value?.[1]).toMatchObject({ value: 2, version: "2", extract: { kind: "module", path: "./extract.ts", name: "article" } });
});

test("all problems are told at once, each with its path", () => {
  const { value, problems } = read([
    { type: "a b", match: "p/*", value: 5, objective: "speed", detectWithin: "soon", extrakt: {}, variant: {} },
    { type: "x", match: [], maxAge: 3, extract: "file.ts" },
    {
      type: "x",
      match: "/",
      extract: { a: { select: "p", json: "$" }, b: { jsonld: "$", attr: "c" }, c: { select: "p", as: "money" }, d: 1, e: {} },
    },
    7,
  ]);
  expect(value).toBeUndefined();
  expect(problems.map(({ path }) => path)).toEqual([
    "[0].extrakt",
    "[0].variant",
    "[0].type",
    "[0].match",
    "[0].value",
    "[0].objective",
    "[0].detectWithin",
    "[1].match",
    "[1].maxAge",
    "[1].extract",
    "[2].extract.a",
    "[2].extract.b.attr",
    "[2].extract.c.as",
    "[2].extract.d",
    "[2].extract.e",
    "[3]",
    "[2].type",
  ]);
  expect(problems[0].expected).toContain("did you mean extract?");
  expect(problems[1].expected).toContain("not available yet");
  expect(read({}).problems[0].expected).toContain("a list");
});
