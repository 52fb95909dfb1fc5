import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileBlobStore } from "../../../src/adapters/blob-store-file/file-blob-store.ts";

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "weir-blob-")), "bodies");
});
afterEach(() => rm(join(folder, ".."), { recursive: true }));

const body = (text: string) => ({ bytes: Buffer.from(text), hash: createHash("sha256").update(text).digest("hex") });
const from = (url: string) => ({ url, at: Date.UTC(2024, 0, 2), contentType: "text/html" });

test("a body comes back by its hash, and the index says where it came from", async () => {
  const store = await FileBlobStore.open(folder);
  const { bytes, hash } = body("hello");
  await store.put(hash, bytes, from("https://example.com/../../etc/passwd"));
  expect(await store.get(hash)).toEqual(bytes);
  expect(await store.get(body("other").hash)).toBeNull();
  await store.close();
  const index = (await readFile(join(folder, "index.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(index).toEqual([
    { hash, url: "https://example.com/../../etc/passwd", at: "2024-01-02T00:00:00.000Z", contentType: "text/html", bytes: 5 },
  ]);
});

test("the same body of many pages is kept once and indexed for each, also at the same time", async () => {
  const store = await FileBlobStore.open(folder);
  const { bytes, hash } = body("same");
  await Promise.all(Array.from({ length: 20 }, (_, i) => store.put(hash, bytes, from(`https://example.com/${i}`))));
  await store.close();
  expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".bin"))).toHaveLength(1);
  const lines = (await readFile(join(folder, "index.jsonl"), "utf8")).trim().split("\n");
  expect(new Set(lines.map((line) => JSON.parse(line).url)).size).toBe(20);
});

test("names are made of the hash alone and are portable", async () => {
  const store = await FileBlobStore.open(folder);
  const { bytes, hash } = body("x");
  await store.put(hash, bytes, from("https://example.com/con:/<bad>"));
  await store.close();
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(
    [hash.slice(0, 2), join(hash.slice(0, 2), `${hash.slice(2)}.bin`), "index.jsonl"].sort(),
  );
});

test("what is no hash can't become a path", async () => {
  const store = await FileBlobStore.open(folder);
  await expect(store.put("../../escape", Buffer.of(1), from("x"))).rejects.toMatchObject({ code: "WEIR_BUG" });
  await store.close();
});

test("halves of a crashed run are thrown away, and a body cut short is written again", async () => {
  const { bytes, hash } = body("whole");
  const crashed = join(folder, ".weir-unfinished", "run-1");
  await mkdir(crashed, { recursive: true });
  await writeFile(join(crashed, "half"), "who");
  await utimes(crashed, 0, 0);
  await mkdir(join(folder, hash.slice(0, 2)));
  await writeFile(join(folder, hash.slice(0, 2), `${hash.slice(2)}.bin`), "who");
  const store = await FileBlobStore.open(folder);
  await store.put(hash, bytes, from("https://example.com/"));
  expect(await store.get(hash)).toEqual(bytes);
  await store.close();
  expect((await readdir(folder)).sort()).toEqual([hash.slice(0, 2), "index.jsonl"]);
});

test("a folder that holds other things keeps them, also one named tmp", async () => {
  await mkdir(join(folder, "tmp"), { recursive: true });
  await writeFile(join(folder, "tmp", "precious"), "mine");
  await (await FileBlobStore.open(folder)).close();
  expect(await readFile(join(folder, "tmp", "precious"), "utf8")).toBe("mine");
});

test("two runs can share an archive", async () => {
  const [one, other] = [await FileBlobStore.open(folder), await FileBlobStore.open(folder)];
  await one.close();
  const { bytes, hash } = body("shared");
  await other.put(hash, bytes, from("https://example.com/"));
  expect(await other.get(hash)).toEqual(bytes);
  await other.close();
});

test("a place that is no folder is one clear message", async () => {
  await mkdir(join(folder, ".."), { recursive: true });
  await writeFile(folder, "a file");
  await expect(FileBlobStore.open(folder)).rejects.toMatchObject({ code: "WEIR_OUTPUT_FAILED", message: expect.stringContaining(folder) });
});
