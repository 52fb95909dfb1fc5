import { expect, test } from "vitest";
import { chooseFields, fileFields, optionalAmong } from "../../../../src/app/output/fields.ts";
import { jsonlFormat } from "../../../../src/app/output/jsonl.ts";
import { toSettledUrl } from "../../../../src/app/output/settled-url.ts";
import { encodeIds } from "../../../../src/kernel/id-list.ts";
import { STANDARD_FIELDS } from "../../../../src/kernel/settled-url.ts";
import type { SettledRow } from "../../../../src/ports/store.ts";
import { settledUrl } from "./settled-url.fixture.ts";

const page: NonNullable<SettledRow["page"]> = {
  contentType: "text/html",
  charset: "utf-8",
  title: "Kept",
  canonical: null,
  index: true,
  follow: true,
  links: encodeIds([3, 1]),
  marks: ["thin"],
  textHash: new Uint8Array(12),
  textHashVersion: 1,
  etag: null,
  lastModified: null,
  bodyHash: null,
};
const row: SettledRow = {
  seq: 4,
  id: 2,
  pass: 1,
  url: "https://example.com/2",
  depth: 1,
  via: "link",
  outcome: "new",
  code: null,
  message: null,
  status: 200,
  at: Date.UTC(2024, 0, 2, 3, 4, 5),
  ms: 12.4,
  bytesWire: 900,
  bytesBody: 600,
  provider: "direct",
  attempts: 1,
  finalUrl: null,
  redirects: [],
  duplicateOf: null,
  changed: null,
  page,
  extra: null,
};
const texts = (ids: readonly number[]): string[] => ids.map((id) => `https://example.com/${id}`);
const plain = { optional: [], page: "visit" } as const;

test("a row has exactly the fields of the contract, with links spelled out in document order", () => {
  const settled = toSettledUrl(row, texts, plain);
  expect(Object.keys(settled).sort()).toEqual([...STANDARD_FIELDS].sort());
  expect(settled).toMatchObject({ title: "Kept", type: "page", fetchedAt: "2024-01-02T03:04:05.000Z", ms: 12, finalUrl: row.url });
  expect(settled.links).toEqual(["https://example.com/3", "https://example.com/1"]);
});

test("seq stands first in a line, where a resumed file looks for it", () => {
  expect(jsonlFormat(STANDARD_FIELDS).line(toSettledUrl(row, texts, plain))).toMatch(/^\{"seq":4,/);
  expect(jsonlFormat(fileFields(["url", "title"])).line(settledUrl())).toBe('{"seq":1,"url":"https://example.com/","title":"Example"}\n');
});

test("a failure shows nothing of the earlier copy, except where the kept copy is asked for", () => {
  const failed: SettledRow = { ...row, outcome: "failed", status: 500, code: "http-500", message: "500 after 4 attempts" };
  expect(toSettledUrl(failed, texts, plain)).toMatchObject({
    title: null,
    links: [],
    type: null,
    error: { code: "http-500", message: "500 after 4 attempts" },
  });
  expect(toSettledUrl(failed, texts, { ...plain, page: "kept" }).title).toBe("Kept");
});

test("a skipped URL names its reason, and nothing answered has no final URL", () => {
  const skipped: SettledRow = { ...row, outcome: "skipped", code: "robots", status: null, page: null };
  expect(toSettledUrl(skipped, texts, plain)).toMatchObject({ error: { code: "robots", message: "robots" }, finalUrl: null });
  expect(toSettledUrl({ ...skipped, seq: 0, at: 0 }, texts, plain).fetchedAt).toBeNull();
});

test("a duplicate names the URL that holds the content", () => {
  expect(toSettledUrl({ ...row, outcome: "duplicate", duplicateOf: 9, page: null }, texts, plain).duplicateOf).toBe(
    "https://example.com/9",
  );
});

test("optional fields are there only when asked for, and null when not at hand", () => {
  const extra = JSON.stringify({ text: "hello" });
  const settled = toSettledUrl({ ...row, extra }, texts, { optional: ["text", "html"], page: "visit" });
  expect(settled.text).toBe("hello");
  expect(settled.html).toBeNull();
  expect(settled).not.toHaveProperty("headers");
  expect(optionalAmong(["url", "html"])).toEqual(["html"]);
});

test("a field that a row lacks is null, never missing", () => {
  expect(chooseFields(settledUrl(), ["title", "text"])).toEqual({ title: "Example", text: null });
});
