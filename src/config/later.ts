/**
 * Names of the design that this version does not have yet. They are refused by name, because ignoring them would do something
 * else than the user asked for. */
export const LATER: readonly { readonly key: string; readonly flag?: string }[] = [
  { key: "pages" },
  { key: "budget", flag: "--budget" },
  { key: "jobs" },
  { key: "job", flag: "--job" },
  { key: "reserves" },
  { key: "onChange" },
];

export const NOT_YET = "not available yet in this version";
