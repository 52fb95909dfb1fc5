/** How a command answers, also when it fails. What the configuration file says of it counts once the file has been read. */
export interface Manner {
  json: boolean;
  verbose: boolean;
}

/** As far as it can be known before anything is taken apart: a wrong command line must be answered in this manner too. */
export function mannerOf(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Manner {
  const says = (flag: string, variable: string): boolean => args.includes(flag) || /^(1|true|yes)$/i.test(env[variable] ?? "");
  return { json: says("--json", "WEIR_JSON"), verbose: says("--verbose", "WEIR_VERBOSE") };
}
