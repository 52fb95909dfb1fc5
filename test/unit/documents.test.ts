import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

// Prose outlives code: what can be checked in the documents is checked.
const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md"].concat(
  readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
);

// Decisions are kept as they were written; what they name may have moved since.
test.each(documents.filter((name) => !name.startsWith("docs/adr/")))("%s names only files that exist", (document) => {
  const text = read(document);
  const named = [...text.matchAll(/`((?:src|test|bench|docs|examples|tools)\/[\w./-]+)`/g)].map((match) => match[1]);
  // Short names, as architecture.md uses them: a folder of src without the prefix.
  const short = [...text.matchAll(/`((?:kernel|flow|schedule|ports|config|stages|adapters|pipeline|simulate|app|cli)\/[\w./-]+)`/g)].map(
    (match) => `src/${match[1]}`,
  );
  expect([...named, ...short].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test.each(documents)("%s links only to files that exist", (document) => {
  const links = [...read(document).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map((match) => match[1]);
  expect(links.filter((link) => !existsSync(resolve(root, document, "..", link)))).toEqual([]);
});

test("the README fits its length and gives the two commands as they are run", () => {
  const text = read("README.md");
  expect(text.split("\n").length).toBeLessThanOrEqual(150);
  expect(text).toContain("\nnpm ci && npm start -- crawl https://example.com\n");
  expect(text).toContain("\nnpm ci && npm test\n");
});

test("the README has one row for each requirement of this version", () => {
  const rows = [...read("README.md").matchAll(/^\| ([A-D]\d) /gm)].map((match) => match[1]);
  expect(rows).toEqual([
    "A1",
    "A2",
    "A3",
    "A4",
    "A5",
    "A6",
    "A7",
    "B1",
    "B2",
    "B3",
    "B4",
    "B5",
    "B6",
    "B7",
    "B8",
    "C2",
    "D1",
    "D2",
    "D3",
    "D4",
    "D6",
    "D7",
    "D8",
    "D9",
  ]);
});

const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;

test("docs/dependencies.md explains every dependency at its version, and no other", () => {
  const explained = [...read("docs/dependencies.md").matchAll(/^\| ((?:[@\w./-]+ \d+\.\d+\.\d+(?:, )?)+) \|/gm)].flatMap((match) =>
    match[1].split(", "),
  );
  const installed = Object.entries({ ...dependencies, ...devDependencies }).map(([name, version]) => `${name} ${version}`);
  expect(explained.sort()).toEqual(installed.sort());
});

test("every run-time dependency is imported by the program", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const text = sources.map((name) => read(`src/${name}`)).join("\n");
  const imported = (name: string) => new RegExp(`(?:from |import\\()"${name.replace(/[.]/g, "\\.")}["/]`).test(text);
  expect(Object.keys(dependencies).filter((name) => !imported(name))).toEqual([]);
});
