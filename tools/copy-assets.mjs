// Copies what tsc leaves behind (SQL files) beside the compiled modules.
import { cpSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const copy = (from, to) => {
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const target = join(to, name);
    if (statSync(source).isDirectory()) copy(source, target);
    else if (name.endsWith(".sql")) {
      mkdirSync(dirname(target), { recursive: true });
      cpSync(source, target);
    }
  }
};
copy("src", "dist");
