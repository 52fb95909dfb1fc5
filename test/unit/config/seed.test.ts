import { expect, test } from "vitest";
import { readSeed } from "../../../src/config/seed.ts";

test.each([
  ["https://example.com/", "https://example.com/"],
  ["example.com", "https://example.com"],
  ["  example.com/a b  ", "https://example.com/a b"],
  ["localhost:8080/x", "https://localhost:8080/x"],
  ["127.0.0.1:3000", "https://127.0.0.1:3000"],
  ["//example.com/x", "https://example.com/x"],
  ["HTTP://Example.com", "HTTP://Example.com"],
])("the seed %j is %j", (text, url) => {
  expect(readSeed(text)).toEqual({ kind: "seed", url });
});

test.each([
  "",
  "   ",
  "ftp://example.com",
  "mailto:a@example.com",
  "javascript:alert(1)",
  "http://",
  "http://a b/",
  "https://[::1",
  "file:///etc/passwd",
  "\u0000\u0001binary.example",
  "\ufffd\ufffd.example",
  `https://example.com/${"a".repeat(8_192)}`,
])("%j is no seed", (text) => {
  expect(readSeed(text).kind).toBe("bad");
});
