import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { parseCommandLine } from "../../../src/cli/program.ts";
import { reportError } from "../../../src/cli/report-error.ts";
import { OPTIONS } from "../../../src/config/defaults.ts";
import { ConfigError, WeirError } from "../../../src/kernel/errors.ts";

function parse(...args: string[]) {
  let printed = "";
  const invocation = parseCommandLine(args, "1.2.3", (text) => {
    printed += text;
  });
  return { invocation, printed, input: invocation.kind === "run" ? invocation.input : undefined };
}

test("flags arrive by their key, repeated ones as a list, and arguments as they are", () => {
  const { input } = parse(
    "crawl",
    "a.example",
    "--max-pages",
    "5",
    "--header",
    "A: b",
    "--header",
    "C: d",
    "-o",
    "-",
    "--json",
    "@seeds",
    "-",
  );
  expect(input).toEqual({
    flags: { maxPages: "5", headers: ["A: b", "C: d"], output: "-", json: true },
    own: {},
    args: ["a.example", "@seeds", "-"],
    lists: {},
    configFile: undefined,
    problems: [],
  });
});

test("wrong options are collected, also a last one without its value", () => {
  const { input } = parse("crawl", "--max-page", "5", "--budget", "5 requests / day", "--foo=bar", "a.example", "--timeout");
  expect(input?.problems.map((problem) => problem.path)).toEqual(["--timeout", "--max-page", "--budget", "--foo"]);
  expect(input?.problems[1].expected).toContain("did you mean --max-pages?");
  expect(input?.problems[2].expected).toContain("not available yet");
});

test("a command without arguments refuses them", () => {
  expect(parse("status", "x").input?.problems).toHaveLength(1);
});

test("only the commands of this version exist", () => {
  expect(COMMANDS.map((command) => command.name)).toEqual([
    "crawl",
    "status",
    "hosts",
    "export",
    "topup",
    "retry",
    "config",
    "doctor",
    "simulate",
  ]);
  for (const later of ["watch", "serve", "changes"]) expect(parse(later).invocation.kind).toBe("unusable");
});

test("a URL in place of a command gets the right one suggested", () => {
  expect(parse("https://a.example").invocation).toMatchObject({
    kind: "unusable",
    message: expect.stringContaining("weir crawl https://a.example"),
  });
  expect(parse("crwal").invocation).toMatchObject({ message: expect.stringContaining("did you mean crawl?") });
  expect(parse().invocation.kind).toBe("unusable");
});

test("each command's help begins with an example and names all its options", () => {
  for (const command of COMMANDS) {
    const { printed, invocation } = parse(command.name, "--help");
    expect(invocation.kind).toBe("printed");
    expect(printed.startsWith(`Example:\n  ${command.example}`)).toBe(true);
    expect(printed).toContain("--json");
    for (const option of OPTIONS) {
      if (option.flag !== null && (command.options === null || command.options.includes(option.key)))
        expect(printed).toContain(option.flag);
    }
  }
});

test("an option of a command names a key of the table", () => {
  for (const command of COMMANDS) for (const key of command.options ?? []) expect(OPTIONS.map((option) => option.key)).toContain(key);
});

test("an error is one message, one problem a line, and the right exit code", () => {
  const problem = { path: "--timeout", got: '"x"', expected: "a duration" };
  expect(reportError(new ConfigError("WEIR_USAGE", "Two problems", [problem, problem]), false)).toMatchObject({
    text: 'weir: Two problems\n  --timeout: got "x", expected a duration\n  --timeout: got "x", expected a duration',
    exitCode: 2,
  });
  expect(reportError(new WeirError("WEIR_STORE_FULL", "No room"), false)).toMatchObject({ text: "weir: No room", exitCode: 1 });
  const bug = reportError(new TypeError("x is not a function"), false);
  expect(bug.exitCode).toBe(1);
  expect(bug.json.error.code).toBe("WEIR_BUG");
  expect(bug.text).not.toMatch(/\n\s+at /);
  expect(reportError(new TypeError("x"), true).text).toMatch(/\n\s+at /);
});
