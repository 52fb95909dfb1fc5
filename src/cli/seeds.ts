import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { readSeed } from "../config/seed.ts";
import { shown } from "../config/shown.ts";
import type { ConfigProblem } from "../kernel/errors.ts";

/** Bad lines told one by one; the rest is counted. */
const TOLD = 20;
/** A line longer than this is no URL; it also bounds what a binary file can make us hold. */
const LONGEST_LINE = 65_536;

export interface ReadSeeds {
  /** In the order given, doubles dropped. Those of files are checked; those of the command line are not yet. */
  readonly seeds: readonly string[];
  /** Bad lines of files: the rest goes on. */
  readonly warnings: readonly string[];
  /** Files that can't be read. */
  readonly problems: readonly ConfigProblem[];
}

/** Reads the arguments of `weir crawl`: URLs, `@file`, and `-` for standard input. */
export async function readSeeds(args: readonly string[], stdin: Readable): Promise<ReadSeeds> {
  const seeds = new Set<string>();
  const warnings: string[] = [];
  const problems: ConfigProblem[] = [];
  for (const arg of new Set(args)) {
    if (arg !== "-" && !arg.startsWith("@")) {
      seeds.add(arg);
      continue;
    }
    const name = arg === "-" ? "standard input" : arg.slice(1);
    try {
      // A stream that is not opened yet fails inside the loop below; a folder only there.
      if (arg !== "-" && (await stat(name)).isDirectory()) throw new Error("it is a folder");
      const lines = arg === "-" ? stdin : createReadStream(name);
      warnings.push(...(await readLines(lines, name, seeds)));
    } catch (error) {
      problems.push({ path: arg, got: reason(error), expected: "a readable file with one URL a line" });
    }
  }
  return { seeds: [...seeds], warnings, problems };
}

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  if (code === "ENOENT") return "no such file";
  if (code === "EACCES" || code === "EPERM") return "no permission";
  return error instanceof Error ? error.message : String(error);
}

/** One URL a line; `#` comments, blank lines, a byte order mark, CRLF and blanks around are allowed. */
async function readLines(input: Readable, name: string, seeds: Set<string>): Promise<string[]> {
  const warnings: string[] = [];
  let number = 0;
  let bad = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    const text = (number === 1 ? line.replace(/^\uFEFF/, "") : line).trim();
    if (text === "" || text.startsWith("#")) continue;
    const reading = text.length > LONGEST_LINE ? ({ kind: "bad", expected: "a line of at most 64 KiB" } as const) : readSeed(text);
    if (reading.kind === "seed") seeds.add(reading.url);
    else if (++bad <= TOLD) warnings.push(`${name}, line ${number}: got ${shown(text)}, expected ${reading.expected}`);
  }
  if (bad > TOLD) warnings.push(`${name}: ${bad - TOLD} more lines are no URLs`);
  return warnings;
}
