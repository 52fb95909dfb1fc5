import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSeeds } from "../../../src/cli/seeds.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-seeds-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function fromFile(content: string | Buffer) {
  const path = join(folder, "seeds.txt");
  await writeFile(path, content);
  return readSeeds([`@${path}`], Readable.from([]));
}

test("comments, blank lines, a byte order mark, CRLF and blanks around are allowed", async () => {
  const { seeds, warnings } = await fromFile("\uFEFFhttps://a.example/\r\n\r\n# a comment\r\n  b.example/x  \r\nhttps://a.example/#frag\n");
  expect(seeds).toEqual(["https://a.example/", "https://b.example/x", "https://a.example/#frag"]);
  expect(warnings).toEqual([]);
});

test("a bad line is told with its number and the rest goes on", async () => {
  const { seeds, warnings } = await fromFile("https://a.example/\nftp://b.example/\n\nhttp://\nhttps://c.example/");
  expect(seeds).toEqual(["https://a.example/", "https://c.example/"]);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain("seeds.txt, line 2");
  expect(warnings[1]).toContain("line 4");
});

test("a file of anything else makes a bounded number of warnings", async () => {
  const { seeds, warnings } = await fromFile("not a url at all\n".repeat(5000));
  expect(seeds).toEqual([]);
  expect(warnings).toHaveLength(21);
  expect(warnings[20]).toContain("4980 more");
});

test("arguments, files and standard input go together, doubles once", async () => {
  await writeFile(join(folder, "s"), "https://b.example\nhttps://a.example");
  const { seeds } = await readSeeds(
    ["https://a.example", `@${join(folder, "s")}`, "-"],
    Readable.from(["https://c.exa", "mple\nhttps://b.example\n"]),
  );
  expect(seeds).toEqual(["https://a.example", "https://b.example", "https://c.example"]);
});

test("a file that can't be read is a problem, told with its name", async () => {
  const { problems } = await readSeeds([`@${join(folder, "none")}`, `@${folder}`], Readable.from([]));
  expect(problems.map((problem) => problem.got)).toEqual(["no such file", "it is a folder"]);
});
