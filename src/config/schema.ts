/** What a value may be. Plain data, so that the docs, `--help` and `weir config` can list it. */
export type OptionKind =
  | { readonly kind: "count"; readonly min: number; readonly max: number }
  | { readonly kind: "duration"; readonly min: string; readonly max: string }
  | { readonly kind: "size"; readonly min: string; readonly max: string }
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "switch" }
  | { readonly kind: "path" }
  | { readonly kind: "output" }
  | { readonly kind: "user-agent" }
  | { readonly kind: "fields" }
  | { readonly kind: "seeds" }
  | { readonly kind: "patterns" }
  | { readonly kind: "headers" }
  | { readonly kind: "addresses" }
  | { readonly kind: "overrides" }
  | { readonly kind: "host-unit" }
  | { readonly kind: "providers" }
  | { readonly kind: "provider" }
  | { readonly kind: "proxy" };

/** One option: the single place where its names, its default and its range stand. */
export interface OptionSpec {
  /** Path in the configuration file, and the name in the library's options. */
  readonly key: string;
  /** On the command line; null when it can't be given there. `short` is the one-letter form. */
  readonly flag: string | null;
  readonly short?: string;
  /** How the value is named in the help; null for a switch. */
  readonly value: string | null;
  /** null with a flag: not for the file either, because a standing setting would do harm. The library may still give it. */
  readonly env: string | null;
  readonly type: OptionKind;
  /** As a user would write it; null when an absent option means "no such limit" or "nothing". */
  readonly default: string | null;
  /** Why this default: a section of the specification, a measurement, or `guess`. */
  readonly source: string;
  readonly help: string;
  readonly group: "What to crawl" | "When to stop" | "How hard" | "Requests" | "Results" | "Messages";
}

/** Repeatable kinds: each flag adds a value, an environment variable holds one a line, the file an array. */
const LIST_KINDS: readonly string[] = ["seeds", "patterns", "headers", "addresses"];

export function isList(type: OptionKind): boolean {
  return LIST_KINDS.includes(type.kind);
}

/** The allowed range in words, for the docs and for the "expected" of a problem. */
export function rangeOf(type: OptionKind): string {
  switch (type.kind) {
    case "count":
      return `a whole number from ${type.min} to ${type.max}`;
    case "duration":
      return `a duration from ${type.min} to ${type.max}`;
    case "size":
      return `a size from ${type.min} to ${type.max}`;
    case "choice":
      return type.of.join(", ");
    case "switch":
      return "true or false";
    case "path":
      return "a path";
    case "output":
      return "a file ending in .jsonl or .csv, or - for standard output";
    case "user-agent":
      return "a name that identifies the operator, best with a contact: example-bot/1.0 (+https://example.com/bot)";
    case "fields":
      return "names of fields separated by commas, or +name to add one";
    case "seeds":
      return "http or https URLs";
    case "patterns":
      return "a prefix of a URL or path, or a URLPattern";
    case "headers":
      return "Name: value";
    case "addresses":
      return "HOST or HOST:PORT";
    case "overrides":
      return "an object: host → { ceiling, delay, provider, http2 }";
    case "host-unit":
      return "authority, domain, ip, or file#export: a function from URL to key";
    case "providers":
      return "an object: name → { kind, … } (docs/providers.md)";
    case "provider":
      return "direct, or a name under providers";
    case "proxy":
      return "an http://, https:// or socks5:// URL";
    default:
      return type satisfies never;
  }
}
