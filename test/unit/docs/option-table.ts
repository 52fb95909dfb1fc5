import { OPTIONS } from "../../../src/config/defaults.ts";
import { type OptionSpec, rangeOf } from "../../../src/config/schema.ts";

/** The table of `docs/options.md`, made from the option table. */
export function optionTables(): string {
  const groups = [...new Set(OPTIONS.map((option) => option.group))];
  return groups
    .map((group) => [`## ${group}`, "", HEAD, ...OPTIONS.filter((option) => option.group === group).map(row)].join("\n"))
    .join("\n\n");
}

const HEAD = "| option | in the file | variable | default | value | meaning |\n|---|---|---|---|---|---|";

function row(option: OptionSpec): string {
  const names = option.short === undefined ? option.flag : `${option.short}, ${option.flag}`;
  const flag = option.flag === null ? "–" : `\`${names}${option.value === null ? "" : ` ${option.value}`}\``;
  const inFile = option.flag !== null && option.env === null ? "–" : `\`${option.key}\``;
  const cells = [flag, inFile, option.env === null ? "–" : `\`${option.env}\``, fallback(option), rangeOf(option.type), option.help];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function fallback(option: OptionSpec): string {
  if (option.key === "fields") return "the standard ones";
  return option.default === null ? "none" : `\`${option.default}\``;
}
