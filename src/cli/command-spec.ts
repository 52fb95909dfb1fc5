import type { Manner } from "./manner.ts";

/** One command of weir, before anything heavy is loaded: `--help` and `--version` need no more than this. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** Shown first in the help. */
  readonly example: string;
  /** Positional arguments as the help shows them; null when there are none. */
  readonly args: { readonly name: string; readonly help: string } | null;
  /** Keys of the option table that it takes; null for all of them. */
  readonly options: readonly string[] | null;
  /** Options of this command alone. */
  readonly own: readonly { readonly flags: string; readonly help: string; readonly repeatable?: true }[];
  /** Loads the command and runs it. @returns the exit code. */
  run(input: RunInput): Promise<number>;
}

/** What was on the command line, taken apart but not checked. */
export interface CommandInput {
  /** By option key; a switch is true, a repeatable option an array. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[]>>;
  /** Own options, by long name without dashes, in camel case. */
  readonly own: Readonly<Record<string, string | boolean>>;
  /** Own options that may be repeated, likewise. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly args: readonly string[];
  readonly configFile: string | undefined;
  readonly problems: readonly { readonly path: string; readonly got: string; readonly expected: string }[];
}

export interface RunInput extends CommandInput {
  readonly manner: Manner;
}
