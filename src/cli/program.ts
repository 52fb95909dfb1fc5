import { Command, CommanderError, Option } from "commander";
import { CONFIG_FLAG, OPTIONS } from "../config/defaults.ts";
import { LATER, NOT_YET } from "../config/later.ts";
import { isList, type OptionSpec } from "../config/schema.ts";
import { suggest } from "../config/suggest.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import type { CommandInput, CommandSpec } from "./command-spec.ts";
import { COMMANDS } from "./commands.ts";

/** What a command line asks for. `help` and `version` have been printed already. */
export type Invocation =
  | { readonly kind: "run"; readonly command: CommandSpec; readonly input: CommandInput }
  | { readonly kind: "printed" }
  | { readonly kind: "unusable"; readonly message: string };

/**
 * Takes a command line apart. Nothing is checked but names, and wrong ones are collected, so that they are told together with
 * the wrong values (commander alone would stop at the first).
 * @param write prints help and version on stdout.
 */
export function parseCommandLine(args: readonly string[], version: string, write: (text: string) => void): Invocation {
  const problems: ConfigProblem[] = [];
  let rest = [...args];
  for (;;) {
    let invocation: Invocation = { kind: "unusable", message: "" };
    const program = buildProgram(version, write, (command, input) => {
      invocation = { kind: "run", command, input: { ...input, problems: [...problems, ...input.problems] } };
    });
    try {
      program.parse(rest, { from: "user" });
      return invocation;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0) return { kind: "printed" };
      if (error.code !== "commander.optionMissingArgument" || rest.length === 0)
        return { kind: "unusable", message: usageMessage(error, rest) };
      // Only the last word can be an option without its value. It is noted and left out, to find what else is wrong.
      const flag = rest[rest.length - 1];
      problems.push({ path: flag, got: "nothing", expected: "a value" });
      rest = rest.slice(0, -1);
    }
  }
}

function usageMessage(error: CommanderError, args: readonly string[]): string {
  if (error.code === "commander.help") return "";
  const first = args[0] ?? "";
  const names = COMMANDS.map((command) => command.name);
  if (/^(https?:\/\/|[\w-]+\.[\w.-]+(\/|$))/.test(first)) return `There is no command ${first}; did you mean: weir crawl ${first}`;
  const near = suggest(first, names);
  return `There is no command ${first}; ${near === null ? `there are ${names.join(", ")}` : `did you mean ${near}?`}`;
}

function buildProgram(version: string, write: (text: string) => void, found: (command: CommandSpec, input: CommandInput) => void): Command {
  const program = new Command("weir")
    .description("A web crawler that keeps copies of pages fresh at the least cost and never drowns.")
    .version(version)
    .addHelpText("before", "Example:\n  weir crawl https://example.com\n")
    .configureOutput({ writeOut: write, writeErr: () => undefined, outputError: () => undefined })
    .exitOverride()
    .helpCommand(false)
    .showSuggestionAfterError(false);
  for (const spec of COMMANDS) addCommand(program, spec, found);
  return program;
}

function addCommand(program: Command, spec: CommandSpec, found: (command: CommandSpec, input: CommandInput) => void): void {
  const command = program
    .command(spec.name)
    .summary(spec.summary)
    .description(`${spec.summary[0].toUpperCase()}${spec.summary.slice(1)}.`)
    .addHelpText("before", `Example:\n  ${spec.example}\n`)
    .allowUnknownOption()
    .allowExcessArguments()
    .configureHelp({ styleTitle: (title) => title });
  if (spec.args !== null) command.argument(`[${spec.args.name}]`, spec.args.help);
  const keys = new Map<string, string>();
  for (const option of OPTIONS) {
    if (option.flag === null || (spec.options !== null && !spec.options.includes(option.key))) continue;
    const added = optionOf(option);
    keys.set(added.attributeName(), option.key);
    command.addOption(added);
  }
  command.addOption(new Option(`${CONFIG_FLAG.flag} <${CONFIG_FLAG.value}>`, CONFIG_FLAG.help).helpGroup("Configuration:"));
  for (const own of spec.own) {
    const option = new Option(own.flags, own.help).helpGroup("Options:");
    command.addOption(own.repeatable === true ? option.argParser(gathered) : option);
  }
  command.action(() => found(spec, inputOf(spec, command, keys)));
}

function optionOf(spec: OptionSpec): Option {
  const names = spec.short === undefined ? `${spec.flag}` : `${spec.short}, ${spec.flag}`;
  const shown = spec.value === null ? names : `${names} <${spec.value}>`;
  const fallback =
    spec.default === null || spec.type.kind === "switch" ? "" : ` (default: ${spec.default.replace("VERSION", "<version>")})`;
  const choices = spec.type.kind === "choice" ? `${spec.type.of.join(", ")}: ` : "";
  const option = new Option(shown, `${choices}${spec.help}${fallback}`).helpGroup(`${spec.group}:`);
  if (isList(spec.type)) option.argParser(gathered);
  return option;
}

function gathered(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function inputOf(spec: CommandSpec, command: Command, keys: ReadonlyMap<string, string>): CommandInput {
  const flags: Record<string, string | boolean | readonly string[]> = {};
  const own: Record<string, string | boolean> = {};
  const lists: Record<string, readonly string[]> = {};
  let configFile: string | undefined;
  for (const [name, value] of Object.entries(command.opts())) {
    const key = keys.get(name);
    if (key !== undefined) flags[key] = value;
    else if (name === "config") configFile = value;
    else if (Array.isArray(value)) lists[name] = value;
    else own[name] = value;
  }
  const isFlag = (arg: string): boolean => arg.startsWith("-") && arg !== "-";
  const problems = command.args.filter(isFlag).map((arg) => unknownFlag(arg, command));
  const args = command.args.filter((arg) => !isFlag(arg));
  if (spec.args === null && problems.length === 0)
    problems.push(...args.map((arg) => ({ path: arg, got: "an argument", expected: `none: weir ${spec.name} takes options only` })));
  return { flags, own, lists, args, configFile, problems };
}

function unknownFlag(arg: string, command: Command): ConfigProblem {
  const flag = arg.split("=")[0];
  if (command.options.some((option) => option.long === flag)) return { path: flag, got: "a value", expected: "none: it is a switch" };
  if (LATER.some((entry) => entry.flag === flag)) return { path: flag, got: "an option", expected: `nothing: it is ${NOT_YET}` };
  const known = command.options.map((option) => option.long ?? "").filter((name) => name !== "");
  const near = suggest(
    flag.replace(/^-+/, ""),
    known.map((name) => name.slice(2)),
  );
  return {
    path: flag,
    got: "an unknown option",
    expected: `an option of weir ${command.name()}${near === null ? " (see --help)" : `; did you mean --${near}?`}`,
  };
}
