import type { OptionSpec } from "./schema.ts";

/**
 * Every option of weir with its default: the only place where a default is written. `docs/options.md` and `--help` are
 * compared with it by tests. Durations and sizes are spelled as a user would write them.
 */
export const OPTIONS: readonly OptionSpec[] = [
  { key: "seeds", flag: null, value: null, env: null, type: { kind: "seeds" }, default: null, source: "cli.md", group: "What to crawl", help: "where to begin; on the command line they are the arguments" },
  { key: "store", flag: "--store", value: "PATH", env: "WEIR_STORE", type: { kind: "path" }, default: "./.weir/weir.db", source: "cli.md", group: "What to crawl", help: "where everything is kept" },
  { key: "scope", flag: "--scope", value: "RULE", env: "WEIR_SCOPE", type: { kind: "choice", of: ["host", "domain", "prefix", "any"] }, default: "host", source: "cli.md", group: "What to crawl", help: "what links are followed" },
  { key: "include", flag: "--include", value: "P", env: "WEIR_INCLUDE", type: { kind: "patterns" }, default: null, source: "cli.md", group: "What to crawl", help: "only URLs that match one of these; a prefix of the URL or path, or a URLPattern (repeatable)" },
  { key: "exclude", flag: "--exclude", value: "P", env: "WEIR_EXCLUDE", type: { kind: "patterns" }, default: null, source: "cli.md", group: "What to crawl", help: "never URLs that match one of these (repeatable)" },
  { key: "sitemaps", flag: "--sitemaps", value: "MODE", env: "WEIR_SITEMAPS", type: { kind: "choice", of: ["auto", "probe", "off"] }, default: "auto", source: "cli.md", group: "What to crawl", help: "read those named in robots.txt; also try /sitemap.xml; none" },
  { key: "robots", flag: "--robots", value: "MODE", env: "WEIR_ROBOTS", type: { kind: "choice", of: ["obey", "ignore"] }, default: "obey", source: "spec D1", group: "What to crawl", help: "ignoring is for one's own sites and tests, and prints a warning" },
  { key: "fresh", flag: "--fresh", value: null, env: null, type: { kind: "switch" }, default: "false", source: "cli.md", group: "What to crawl", help: "forget the earlier passes (asks on a terminal)" },

  { key: "maxPages", flag: "--max-pages", value: "N", env: "WEIR_MAX_PAGES", type: { kind: "count", min: 1, max: 1_000_000_000 }, default: null, source: "cli.md", group: "When to stop", help: "stop after N pages" },
  { key: "maxDepth", flag: "--max-depth", value: "N", env: "WEIR_MAX_DEPTH", type: { kind: "count", min: 0, max: 10_000 }, default: null, source: "cli.md", group: "When to stop", help: "follow links at most N steps from a seed; 0 is the seeds alone" },
  { key: "maxBytes", flag: "--max-bytes", value: "SIZE", env: "WEIR_MAX_BYTES", type: { kind: "size", min: "1 bytes", max: "1000000GB" }, default: null, source: "cli.md", group: "When to stop", help: "stop after so many bytes on the wire, both directions" },
  { key: "maxTime", flag: "--max-time", value: "DURATION", env: "WEIR_MAX_TIME", type: { kind: "duration", min: "1ms", max: "365d" }, default: null, source: "cli.md", group: "When to stop", help: "stop after so long" },
  { key: "maxWait", flag: "--max-wait", value: "DURATION", env: "WEIR_MAX_WAIT", type: { kind: "duration", min: "0ms", max: "365d" }, default: "2m", source: "cli.md", group: "When to stop", help: "end the pass when the next start that anything allows is further away than this" },

  { key: "hosts.ceiling", flag: "--host-ceiling", value: "N", env: "WEIR_HOST_CEILING", type: { kind: "count", min: 1, max: 1024 }, default: "8", source: "cli.md", group: "How hard", help: "requests at once to one host, never more" },
  { key: "hosts.delay", flag: "--delay", value: "DURATION", env: "WEIR_DELAY", type: { kind: "duration", min: "0ms", max: "1d" }, default: null, source: "cli.md", group: "How hard", help: "least time between two starts on one host, besides Crawl-delay" },
  { key: "hosts.unit", flag: null, value: null, env: null, type: { kind: "host-unit" }, default: "authority", source: "spec A7", group: "How hard", help: "which hosts a site limits as one: each by itself, all of a registrable domain, all at an address, or by a function of yours" },
  { key: "hosts.overrides", flag: null, value: null, env: null, type: { kind: "overrides" }, default: null, source: "cli.md", group: "How hard", help: "ceiling, delay and provider of single hosts, and whether HTTP/2 is asked for" },
  { key: "limiter", flag: null, value: null, env: "WEIR_LIMITER", type: { kind: "choice", of: ["weir", "aimd"] }, default: "weir", source: "spec B1", group: "How hard", help: "how the limit of each host adapts; aimd is the textbook's way, for comparison" },
  { key: "ipCeiling", flag: "--ip-ceiling", value: "N", env: "WEIR_IP_CEILING", type: { kind: "count", min: 1, max: 4096 }, default: "16", source: "cli.md", group: "How hard", help: "requests at once to one address, never more" },
  { key: "concurrency", flag: "--concurrency", value: "N", env: "WEIR_CONCURRENCY", type: { kind: "count", min: 1, max: 4096 }, default: "64", source: "cli.md", group: "How hard", help: "requests at once over all, never more" },

  { key: "timeout", flag: "--timeout", value: "DURATION", env: "WEIR_TIMEOUT", type: { kind: "duration", min: "1ms", max: "1d" }, default: "60s", source: "cli.md", group: "Requests", help: "deadline of one whole fetch" },
  { key: "maxBody", flag: "--max-body", value: "SIZE", env: "WEIR_MAX_BODY", type: { kind: "size", min: "1 bytes", max: "1GiB" }, default: "10MiB", source: "cli.md", group: "Requests", help: "cap on a body, as sent and decoded" },
  { key: "retries", flag: "--retries", value: "N", env: "WEIR_RETRIES", type: { kind: "count", min: 0, max: 20 }, default: "3", source: "cli.md", group: "Requests", help: "retries of a fetch that may succeed later" },
  { key: "headers", flag: "--header", value: "'Name: value'", env: "WEIR_HEADER", type: { kind: "headers" }, default: null, source: "cli.md", group: "Requests", help: "sent to the seeds' own hosts only; env:NAME as the value reads a secret (repeatable)" },
  { key: "cookies", flag: "--cookies", value: "MODE", env: "WEIR_COOKIES", type: { kind: "choice", of: ["none", "chain", "host"] }, default: "chain", source: "cli.md", group: "Requests", help: "kept never, within one chain of redirects, or per host" },
  { key: "allowPrivate", flag: "--allow-private", value: null, env: "WEIR_ALLOW_PRIVATE", type: { kind: "switch" }, default: "false", source: "spec D8", group: "Requests", help: "permit loopback and private addresses" },
  { key: "allowAddresses", flag: "--allow-address", value: "HOST[:PORT]", env: "WEIR_ALLOW_ADDRESS", type: { kind: "addresses" }, default: null, source: "spec D8", group: "Requests", help: "permit just this one of them (repeatable)" },
  { key: "proxy", flag: "--proxy", value: "URL", env: "WEIR_PROXY", type: { kind: "proxy" }, default: null, source: "cli.md", group: "Requests", help: "fetch everything through this proxy: http://, https:// or socks5://, with user:password@ where it wants them" },
  { key: "providers", flag: null, value: null, env: null, type: { kind: "providers" }, default: null, source: "cli.md", group: "Requests", help: "metered gateways and scraping APIs, by name" },
  { key: "provider", flag: "--provider", value: "NAME", env: "WEIR_PROVIDER", type: { kind: "provider" }, default: "direct", source: "cli.md", group: "Requests", help: "how all hosts are fetched that have no provider of their own" },
  // The default names weir, its version and project page; the version is put in when the configuration is resolved.
  { key: "userAgent", flag: "--user-agent", value: "STRING", env: "WEIR_USER_AGENT", type: { kind: "user-agent" }, default: "weir/VERSION (+https://github.com/weir-crawler/weir)", source: "spec D1", group: "Requests", help: "must identify its operator" },

  { key: "output", flag: "--output", short: "-o", value: "FILE", env: "WEIR_OUTPUT", type: { kind: "output" }, default: null, source: "cli.md", group: "Results", help: "also write each settled URL, by the ending .jsonl or .csv; - is standard output" },
  { key: "fields", flag: "--fields", value: "LIST", env: "WEIR_FIELDS", type: { kind: "fields" }, default: null, source: "cli.md", group: "Results", help: "which fields of a page: a,b or +text" },
  { key: "saveBodies", flag: "--save-bodies", value: "DIR", env: "WEIR_SAVE_BODIES", type: { kind: "path" }, default: null, source: "cli.md", group: "Results", help: "keep raw bodies by content hash, with an index" },

  { key: "quiet", flag: "--quiet", value: null, env: "WEIR_QUIET", type: { kind: "switch" }, default: "false", source: "cli.md", group: "Messages", help: "no live line (warnings stay)" },
  { key: "verbose", flag: "--verbose", value: null, env: "WEIR_VERBOSE", type: { kind: "switch" }, default: "false", source: "cli.md", group: "Messages", help: "which configuration file and store are used, and stack traces of errors" },
  { key: "logFormat", flag: "--log-format", value: "FORMAT", env: "WEIR_LOG_FORMAT", type: { kind: "choice", of: ["text", "json"] }, default: "text", source: "cli.md", group: "Messages", help: "how progress and warnings are written to stderr" },
  { key: "json", flag: "--json", value: null, env: "WEIR_JSON", type: { kind: "switch" }, default: "false", source: "cli.md", group: "Messages", help: "print the result as one line of JSON on stdout" },
];

/** Names the configuration file for all commands; not part of the settings it leads to. */
export const CONFIG_FLAG = { flag: "--config", value: "FILE", env: "WEIR_CONFIG", help: "else weir.config.ts, .mjs or .json, found upwards from here" } as const;

/** The default User-Agent. `version` is weir's own. */
export function defaultUserAgent(version: string): string {
  const spec = OPTIONS.find((option) => option.key === "userAgent");
  return (spec?.default ?? "").replace("VERSION", version);
}
