/** Where a value stands and what is needed to read it. */
export interface ValueContext {
  /** Flags and the environment give text; files and the library give data. */
  readonly fromText: boolean;
  /** Looks up `env:NAME`. */
  secret(name: string): string | undefined;
  /** Notes a problem; `suffix` goes behind the option's own path (`[2]`, `.ceiling`). */
  report(suffix: string, got: unknown, expected: string): void;
}
