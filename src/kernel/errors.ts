/** The only registry of thrown errors. Match on `code`, never on text; `docs/errors.md` lists the same codes. */
export const ERROR_CODES = {
  WEIR_USAGE: "Wrong use of the command line or of an option.",
  WEIR_CONFIG_INVALID: "The configuration has values that cannot be used; every problem is listed with its path.",
  WEIR_CONFIG_UNREADABLE: "The configuration file could not be found, read or run.",
  WEIR_SEEDS_NONE: "No usable seed was given.",
  WEIR_STORE_IN_USE: "Another process writes this store.",
  WEIR_STORE_NEWER: "The store was written by a newer version of weir.",
  WEIR_STORE_INVALID: "The file is not a weir store, or is damaged.",
  WEIR_STORE_FULL: "There is no room on the disk for the store.",
  WEIR_STORE_FAILED: "The store could not be read or written.",
  WEIR_PASS_OTHER: "The store holds an unfinished pass with another identity.",
  WEIR_OUTPUT_FAILED: "The output file could not be written.",
  WEIR_BUG: "weir itself is at fault; please report it.",
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

/** Base of everything weir throws. */
export class WeirError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** One wrong value: where, what came, what was expected. */
export interface ConfigProblem {
  readonly path: string;
  readonly got: string;
  readonly expected: string;
}

/** Scope: operator. Never retried; the command line ends with 2. */
export class ConfigError extends WeirError {
  readonly problems: readonly ConfigProblem[];
  constructor(
    code: "WEIR_USAGE" | "WEIR_CONFIG_INVALID" | "WEIR_CONFIG_UNREADABLE" | "WEIR_SEEDS_NONE" | "WEIR_PASS_OTHER",
    message: string,
    problems: readonly ConfigProblem[] = [],
  ) {
    super(code, message);
    this.problems = problems;
  }
}

/** Scope: pipeline. Fetching pauses, batches are kept and tried again. */
export class StoreUnavailable extends WeirError {
  constructor(
    code: "WEIR_STORE_IN_USE" | "WEIR_STORE_NEWER" | "WEIR_STORE_INVALID" | "WEIR_STORE_FULL" | "WEIR_STORE_FAILED",
    message: string,
    options?: { cause?: unknown },
  ) {
    super(code, message, options);
  }
}
