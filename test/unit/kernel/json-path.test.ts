import { expect, test } from "vitest";
import { atJsonPath, parseJsonPath } from "../../../src/kernel/json-path.ts";

const answer = { status: 200, data: [{ html: "one" }, { html: "two", "final url": "u", "it's": 1 }], "a-b": { c: null } };

test.each([
  ["$.status", 200],
  ["$.data[0].html", "one"],
  ["$.data[-1]['final url']", "u"],
  ['$["data"][1]["html"]', "two"],
  ["$.data[1]['it\\'s']", 1],
  ["$.a-b.c", null],
  ["$.none.at.all", undefined],
  ["$.data[9].html", undefined],
  ["$.status.length", undefined],
  ["$.toString", undefined],
])("%s", (path, value) => {
  expect(atJsonPath(parseJsonPath(path) ?? ["?"], answer)).toEqual(value);
});

test.each(["status", "", "$.", "$..a", "$.*", "$[0", "$.a[?(@.b)]", "$.a b", "$['a"])("%j is not one", (path) => {
  expect(parseJsonPath(path)).toBeNull();
});

test("$ is the whole", () => {
  expect(parseJsonPath("$")).toEqual([]);
});
