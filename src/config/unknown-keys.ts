import type { ConfigProblem } from "../kernel/errors.ts";
import { CONFIG_FLAG, OPTIONS } from "./defaults.ts";
import { LATER, NOT_YET } from "./later.ts";
import { shown } from "./shown.ts";
import { suggest } from "./suggest.ts";

/**
 * Names in a file or in the library's options that mean nothing, or nothing yet. A wrong name is a problem, not a warning:
 * `maxPage: 100` ignored would crawl everything.
 * @param prefix goes before each path, to name the file.
 */
export function unknownKeys(value: unknown, prefix: string, place: "file" | "library"): ConfigProblem[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [{ path: prefix.replace(/: $/, "") || "options", got: shown(value), expected: "an object with settings" }];
  }
  const problems: ConfigProblem[] = [];
  const known = OPTIONS.filter((option) => place === "library" || option.flag === null || option.env !== null).map((option) => option.key);
  const groups = new Set(known.filter((key) => key.includes(".")).map((key) => key.split(".")[0]));
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    if (!groups.has(name)) problems.push(...wrongName(name, inner, known, prefix));
    else if (typeof inner !== "object" || inner === null || Array.isArray(inner)) {
      problems.push({ path: prefix + name, got: shown(inner), expected: "an object" });
    } else {
      for (const [part, leaf] of Object.entries(inner)) problems.push(...wrongName(`${name}.${part}`, leaf, known, prefix));
    }
  }
  return problems;
}

function wrongName(key: string, value: unknown, known: readonly string[], prefix: string): ConfigProblem[] {
  const later = LATER.find((entry) => entry.key === key);
  if (later !== undefined) {
    return [{ path: prefix + key, got: "a setting", expected: `nothing: it is ${NOT_YET}` }];
  }
  if (known.includes(key)) return [];
  const flagOnly = OPTIONS.find((option) => option.key === key);
  if (flagOnly !== undefined) return [{ path: prefix + key, got: shown(value), expected: `only ${flagOnly.flag} on the command line` }];
  const near = suggest(key, known);
  return [
    {
      path: prefix + key,
      got: "an unknown setting",
      expected: `a setting of weir${near === null ? " (see docs/options.md)" : `; did you mean ${near}?`}`,
    },
  ];
}

/** Variables of later steps are refused; a near miss of a known one too. Other `WEIR_` variables are somebody else's. */
export function unknownEnvironment(env: Readonly<Record<string, string | undefined>>): ConfigProblem[] {
  const known = [...OPTIONS.map((option) => option.env).filter((name) => name !== null), CONFIG_FLAG.env];
  const later = LATER.filter((entry) => entry.flag !== undefined).map(
    (entry) => `WEIR_${(entry.flag ?? "").slice(2).toUpperCase().replaceAll("-", "_")}`,
  );
  const problems: ConfigProblem[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("WEIR_") || value === undefined || value === "" || known.includes(name)) continue;
    if (later.includes(name)) problems.push({ path: name, got: "a variable", expected: `nothing: it is ${NOT_YET}` });
    else {
      const near = suggest(
        name.slice(5),
        known.map((other) => other.slice(5)),
      );
      if (near !== null)
        problems.push({ path: name, got: "an unknown variable", expected: `a variable of weir; did you mean WEIR_${near}?` });
    }
  }
  return problems;
}
