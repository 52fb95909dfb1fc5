// Joins the program and its packages into a few files: 340 small modules cost 0.2 s of every start. What is loaded lazily
// stays a file of its own. libsql (native) and jiti (reads configuration files) stay packages. The library keeps tsc's files.
import { chmodSync, copyFileSync } from "node:fs";
import { rolldown } from "rolldown";

const bundle = await rolldown({ input: { main: "src/cli/main.ts" }, platform: "node", external: ["libsql", "jiti"], logLevel: "warn" });
await bundle.write({ dir: "dist/cli", format: "esm", chunkFileNames: "chunk-[name].js" });
await bundle.close();
// Read beside the module that needs it, which is in the bundle now.
copyFileSync("src/adapters/store-sqlite/schema.sql", "dist/cli/schema.sql");
chmodSync("dist/cli/main.js", 0o755);
