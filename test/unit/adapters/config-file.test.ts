import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfigFile, loadExport } from "../../../src/adapters/config-file/load.ts";

const library = resolve("src/config/define-config.ts");
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-config-"));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const load = (named?: string, cwd = folder) => loadConfigFile(named, cwd, library);

test("a TypeScript file with defineConfig works in a folder without node_modules", async () => {
  await write(
    "weir.config.ts",
    'import { defineConfig } from "weir";\nconst n: number = 5;\nexport default defineConfig({ maxPages: n });',
  );
  expect(await load()).toEqual({ path: join(folder, "weir.config.ts"), value: { maxPages: 5 } });
});

test("so does a module file, and JSON with a byte order mark", async () => {
  await write("weir.config.mjs", 'import { defineConfig } from "weir";\nexport default defineConfig({ maxPages: 6 });');
  expect((await load())?.value).toEqual({ maxPages: 6 });
  await write("other.json", '\uFEFF{ "maxPages": 7 }');
  expect((await load("other.json"))?.value).toEqual({ maxPages: 7 });
});

test("the file is found from a folder below, the nearest one first", async () => {
  await write("weir.config.json", '{ "maxPages": 1 }');
  await mkdir(join(folder, "a", "b"), { recursive: true });
  expect((await load(undefined, join(folder, "a", "b")))?.path).toBe(join(folder, "weir.config.json"));
  await write("a/weir.config.json", '{ "maxPages": 2 }');
  expect((await load(undefined, join(folder, "a", "b")))?.value).toEqual({ maxPages: 2 });
});

test.each([
  ["missing.json", null, "there is no such file"],
  ["weir.config.yaml", "a: 1", "the ending must be"],
  ["bad.json", "{ maxPages: 1 }", "JSON"],
  ["bad.ts", "export default {{", "bad.ts"],
  ["throws.mjs", 'throw new Error("no key")', "no key"],
  ["nothing.mjs", "export const a = 1;", "no default export"],
])("%s is told in one line, without a stack", async (name, text, words) => {
  if (text !== null) await write(name, text);
  const error = await load(name).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "WEIR_CONFIG_UNREADABLE", message: expect.stringContaining(words) });
  expect(String(error)).toContain(join(folder, name));
  expect(String(error)).not.toMatch(/\n\s+at /);
});

test("a named export of a module is loaded; what cannot be is told in one line", async () => {
  await write("unit.ts", "export const unitOf = (url: URL): string => url.hostname;");
  const found = await loadExport(join(folder, "unit.ts"), "unitOf", library);
  expect(typeof found === "function" && found(new URL("https://a.example/"))).toBe("a.example");
  expect(await loadExport(join(folder, "unit.ts"), "other", library)).toBeUndefined();
  for (const [name, words] of [
    ["missing.ts", "there is no such file"],
    ["weir.config.json", "the ending must be"],
  ] as const) {
    await write("weir.config.json", "{}");
    const error = await loadExport(join(folder, name), "unitOf", library).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "WEIR_CONFIG_UNREADABLE", message: expect.stringContaining(words) });
  }
});
