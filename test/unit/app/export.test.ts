import { expect, test } from "vitest";
import { exportRows } from "../../../src/app/export.ts";
import { encodeIds } from "../../../src/kernel/id-list.ts";
import { STANDARD_FIELDS } from "../../../src/kernel/settled-url.ts";
import type { SettledRow } from "../../../src/ports/store.ts";

const page = {
  contentType: null,
  charset: null,
  title: "t",
  canonical: null,
  index: true,
  follow: true,
  links: encodeIds([0]),
  marks: [],
  textHash: new Uint8Array(12),
  textHashVersion: 1,
  etag: null,
  lastModified: null,
  bodyHash: null,
};
const row = (id: number): SettledRow => ({
  seq: 10_000 - id,
  id,
  pass: 1,
  url: `https://a.example/${id}`,
  depth: 0,
  via: "seed",
  outcome: "failed",
  code: "timeout",
  message: null,
  status: null,
  at: 0,
  ms: null,
  bytesWire: 0,
  bytesBody: 0,
  provider: null,
  attempts: 1,
  finalUrl: null,
  redirects: [],
  duplicateOf: null,
  changed: null,
  page,
  extra: null,
});

function storeOf(count: number) {
  const asked: number[] = [];
  return {
    asked,
    current: async (_what: string, after: number, limit: number) => {
      asked.push(limit);
      return Array.from({ length: Math.max(0, Math.min(limit, count - after - 1)) }, (_, i) => row(after + 1 + i));
    },
    urlTexts: (ids: readonly number[]) => ids.map((id) => `https://a.example/${id}`),
  };
}

async function all(count: number, what: "pages" | "records" | "failed", signal = new AbortController().signal) {
  const store = storeOf(count);
  const rows = [];
  for await (const settled of exportRows(store, { what, fields: STANDARD_FIELDS }, signal)) rows.push(settled);
  return { rows, asked: store.asked };
}

test("every row comes once, in order, over several batches of one size", async () => {
  const { rows, asked } = await all(1200, "pages");
  expect(rows.map((settled) => settled.url)).toEqual(Array.from({ length: 1200 }, (_, i) => `https://a.example/${i}`));
  expect(new Set(asked).size).toBe(1);
});

test("pages show the kept copy, failures what the visit brought", async () => {
  expect((await all(1, "pages")).rows[0]).toMatchObject({ title: "t", links: ["https://a.example/0"] });
  expect((await all(1, "failed")).rows[0]).toMatchObject({ title: null, links: [], error: { code: "timeout" } });
});

test("there are no records where no extractor makes any", async () => {
  expect((await all(3, "records")).rows).toEqual([]);
});

test("an export that is stopped reads no further", async () => {
  const stopped = new AbortController();
  stopped.abort();
  expect((await all(1200, "pages", stopped.signal)).asked).toEqual([]);
});
