import { expect, test } from "vitest";
import { suggest } from "../../../src/config/suggest.ts";

test("a swapped, missing or foreign-style name finds the one that was meant", () => {
  const names = ["maxPages", "maxDepth", "timeout"];
  expect(suggest("maxPgaes", names)).toBe("maxPages");
  expect(suggest("max_pages", names)).toBe("maxPages");
  expect(suggest("timout", names)).toBe("timeout");
});

test("a name that is like none gets no suggestion", () => {
  expect(suggest("colour", ["maxPages", "timeout"])).toBeNull();
  expect(suggest("x".repeat(10_000), ["maxPages"])).toBeNull();
});
