import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileSink } from "../../../src/adapters/sink-file/file-sink.ts";
import { csvFormat } from "../../../src/app/output/csv.ts";
import { jsonlFormat } from "../../../src/app/output/jsonl.ts";
import type { SettledUrl } from "../../../src/kernel/settled-url.ts";
import { settledUrl } from "../app/output/settled-url.fixture.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-sink-"));
});
afterEach(() => rm(folder, { recursive: true }));

const jsonl = jsonlFormat(["seq", "title"]);
const csv = csvFormat(["seq", "title"]);
const rows = (...seqs: number[]): SettledUrl[] => seqs.map((seq) => settledUrl({ seq, title: `line ${seq}\n"quoted", and, more` }));

async function writeAll(
  path: string,
  format: typeof jsonl,
  seqs: number[],
  resume: { first: number; last: number } | null,
): Promise<number> {
  const sink = await FileSink.open({ path, format, resume });
  await sink.write(rows(...seqs));
  await sink.close();
  return sink.lastSeq;
}

for (const format of [jsonl, csv]) {
  const open = () => join(folder, `out.${format.name}`);
  const whole = (seqs: number[]) =>
    format.header +
    rows(...seqs)
      .map((row) => format.line(row))
      .join("");

  test(`${format.name}: wherever a crash cuts the file, the resumed one holds the whole pass once`, async () => {
    const path = open();
    const text = whole([5, 6, 7]);
    for (let cut = 0; cut <= text.length; cut++) {
      await writeFile(path, text.slice(0, cut));
      const sink = await FileSink.open({ path, format, resume: { first: 5, last: 9 } });
      expect([0, 5, 6, 7]).toContain(sink.lastSeq);
      // The caller begins with the whole pass or behind `lastSeq`: both give the same file.
      await sink.write(rows(5, 6, 7, 8).filter((row) => cut % 2 === 0 || row.seq > sink.lastSeq));
      await sink.close();
      expect(await readFile(path, "utf8")).toBe(whole([5, 6, 7, 8]));
    }
  });

  test(`${format.name}: a new pass overwrites, also a longer file`, async () => {
    const path = open();
    await writeAll(path, format, [1, 2, 3, 4], null);
    await writeAll(path, format, [5], null);
    expect(await readFile(path, "utf8")).toBe(whole([5]));
  });

  test(`${format.name}: rows of another pass or of a lost commit are not continued`, async () => {
    const path = open();
    for (const [held, resume] of [
      [[1, 2], { first: 5, last: 9 }],
      [[5, 6, 7], { first: 5, last: 6 }],
      [[6, 7], { first: 5, last: 9 }],
    ] as const) {
      await writeAll(path, format, [...held], null);
      const sink = await FileSink.open({ path, format, resume });
      expect(sink.lastSeq).toBe(0);
      await sink.close();
      expect(await readFile(path, "utf8")).toBe(format.header);
    }
  });
}

test("somebody else's file is written anew", async () => {
  const path = join(folder, "out.csv");
  await writeFile(path, "name,price\r\na,1\r\n");
  expect(await writeAll(path, csv, [5], { first: 5, last: 5 })).toBe(0);
  expect(await readFile(path, "utf8")).toContain("seq,title\r\n5,");
});

test("a file that lost its end between two writes of one run is not left with a hole", async () => {
  const path = join(folder, "out.jsonl");
  const sink = await FileSink.open({ path, format: jsonl, resume: null });
  await sink.write(rows(1));
  await truncate(path, 0);
  await sink.close();
  const again = await FileSink.open({ path, format: jsonl, resume: { first: 1, last: 1 } });
  expect(again.lastSeq).toBe(0);
  await again.close();
});

test.each([
  ["missing/out.jsonl", "its folder does not exist"],
  [".", "it is a folder"],
])("opening %s says what is wrong", async (name, words) => {
  const opened = FileSink.open({ path: join(folder, name), format: jsonl, resume: null });
  await expect(opened).rejects.toMatchObject({ code: "WEIR_OUTPUT_FAILED", message: expect.stringContaining(words) });
});

test.runIf(existsSync("/dev/full"))("a full disk is told as such, and what the store keeps is named", async () => {
  const path = join(folder, "out.jsonl");
  await symlink("/dev/full", path);
  const sink = await FileSink.open({ path, format: jsonl, resume: null });
  for (let i = 0; i < 2; i++) {
    await expect(sink.write(rows(1))).rejects.toMatchObject({
      code: "WEIR_OUTPUT_FAILED",
      message: expect.stringMatching(/no room left.*continues once there is room/),
    });
  }
  await sink.close();
});
