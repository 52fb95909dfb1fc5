// Joins the program and its packages into a few files: 340 small modules cost 0.2 s of every start. What is loaded lazily
// stays a file of its own. libsql (native) and jiti (reads configuration files) stay packages. The library keeps tsc's files.
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const bundle = await rolldown({
  input: { main: "src/cli/main.ts", "parse-thread": "src/app/parse-thread.ts", "extract-thread": "src/app/extract-thread.ts" },
  platform: "node",
  external: ["libsql", "jiti"],
  logLevel: "warn",
});
const { output } = await bundle.write({ dir: "dist/cli", format: "esm", chunkFileNames: "chunk-[name].js" });
await bundle.close();
// Read beside the module that needs it, which is in the bundle now.
copyFileSync("src/adapters/store-sqlite/schema.sql", "dist/cli/schema.sql");
chmodSync("dist/cli/main.js", 0o755);

// The packages inside ask that their licences go with them.
const folders = new Set(
  output.flatMap((file) => file.moduleIds ?? []).flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
);
const notices = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
  return [`${name} ${version} (${license})`, ...texts.map((file) => readFileSync(join(folder, file), "utf8").trim())].join("\n\n");
});
writeFileSync("dist/cli/LICENSES.txt", `The program contains these packages.\n\n${notices.join("\n\n---\n\n")}\n`);
