import type { CommandSpec } from "./command-spec.ts";

const URLS = { name: "url…|@file|-", help: "where to begin; @file and - (standard input) hold one URL a line" };

/** All commands of this version, in the order of the help. Each one's code is loaded only when it runs. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "crawl",
    summary: "one pass over everything in scope, then stop",
    example: "weir crawl https://example.com -o pages.jsonl",
    args: URLS,
    options: null,
    own: [],
    run: async (input) => (await import("./crawl.ts")).runCrawl(input),
  },
  {
    name: "status",
    summary: "how a crawl is going, and what holds it back",
    example: "weir status",
    args: null,
    options: ["store", "verbose", "json"],
    own: [{ flags: "--watch", help: "again every second, until the crawl ends" }],
    run: async (input) => (await import("./status.ts")).runStatus(input),
  },
  {
    name: "hosts",
    summary: "each host's limit, gate and pace, and why it is not served",
    example: "weir hosts --by trouble --watch",
    args: null,
    options: ["store", "verbose", "json"],
    own: [
      { flags: "--watch", help: "again every second, until the crawl ends" },
      { flags: "--top <N>", help: "so many hosts, 1 to 1000 (default: 20)" },
      { flags: "--by <ORDER>", help: "waiting: most URLs waiting first; trouble: longest closed, most cuts first (default: waiting)" },
      { flags: "--host <H>", help: "only this host, by its name or name:port" },
    ],
    run: async (input) => (await import("./hosts.ts")).runHosts(input),
  },
  {
    name: "export",
    summary: "write what the store holds",
    example: "weir export --format csv --fields url,title,status -o pages.csv",
    args: null,
    options: ["store", "output", "fields", "saveBodies", "verbose", "json"],
    own: [
      { flags: "--format <FORMAT>", help: "jsonl or csv (default: by the ending of -o, else jsonl)" },
      { flags: "--what <WHAT>", help: "pages, records, skipped or failed (default: pages)" },
    ],
    run: async (input) => (await import("./export.ts")).runExport(input),
  },
  {
    name: "topup",
    summary: "reopen the account of a provider after it was paid",
    example: "weir topup api --credits 10000",
    args: { name: "provider", help: "its name in the configuration" },
    options: ["store", "verbose", "json"],
    own: [{ flags: "--credits <N>", help: "how much was added, in credits (bytes for a gateway); without it, what a cycle begins with" }],
    run: async (input) => (await import("./topup.ts")).runTopup(input),
  },
  {
    name: "retry",
    summary: "put failed URLs back, to be tried again",
    example: "weir retry --code http-503",
    args: null,
    options: ["store", "verbose", "json"],
    own: [
      { flags: "--host <HOST>", help: "only those of this host: a name, or name:port" },
      { flags: "--code <CODE>", help: "only those with this cause, as weir export --what failed shows it in error.code" },
    ],
    run: async (input) => (await import("./retry.ts")).runRetry(input),
  },
  {
    name: "config",
    summary: "the effective configuration",
    example: "weir config --explain",
    args: URLS,
    options: null,
    own: [{ flags: "--explain", help: "also where each value came from, and what it means" }],
    run: async (input) => (await import("./config.ts")).runConfig(input),
  },
  {
    name: "doctor",
    summary: "what is missing on this machine, and how to get it",
    example: "weir doctor",
    args: null,
    options: ["store", "concurrency", "verbose", "json"],
    own: [],
    run: async (input) => (await import("./doctor.ts")).runDoctor(input),
  },
  {
    name: "simulate",
    summary: "the real crawler against a described web, on virtual time",
    example: "weir simulate --web examples/simulate/cap-8.json",
    args: null,
    options: ["verbose", "json"],
    own: [
      { flags: "--web <FILE>", help: "what the web is like (docs/simulation.md)" },
      { flags: "--hours <H>", help: "how long, of virtual time (default: the file's, else 1)" },
      { flags: "--seed <N>", help: "the same seed gives the same run (default: the file's, else 1)" },
      { flags: "--limiter <NAME>", help: "weir or aimd (default: the file's, else weir)" },
    ],
    run: async (input) => (await import("./simulate.ts")).runSimulate(input),
  },
];
