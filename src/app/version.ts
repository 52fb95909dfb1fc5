import { readFileSync } from "node:fs";

/** weir's own version, from its package: one place for `--version`, the User-Agent and the docs. */
export function weirVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return String(JSON.parse(text).version);
}
